/// What moves between the cells of a place hears each announcement once: docs/guide/events.md.
#include <gmock/gmock.h>

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "entity/events/board_listener.hpp"

namespace starbus::entity {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr OnlineId kWestTown{7};
constexpr OnlineId kDungeon{8};
constexpr std::uint64_t kLast = std::numeric_limits<std::uint64_t>::max();

Bytes saved(const BoardListener& listener) {
  Bytes bytes;
  Encoder out(bytes);
  listener.save(out);
  EXPECT_TRUE(out.ok());
  return bytes;
}
DataErrc restore(BoardListener& listener, const Bytes& bytes) {
  Decoder in(bytes);
  const auto restored = listener.restore(in);
  return restored ? in.finish() : restored.error().code.in<DataErrc>();
}

class BoardNumbersTest : public testing::Test {
 protected:
  struct Subject {
    explicit Subject(std::vector<int>& log) {
      (void)listener.add<int>("bell", [&log](const int& ring) { log.push_back(ring); });
    }
    BoardListener listener;
  };
  /// As it arrives in another process.
  std::unique_ptr<Subject> moved(std::unique_ptr<Subject> from) {
    const Bytes bytes = saved(from->listener);
    from.reset();
    auto to = std::make_unique<Subject>(heard);
    EXPECT_EQ(restore(to->listener, bytes), DataErrc::ok);
    return to;
  }
  std::vector<int> heard;
  EventBoard west{kWestTown};
  EventBoard east{kWestTown};
  std::unique_ptr<Subject> subject = std::make_unique<Subject>(heard);
};

TEST_F(BoardNumbersTest, ANumberIsAnnouncedOnce) {
  ASSERT_TRUE(subject->listener.attach(west));
  EXPECT_EQ(*west.relay(5, "bell", 5), 1u);
  EXPECT_EQ(west.relay(5, "bell", 5).error(), EventErrc::already_announced);
  EXPECT_EQ(west.relay(4, "bell", 4).error(), EventErrc::already_announced);
  EXPECT_EQ(west.relay(0, "bell", 0).error(), EventErrc::already_announced);
  EXPECT_EQ(*west.announce("bell", 6), 1u);
  EXPECT_THAT(heard, ElementsAre(5, 6));
}

TEST_F(BoardNumbersTest, NoNumberFollowsTheLast) {
  ASSERT_TRUE(subject->listener.attach(west));
  EXPECT_TRUE(west.relay(kLast, "bell", 1));
  EXPECT_EQ(west.announce("bell", 2).error(), EventErrc::already_announced);
  EXPECT_THAT(heard, ElementsAre(1));
}

TEST_F(BoardNumbersTest, MovingToALateCellHearsNothingTwice) {
  ASSERT_TRUE(subject->listener.attach(west));
  for (int i = 1; i <= 5; ++i) (void)west.announce("bell", i);
  for (std::uint64_t i = 1; i <= 3; ++i) (void)east.relay(i, "bell", static_cast<int>(i));
  subject = moved(std::move(subject));
  EXPECT_EQ(*subject->listener.attach(east), 0u);
  EXPECT_EQ(*east.relay(4, "bell", 4), 0u);
  EXPECT_EQ(*east.relay(5, "bell", 5), 0u);
  EXPECT_EQ(*east.relay(6, "bell", 6), 1u);
  EXPECT_THAT(heard, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST_F(BoardNumbersTest, MovingToAnEarlyCellReportsMissedEvents) {
  ASSERT_TRUE(subject->listener.attach(west));
  (void)west.announce("bell", 1);
  for (std::uint64_t i = 1; i <= 3; ++i) (void)east.relay(i, "bell", static_cast<int>(i));
  subject = moved(std::move(subject));
  EXPECT_EQ(*subject->listener.attach(east), 2u);
  EXPECT_EQ(*subject->listener.attach(east), 0u) << "it knows";
  (void)east.relay(4, "bell", 4);
  EXPECT_THAT(heard, ElementsAre(1, 4));
}

TEST_F(BoardNumbersTest, KeysNotListenedToCountAsHeard) {
  ASSERT_TRUE(subject->listener.attach(west));
  (void)west.announce("drum", 1);
  (void)west.announce("drum", 2);
  subject = moved(std::move(subject));
  (void)subject->listener.add<int>("drum", [this](const int& beat) { heard.push_back(-beat); });
  ASSERT_TRUE(subject->listener.attach(east));
  EXPECT_EQ(*east.relay(2, "drum", 2), 0u) << "when that was announced it did not listen";
  EXPECT_EQ(*east.relay(3, "drum", 3), 1u);
  EXPECT_THAT(heard, ElementsAre(-3));
}

TEST_F(BoardNumbersTest, OtherPlacesHaveOtherNumbers) {
  EventBoard dungeon(kDungeon);
  ASSERT_TRUE(subject->listener.attach(west));
  (void)west.relay(50, "bell", 50);
  EXPECT_EQ(*subject->listener.attach(dungeon), 0u);
  (void)dungeon.announce("bell", 1);
  (void)west.relay(51, "bell", 51);
  subject = moved(std::move(subject));
  EXPECT_EQ(*subject->listener.attach(west), 1u);
  EXPECT_EQ(*east.relay(50, "bell", 50), 0u);
  ASSERT_TRUE(subject->listener.attach(dungeon));
  (void)dungeon.announce("bell", 2);
  ASSERT_TRUE(subject->listener.attach(east));
  EXPECT_EQ(*east.relay(51, "bell", 51), 0u) << "it was at the other cell behind that";
  EXPECT_EQ(*east.relay(52, "bell", 52), 1u);
  EXPECT_THAT(heard, ElementsAre(50, 1, 2, 52));
}

TEST_F(BoardNumbersTest, ACellThatComesLateGoesOnWithTheNumbersOfItsPlace) {
  EventBoard late(kWestTown, 9);
  EXPECT_EQ(*subject->listener.attach(late), 0u) << "it was never there";
  EXPECT_EQ(late.relay(9, "bell", 9).error(), EventErrc::already_announced);
  (void)late.announce("bell", 10);
  EXPECT_EQ(late.number(), 10u);
  EXPECT_THAT(heard, ElementsAre(10));
}

// A round that has not come to it yet is not behind it; one that has is.
TEST_F(BoardNumbersTest, LeavingWithinARoundHearsTheRestElsewhere) {
  BoardListener first;
  ASSERT_TRUE(first.attach(west));
  (void)first.add<int>("bell", [&](const int&) {
    subject = moved(std::move(subject));
    EXPECT_EQ(*subject->listener.attach(east), 0u);
  });
  ASSERT_TRUE(subject->listener.attach(west));
  EXPECT_EQ(*west.announce("bell", 1), 1u);
  EXPECT_THAT(heard, IsEmpty());
  EXPECT_EQ(*east.relay(1, "bell", 1), 1u);
  EXPECT_THAT(heard, ElementsAre(1));
}

TEST_F(BoardNumbersTest, LeavingWithinItsOwnCallbackCountsAsHeard) {
  (void)subject->listener.add<int>(
      "bell", [this](const int&) { ASSERT_TRUE(subject->listener.attach(east)); });
  ASSERT_TRUE(subject->listener.attach(west));
  EXPECT_EQ(*west.announce("bell", 1), 1u);
  EXPECT_EQ(*east.relay(1, "bell", 1), 0u);
  EXPECT_EQ(*east.relay(2, "bell", 2), 1u);
  EXPECT_THAT(heard, ElementsAre(1, 2));
}

TEST_F(BoardNumbersTest, NumbersMayComeWhenItIsThereAlready) {
  ASSERT_TRUE(subject->listener.attach(west));
  (void)west.relay(7, "bell", 7);
  const Bytes bytes = saved(subject->listener);
  Subject other(heard);
  ASSERT_TRUE(other.listener.attach(east));
  EXPECT_EQ(restore(other.listener, bytes), DataErrc::ok);
  EXPECT_EQ(*east.relay(7, "bell", 7), 0u);
  EXPECT_EQ(*east.relay(8, "bell", 8), 1u);
  // And they never sink.
  EXPECT_EQ(restore(other.listener, bytes), DataErrc::ok);
  EXPECT_EQ(saved(other.listener), (Bytes{std::byte{1}, std::byte{1}, std::byte{7}, std::byte{8}}));
}

TEST(SeenNumbersTest, TheOneThatWasNotedFirstIsForgotten) {
  SeenNumbers seen;
  for (std::uint64_t i = 0; i < kMaxSeenPlaces; ++i) seen.note(OnlineId{i}, i);
  seen.note(OnlineId{0}, 100);
  seen.note(OnlineId{0}, 50);
  seen.note(OnlineId{99}, 0);
  EXPECT_EQ(seen.size(), kMaxSeenPlaces);
  EXPECT_EQ(seen.of(OnlineId{0}), 100u);
  EXPECT_EQ(seen.of(OnlineId{99}), 0u);
  EXPECT_EQ(seen.of(OnlineId{1}), std::nullopt);
  EXPECT_EQ(seen.of(OnlineId{2}), 2u);
}

TEST(SeenNumbersTest, TakesAllOrNothing) {
  SeenNumbers full;
  for (std::uint64_t i = 0; i < kMaxSeenPlaces; ++i) full.note(OnlineId{kLast - i}, kLast - i);
  Bytes bytes;
  Encoder out(bytes);
  full.save(out);

  const auto taken = [](const Bytes& from) {
    SeenNumbers seen;
    Decoder in(from);
    const auto restored = seen.restore(in);
    EXPECT_EQ(restored.has_value(), in.ok());
    EXPECT_TRUE(in.ok() || seen.size() == 0);
    EXPECT_TRUE(!in.ok() || seen.of(OnlineId{kLast}) == kLast);
    return in.error();
  };
  EXPECT_EQ(taken(bytes), DataErrc::ok);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(taken(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size))),
              DataErrc::truncated);
  }
  const auto of = [](std::initializer_list<int> numbers) {
    Bytes made;
    for (const int number : numbers) made.push_back(static_cast<std::byte>(number));
    return made;
  };
  EXPECT_EQ(taken(of({2, 0})), DataErrc::malformed) << "a later form";
  EXPECT_EQ(taken(of({1, 2, 7, 1, 7, 2})), DataErrc::malformed) << "a place twice";
  EXPECT_EQ(taken(of({1, 200, 1})), DataErrc::truncated);
  Bytes many = of({1, kMaxSeenPlaces + 1});
  for (int i = 0; i <= static_cast<int>(kMaxSeenPlaces); ++i) {
    many.push_back(static_cast<std::byte>(i));
    many.push_back(std::byte{1});
  }
  EXPECT_EQ(taken(many), DataErrc::too_large);
}

}  // namespace
}  // namespace starbus::entity
