/// Timers that travel: exports, imports, what is due on the way, and hostile bytes.
#include "entity/timers/named_timers.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <memory>

namespace starbus::entity {
namespace {

using bus::as_bytes;
using bus::as_text;
using bus::Bytes;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr NamedTimers::Options kPaused{Travel::paused, CatchUp::all};
constexpr NamedTimers::Options kOnce{Travel::running, CatchUp::once};

/// A process: a wheel with a clock that began at another time than that of its peers.
struct Process {
  explicit Process(Time start) : wheel(start), begin(start) {}
  void pass(Time cluster) {
    do {
    } while (wheel.advance(begin + cluster).more);
  }
  TimerWheel wheel;
  Time begin;  // at the cluster's zero
};

struct Entity {
  explicit Entity(Process& process)
      : timers(process.wheel, [this](const NamedFiring& firing) {
          log.push_back(std::string(firing.name) + "(" + std::string(as_text(firing.args)) + ")");
          missed += firing.missed;
          if (handler) handler(firing);
        }) {}
  std::vector<std::string> log;
  std::uint64_t missed = 0;
  std::function<void(const NamedFiring&)> handler;
  NamedTimers timers;
};

class NamedTimersTest : public testing::Test {
 protected:
  Bytes exported(Time cluster) {
    Bytes bytes;
    entity->timers.export_all(cluster, bytes);
    return bytes;
  }
  /// Packs at `leave`, and unpacks at `arrive` in another process.
  void move(Time leave, Time arrive) {
    const Bytes bytes = exported(leave);
    const std::vector<std::string> log = entity->log;
    const std::uint64_t missed = entity->missed;
    entity.reset();
    process = std::make_unique<Process>(++moves * 1000h);
    process->pass(arrive);
    entity = std::make_unique<Entity>(*process);
    ASSERT_TRUE(entity->timers.import_all(bytes, arrive));
    entity->log = log;
    entity->missed = missed;
    EXPECT_EQ(exported(arrive).size(), bytes.size());
  }

