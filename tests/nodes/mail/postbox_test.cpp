/// Letters: flags, the number of unread ones, a bounded history, and attachments that are given
/// once.
#include "nodes/hosting/mail/postbox.hpp"
#include "base/wall_clock.hpp"

#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <set>

#include "entity/objects/entity_manager.hpp"
#include "nodes/hosting/host_context.hpp"

namespace starbus::nodes::entities {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

struct ReaderState : entity::Properties<ReaderState> {
  entity::Field<std::uint64_t, entity::Flags::save> gems{this, "gems"};
  entity::StateOf<Postbox> postbox{this};
};
class Reader final : public entity::EntityOf<Reader, entity::Entity, entity::Components<Postbox>> {
 public:
  static constexpr std::string_view kTypeName = "reader";
  explicit Reader(const entity::ConstructKey& key) : EntityOf(key) {}
  Postbox& box() { return *component<Postbox>(); }
  const entity::Bag<KeptLetter>& letters() { return state.postbox->letters; }
  entity::Root* properties() override { return &state; }
  ReaderState state;
  bool full = false;
  bool wild = false;

 private:
  ~Reader() override = default;
  entity::EntityResult<> on_init() override {
    box().give_with([this](const std::vector<LetterItem>& items) -> entity::EntityResult<> {
      if (wild) throw std::runtime_error("wild");
      if (full) return entity::EntityError(entity::EntityErrc::hook_failed, "no room");
      for (const LetterItem& item : items) state.gems += item.count;
      return {};
    });
    return {};
  }
};

class PostboxTest : public ::testing::Test {
 protected:
  PostboxTest() {
    EXPECT_TRUE(entity::declare_entity<Reader>(types));
    reader = entities.create<Reader>().value();
  }
  void deliver(std::uint64_t gems, std::uint64_t expires = 0) {
    Letter letter;
    letter.title = "a letter";
    letter.expires = expires;
    if (gems != 0) letter.items.push_back({7, gems});
    EXPECT_TRUE(reader->box().deliver({}, letter));
  }
  std::vector<std::int64_t> ids() {
    std::vector<std::int64_t> all;
    reader->letters().for_each(
        [&](std::int64_t id, const KeptLetter&, std::uint32_t) { all.push_back(id); });
    return all;
  }
  std::uint32_t count_unread() {
    std::uint32_t count = 0;
    reader->letters().for_each([&](std::int64_t, const KeptLetter& letter, std::uint32_t) {
      count += letter.read ? 0 : 1;
    });
    return count;
  }

  entity::EntityFactory types;
  entity::TimerWheel wheel;
  std::uint64_t drawn = 0;
  entity::EntityManager entities{
      types, entity::PersistentIdSource("n", 1),
      [this] { return entity::IdentityResult<entity::OnlineId>(entity::OnlineId{++drawn}); },
      entity::EntityOptions{.timers = &wheel}};
  Reader* reader = nullptr;
};

TEST_F(PostboxTest, ItemsAreGivenOnceAndStayWhereThereIsNoRoom) {
  deliver(5);
  EXPECT_EQ(reader->box().unread(), 1U);
  reader->full = true;
  EXPECT_EQ(reader->box().claim(1), LetterEnd::not_taken);
  reader->wild = true;
  EXPECT_EQ(reader->box().claim(1), LetterEnd::not_taken);
  EXPECT_TRUE(reader->letters().find(1)->has_items());
  reader->full = reader->wild = false;
  EXPECT_EQ(reader->box().claim(1), LetterEnd::done);
  EXPECT_EQ(reader->box().claim(1), LetterEnd::nothing_to_claim);
  EXPECT_EQ(reader->state.gems, 5U);
  EXPECT_EQ(reader->box().unread(), 0U) << "who takes the items has seen it";
  EXPECT_EQ(reader->box().erase(1), LetterEnd::done);
  EXPECT_EQ(reader->box().read(1), LetterEnd::no_such_letter);
}

TEST_F(PostboxTest, TheOldestThatIsReadLeavesAFullBoxFirst) {
  for (std::size_t i = 0; i < kLetters; ++i) deliver(i == 0 ? 3 : 0);  // the first has items
  EXPECT_EQ(reader->box().read(1), LetterEnd::done);
  EXPECT_EQ(reader->box().read(5), LetterEnd::done);
  deliver(0);
  EXPECT_FALSE(reader->letters().contains(5)) << "read, and without items";
  deliver(0);
  EXPECT_FALSE(reader->letters().contains(2)) << "the oldest without items";
  EXPECT_TRUE(reader->letters().contains(1));
  for (std::size_t i = 0; i < kLetters; ++i) deliver(1);
  EXPECT_FALSE(reader->letters().contains(1));
  EXPECT_EQ(reader->state.gems, 3U) << "they are given before their letter leaves";
  EXPECT_EQ(reader->letters().size(), kLetters);
}

TEST_F(PostboxTest, ALetterLeavesWhenItsTimeIsOver) {
  deliver(2, wall_ms() + 60'000);
  deliver(0);
  KeptLetter* const letter = reader->state.postbox->letters.edit(1);
  letter->expires = wall_ms() - 1;
  EXPECT_EQ(reader->box().claim(1), LetterEnd::no_such_letter) << "also before it is swept";
  EXPECT_EQ(reader->box().unread(), 2U);
  EXPECT_EQ(reader->waiting<&Postbox::sweep>(), 1U);
  reader->box().sweep();
  EXPECT_THAT(ids(), ElementsAre(2));
  EXPECT_EQ(reader->box().unread(), 1U);
  EXPECT_EQ(reader->state.gems, 0U);
}

TEST_F(PostboxTest, TooLargeLettersAreRefused) {
  Letter letter;
  letter.body.assign(kLetterBody + 1, 'x');
  EXPECT_FALSE(reader->box().deliver({}, letter));
  letter.body.clear();
  letter.items.resize(kLetterItems + 1);
  EXPECT_FALSE(reader->box().deliver({}, letter));
  EXPECT_TRUE(reader->letters().empty());
}

TEST_F(PostboxTest, AnyHistoryKeepsTheCountAndGivesEachItemOnce) {
  EXPECT_TRUE(rc::check("unread is the number of unread letters", [this] {
    reader->destroy();
    entities.settle();
    reader = entities.create<Reader>().value();
    std::uint64_t posted = 0;
    const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(0, 6), rc::gen::inRange(1, 30)));
    for (const auto& [what, letter] : steps) {
      reader->full = what == 5;
      if (what <= 1) {
        deliver(what == 0 ? 1 : 0);
        posted += what == 0 ? 1 : 0;
      } else if (what == 2) {
        static_cast<void>(reader->box().read(letter));
      } else if (what == 3) {
        static_cast<void>(reader->box().erase(letter));
      } else {
        static_cast<void>(reader->box().claim(letter));
      }
      RC_ASSERT(reader->box().unread() == count_unread());
      RC_ASSERT(reader->letters().size() <= kLetters);
      RC_ASSERT(reader->state.gems <= posted);
    }
    std::uint64_t claimed = 0;
    reader->letters().for_each([&](std::int64_t, const KeptLetter& kept, std::uint32_t) {
      claimed += kept.claimed ? 1 : 0;
    });
    RC_ASSERT(claimed <= reader->state.gems);
  }));
}

}  // namespace
}  // namespace starbus::nodes::entities
