/// The events of an update as they are kept: in order, with all that they say, in little room.
#include "aoi/event_log.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/aoi/worlds.hpp"

namespace starbus::aoi::test {
namespace {

void write(EventLog& log, const std::vector<Event>& row) {
  const EventLog::Room room = log.room(row.size());
  bool detailed = false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    room.targets[i] = row[i].target;
    room.details[i] = {row[i].reason, row[i].index};
    detailed = detailed || room.details[i].says_anything();
  }
  log.close(row.front().sensor, row.front().observer, row.size(), detailed);
}

std::vector<Event> read(const EventLog& log) {
  std::vector<Event> events;
  log.each([&](const Event& event) { events.push_back(event); });
  return events;
}

Event event(std::uint32_t sensor, std::uint32_t target, Kind kind, Reason reason = Reason::geometry,
            std::uint16_t index = 0) {
  return {SensorId{sensor}, EntityId{sensor + 100}, EntityId{target}, kind, reason, index};
}

TEST(EventLog, ReturnsWhatWasWrittenInOrder) {
  const std::vector<std::vector<Event>> leaves = {
      {event(1, 7, Kind::leave), event(1, 9, Kind::leave)},
      {event(2, 5, Kind::leave), event(2, 6, Kind::leave, Reason::removed)},
      {event(4, 5, Kind::leave)}};
  const std::vector<std::vector<Event>> enters = {
      {event(1, 3, Kind::enter, Reason::geometry, 65'535)},
      {event(2, 8, Kind::enter)},
      {event(3, 1, Kind::enter, Reason::limit), event(3, 2, Kind::enter)}};
  EventLog log;
  std::vector<Event> all;
  for (int update = 0; update < 3; ++update) {
    log.start();
    all.clear();
    EXPECT_TRUE(read(log).empty());
    EXPECT_TRUE(log.all().empty());
    for (const auto& row : leaves) {
      write(log, row);
      all.insert(all.end(), row.begin(), row.end());
    }
    log.start_enters();
    for (const auto& row : enters) {
      write(log, row);
      all.insert(all.end(), row.begin(), row.end());
    }
    EXPECT_EQ(log.size(), all.size());
    EXPECT_EQ(read(log), all);
    for (int again = 0; again < 2; ++again) {
      EXPECT_EQ(std::vector<Event>(log.all().begin(), log.all().end()), all);
    }
  }
}

TEST(EventLog, EmptyRowLeavesNothing) {
  EventLog log;
  log.start();
  (void)log.room(8);
  log.close(SensorId{1}, EntityId{2}, 0, false);
  log.start_enters();
  write(log, {event(3, 1, Kind::enter)});
  EXPECT_EQ(read(log), std::vector<Event>{event(3, 1, Kind::enter)});
}

// The memory that the entry of all takes is given back with the next update, in which few enter.
TEST(EventLog, MemoryOfACrowdIsGivenBack) {
  EventLog log;
  log.start();
  log.start_enters();
  constexpr std::uint32_t kMany = 10'000;
  for (std::uint32_t i = 1; i <= kMany; ++i) write(log, {event(i, i, Kind::enter)});
  (void)log.all();
  EXPECT_GE(log.memory(), kMany * sizeof(Event));
  log.start();
  log.start_enters();
  write(log, {event(1, 2, Kind::enter)});
  EXPECT_LT(log.memory(), 4096u);
}

// Ten neighbours each: right after all have entered, and while all move.
TEST(World, MemoryIsBoundedRightAfterAllHaveEntered) {
  constexpr std::uint32_t kEntities = 4'000;
  constexpr float kRadius = 30;
  const float size = kRadius * std::sqrt(kEntities * 3.1416F / 10);
  WorldOptions of;
  of.bounds = {{0, 0, 0}, {size, size, 0}};
  of.reach = kRadius;
  of.expected_entities = of.expected_sensors = kEntities;
  World world = *World::create(of);
  std::mt19937 random(1);
  const auto within = [&](float most) {
    return static_cast<float>(random() % 10'000) / 1e4F * most;
  };
  std::vector<EntityId> all;
  for (std::uint32_t i = 0; i < kEntities; ++i) {
    all.push_back(add(world, within(size), within(size)));
    (void)see(world, all.back(), kRadius);
  }
  const auto report = *world.update();
  EXPECT_GT(report.events, kEntities * 9u);
  EXPECT_LT(report.events, kEntities * 11u);
  EXPECT_LT(world.memory(), kEntities * 300u) << world.memory() / kEntities;
  for (int tick = 0; tick < 20; ++tick) {
    for (const EntityId one : all) {
      const Position at = *world.position(one);
      ASSERT_TRUE(world.move(one, {at.x + within(4) - 2, at.y + within(4) - 2, 0}));
    }
    (void)world.update();
    EXPECT_LT(world.memory(), kEntities * 300u) << world.memory() / kEntities << ", tick " << tick;
  }
}

TEST(World, EachEventGivesTheSameAsEvents) {
  World world = make();
  for (int i = 0; i < 20; ++i) (void)see(world, add(world, 10.F + static_cast<float>(i), 10), 15);
  std::vector<Event> reported;
  (void)world.update([&](const Event& one) {
    reported.push_back(one);
    EXPECT_EQ(world.events()[reported.size() - 1], one) << "a handler may ask for all";
  });
  EXPECT_FALSE(reported.empty());
  std::vector<Event> each;
  world.each_event([&](const Event& one) { each.push_back(one); });
  EXPECT_EQ(each, reported);
  EXPECT_EQ(std::vector<Event>(world.events().begin(), world.events().end()), reported);
}

// Sets are up to date, and so are the events, also if telling them has ended early.
TEST(World, HandlerThatThrowsLeavesSetsUpToDate) {
  World world = make();
  for (int i = 0; i < 5; ++i) (void)see(world, add(world, 10, 10), 15);
  EXPECT_THROW((void)world.update([](const Event&) { throw 1; }), int);
  EXPECT_EQ(world.events().size(), 20u);
  EXPECT_EQ(world.update()->events, 0u);
}

}  // namespace
}  // namespace starbus::aoi::test