  int moves = 0;
  std::unique_ptr<Process> process = std::make_unique<Process>(17h);
  std::unique_ptr<Entity> entity = std::make_unique<Entity>(*process);
};

TEST_F(NamedTimersTest, CallTheHandlerWithNameAndArguments) {
  EXPECT_EQ(*entity->timers.after("respawn", as_bytes("here"), 2s), 1u);
  EXPECT_EQ(*entity->timers.every("heal", as_bytes("5"), 1s, 1s, {}), 2u);
  process->pass(3s);
  EXPECT_THAT(entity->log, ElementsAre("heal(5)", "respawn(here)", "heal(5)", "heal(5)"));
  EXPECT_EQ(entity->timers.size(), 1u);
  EXPECT_FALSE(entity->timers.cancel(1));
  EXPECT_TRUE(entity->timers.cancel(2));
  process->pass(1h);
  EXPECT_EQ(entity->log.size(), 4u);
}

TEST_F(NamedTimersTest, CancelByName) {
  (void)entity->timers.after("a", {}, 1s);
  (void)entity->timers.after("b", {}, 1s);
  (void)entity->timers.after("a", {}, 2s);
  EXPECT_EQ(entity->timers.cancel_named("a"), 2u);
  EXPECT_EQ(entity->timers.cancel_named("a"), 0u);
  process->pass(1min);
  EXPECT_THAT(entity->log, ElementsAre("b()"));
}

TEST_F(NamedTimersTest, TheHandlerMayChangeTheSet) {
  (void)entity->timers.every("a", as_bytes("x"), 1s, 1s, {});
  entity->handler = [this](const NamedFiring& firing) {
    EXPECT_EQ(entity->timers.cancel(firing.id), firing.name == "a");
    for (int i = 0; i < 20; ++i) (void)entity->timers.after("b", as_bytes("y"), 1h);
    EXPECT_EQ(as_text(firing.args), firing.name == "a" ? "x" : "y");
  };
  process->pass(1s);
  EXPECT_THAT(entity->log, ElementsAre("a(x)"));
  EXPECT_EQ(entity->timers.size(), 20u);
}

TEST_F(NamedTimersTest, NothingFiresAfterTheEndOfTheSet) {
  (void)entity->timers.after("a", {}, 1s);
  entity.reset();
  process->pass(1h);
  EXPECT_EQ(process->wheel.size(), 0u);
}

TEST_F(NamedTimersTest, TimersDueOnTheWayFireOnceInTheFirstPass) {
  (void)entity->timers.after("due", {}, 5s);
  (void)entity->timers.after("later", {}, 1min);
  process->pass(4s);
  move(4s, 9s);
  process->wheel.advance(process->wheel.now());
  EXPECT_THAT(entity->log, ElementsAre("due()"));
  process->pass(59'999ms);
  EXPECT_EQ(entity->log.size(), 1u);
  process->pass(60s);
  EXPECT_THAT(entity->log, ElementsAre("due()", "later()"));
}

TEST_F(NamedTimersTest, APausedTimerKeepsItsRemainingTime) {
  (void)entity->timers.after("paused", {}, 5s, kPaused);
  process->pass(4s);
  move(4s, 1h);
  process->pass(1h + 999ms);
  EXPECT_THAT(entity->log, IsEmpty());
  process->pass(1h + 1s);
  EXPECT_THAT(entity->log, ElementsAre("paused()"));
}

TEST_F(NamedTimersTest, APeriodicTimerFiresTheExactCountOverTenMoves) {
  (void)entity->timers.every("tick", {}, 1s, 1s, {});
  (void)entity->timers.every("once", {}, 1s, 1s, kOnce);
  Time now{};
  for (int i = 0; i < 10; ++i) {
    now += 3'700ms;
    process->pass(now);
    move(now, now + 2'600ms);
    now += 2'600ms;
  }
  process->pass(now);
  ASSERT_EQ(now, 63s);
  EXPECT_EQ(std::ranges::count(entity->log, "tick()"), 63);
  EXPECT_EQ(static_cast<std::uint64_t>(std::ranges::count(entity->log, "once()")) + entity->missed,
            63u);
}

TEST_F(NamedTimersTest, IdsAreUsedOnceThroughAllMoves) {
  const auto first = *entity->timers.after("a", {}, 1s);
  entity->timers.cancel(first);
  move(0s, 1s);
  const auto second = *entity->timers.after("b", {}, 1s);
  EXPECT_GT(second, first);
  EXPECT_FALSE(entity->timers.cancel(first));
}

TEST_F(NamedTimersTest, HaveLimits) {
  NamedTimers& timers = entity->timers;
  EXPECT_EQ(timers.after("", {}, 1s).error(), TimerErrc::bad_name);
  EXPECT_EQ(timers.after(std::string(65, 'n'), {}, 1s).error(), TimerErrc::bad_name);
  EXPECT_EQ(timers.after("a", Bytes(4097), 1s).error(), TimerErrc::too_large);
  EXPECT_EQ(timers.every("a", {}, 1s, 10us, {}).error(), TimerErrc::bad_interval);
  EXPECT_EQ(timers.after("a", {}, Time::max()).error(), TimerErrc::too_far);
  for (std::uint64_t i = 0; i < kMaxNamedTimers; ++i) {
    ASSERT_TRUE(timers.after(std::string(64, 'n'), Bytes(4096), 1s));
  }
  EXPECT_EQ(timers.after("a", {}, 1s).error(), TimerErrc::too_many_timers);
  move(0s, 0s);
  EXPECT_EQ(entity->timers.size(), kMaxNamedTimers);
}

TEST_F(NamedTimersTest, ImportOnlyIntoAFreshSet) {
  const Bytes bytes = exported(0s);
  entity->timers.cancel(*entity->timers.after("a", {}, 1s));
  EXPECT_EQ(entity->timers.import_all(bytes, 0s).error(), TimerErrc::not_empty);
}

TEST_F(NamedTimersTest, TakesAllOrNothing) {
  (void)entity->timers.after("a", as_bytes("1"), 1s);
  (void)entity->timers.every("b", as_bytes("2"), 2s, 3s, kPaused);
  const Bytes bytes = exported(0s);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Entity other(*process);
    EXPECT_EQ(other.timers.import_all(std::span(bytes).first(size), 0s).error(),
              TimerErrc::bad_bytes);
    EXPECT_EQ(other.timers.size(), 0u);
  }
  Bytes longer = bytes;
  longer.push_back(std::byte{0});
  Entity other(*process);
  EXPECT_EQ(other.timers.import_all(longer, 0s).error(), TimerErrc::bad_bytes);
  EXPECT_EQ(process->wheel.size(), 2u);
}

TEST_F(NamedTimersTest, RefusesExcessOfEachLimit) {
  struct {
    const char* what;
    std::uint64_t next_id, id;
    std::uint8_t flags;
    std::int64_t when, interval;
  } const cases[] = {
      {"no counter", 0, 0, 0, 0, 0},
      {"id 0", 5, 0, 0, 0, 0},
      {"id beyond the counter", 5, 5, 0, 0, 0},
      {"unknown flag", 5, 1, 4, 0, 0},
      {"negative interval", 5, 1, 0, 0, -1},
      {"short interval", 5, 1, 0, 0, 999'999},
      {"long interval", 5, 1, 0, 0, INT64_MAX},
      {"far future", 5, 1, 0, INT64_MAX, 0},
      {"far past", 5, 1, 0, INT64_MIN, 0},
      {"far past by the clock", 5, 1, 1, INT64_MIN, 0},
      {"far future by the clock", 5, 1, 1, INT64_MAX, 0},
  };
  for (const auto& bad : cases) {
    Bytes bytes;
    bus::Writer writer(bytes);
    writer.put(std::uint8_t{1});
    writer.put(bad.next_id);
    writer.put(std::uint32_t{1});
    writer.put(bad.id);
    writer.put(bad.flags);
    writer.put(static_cast<std::uint64_t>(bad.when));
    writer.put(static_cast<std::uint64_t>(bad.interval));
    writer.short_text("name");
    writer.long_bytes({});
    EXPECT_EQ(entity->timers.import_all(bytes, -1h).error(), TimerErrc::bad_bytes) << bad.what;
  }
  EXPECT_EQ(process->wheel.size(), 0u);
}

RC_GTEST_PROP(NamedTimers, GoThereAndBack, (const std::vector<std::uint32_t>& numbers)) {
  Process process(0s);
  Entity entity(process);
  Entity copy(process);
  for (const std::uint32_t number : numbers) {
    const NamedTimers::Options options{number % 2 == 0 ? Travel::paused : Travel::running,
                                       number % 3 == 0 ? CatchUp::once : CatchUp::all};
    const std::string name(1 + number % 64, 'n');
    const Bytes args(number % 100, std::byte{7});
    if (number % 5 == 0) {
      (void)entity.timers.every(name, args, number * 1ms, number * 1ms + 1ms, options);
    } else {
      (void)entity.timers.after(name, args, number * 1ms, options);
    }
    if (number % 7 == 0) entity.timers.cancel(number % 20);
  }
  Bytes bytes;
  entity.timers.export_all(99h, bytes);
  RC_ASSERT(copy.timers.import_all(bytes, 99h).has_value());
  Bytes again;
  copy.timers.export_all(99h, again);
  RC_ASSERT(bytes == again);
}

}  // namespace
}  // namespace starbus::entity
