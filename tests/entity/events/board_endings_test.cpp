/// Boards and subjects that end while something is announced.
#include <gmock/gmock.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "entity/events/board_listener.hpp"

namespace starbus::entity {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr OnlineId kLastTown{7};
enum class Gate : int { opened = 1, closed = 2 };

class BoardEndingsTest : public testing::Test {
 protected:
  auto note(std::string text) {
    return [this, text = std::move(text)](const int&) { log.push_back(text); };
  }
  std::vector<std::string> announce() {
    log.clear();
    told = *town.announce(Gate::opened, 1);
    return log;
  }
  std::vector<std::string> log;
  std::size_t told = 0;
  EventBoard town{kLastTown};
};

TEST_F(BoardEndingsTest, ASubjectEndsWithinItsOwnCallback) {
  auto a = std::make_unique<BoardListener>();
  auto owned = std::make_shared<int>(0);
  ASSERT_TRUE(a->attach(town));
  (void)a->add<int>(Gate::opened, [&, owned](const int&) {
    log.push_back("a");
    a.reset();
    EXPECT_EQ(owned.use_count(), 2);
  });
  (void)a->add<int>(Gate::opened, note("never"));
  BoardListener b;
  ASSERT_TRUE(b.attach(town));
  (void)b.add<int>(Gate::opened, note("b"));
  EXPECT_THAT(announce(), ElementsAre("a", "b"));
  EXPECT_EQ(told, 2u);
  EXPECT_EQ(owned.use_count(), 1);
  EXPECT_EQ(town.size(), 1u);
  EXPECT_THAT(announce(), ElementsAre("b"));
}

TEST_F(BoardEndingsTest, ASubjectEndsOthers) {
  std::optional<BoardListener> before(std::in_place), behind(std::in_place);
  ASSERT_TRUE(before->attach(town));
  (void)before->add<int>(Gate::opened, note("before"));
  BoardListener middle;
  ASSERT_TRUE(middle.attach(town));
  (void)middle.add<int>(Gate::opened, [&](const int&) {
    before.reset();
    behind.reset();
  });
  ASSERT_TRUE(behind->attach(town));
  (void)behind->add<int>(Gate::opened, note("behind"));
  EXPECT_THAT(announce(), ElementsAre("before"));
  EXPECT_EQ(town.size(), 1u);
}

TEST_F(BoardEndingsTest, TheBoardEndsWithinACallback) {
  auto cell = std::make_unique<EventBoard>(kLastTown, 41);
  BoardListener a, b;
  ASSERT_TRUE(a.attach(*cell));
  ASSERT_TRUE(b.attach(*cell));
  (void)a.add<int>(Gate::opened, [&](const int&) {
    cell.reset();
    EXPECT_FALSE(a.attached());
    (void)a.add<int>(Gate::opened, note("a2"));
    (void)a.add<int>(Gate::closed, note("closed"));
  });
  (void)b.add<int>(Gate::opened, note("b"));
  EXPECT_EQ(*cell->announce(Gate::opened, 1), 1u);
  EXPECT_THAT(log, IsEmpty()) << "nobody else is told";
  // a has been told number 42, and b has not.
  ASSERT_TRUE(a.attach(town));
  ASSERT_TRUE(b.attach(town));
  EXPECT_EQ(*town.relay(42, Gate::opened, 1), 1u);
  EXPECT_THAT(log, ElementsAre("b"));
  EXPECT_EQ(*town.announce(Gate::closed, 1), 1u);
  EXPECT_THAT(log, ElementsAre("b", "closed"));
}

}  // namespace
}  // namespace starbus::entity
