/// Answers that come once, late, twice, never, or to another process.
#include "entity/flows/flows.hpp"

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

struct Entity {
  Entity(Time start, std::uint64_t epoch)
      : wheel(start), flows(wheel, epoch, [this](const FlowResume& resume) {
          log.push_back(std::string(resume.name) + "(" + std::string(as_text(resume.args)) + ") " +
                        text(resume.outcome, resume.result));
          if (handler) handler(resume);
        }) {}
  static std::string text(FlowOutcome outcome, bus::ByteView result) {
    constexpr const char* kNames[] = {"reply ", "failure ", "timeout"};
    return kNames[static_cast<std::size_t>(outcome)] + std::string(as_text(result));
  }
  Bytes exported(Time cluster) const {
    Bytes bytes;
    flows.export_all(cluster, bytes);
    return bytes;
  }
  TimerWheel wheel;
  std::vector<std::string> log;
  std::function<void(const FlowResume&)> handler;
  Flows flows;
};

class FlowsTest : public testing::Test {
 protected:
  Entity here{0s, 1};
  Entity there{7h, 2};
};

TEST_F(FlowsTest, TheFirstOutcomeCounts) {
  const FlowId id = *here.flows.wait("bought", as_bytes("axe"), 10s);
  EXPECT_TRUE(here.flows.resume(id, FlowOutcome::reply, as_bytes("ok")));
  EXPECT_FALSE(here.flows.resume(id, FlowOutcome::reply, as_bytes("ok")));
  here.wheel.advance(1h);
  EXPECT_THAT(here.log, ElementsAre("bought(axe) reply ok"));
  EXPECT_EQ(here.wheel.size(), 0u);
}

TEST_F(FlowsTest, ATimeoutComesOnceAndALaterAnswerIsRefused) {
  const FlowId id = *here.flows.wait("bought", {}, 10s);
  here.wheel.advance(9'999ms);
  EXPECT_THAT(here.log, IsEmpty());
  here.wheel.advance(10s);
  EXPECT_FALSE(here.flows.resume(id, FlowOutcome::reply, {}));
  here.wheel.advance(1h);
  EXPECT_THAT(here.log, ElementsAre("bought() timeout"));
}

TEST_F(FlowsTest, TheAnswerFindsTheEntityWhereItIs) {
  here.flows.cancel(*here.flows.wait("gone", {}, 1s));
  const FlowId id = *here.flows.wait("bought", as_bytes("axe"), 10s);
  ASSERT_TRUE(there.flows.import_all(here.exported(0s), 2s));
  EXPECT_TRUE(there.flows.resume(id, FlowOutcome::failure, as_bytes("poor")));
  EXPECT_FALSE(there.flows.resume(id, FlowOutcome::reply, {}));
  EXPECT_THAT(there.log, ElementsAre("bought(axe) failure poor"));
  EXPECT_GT(there.flows.wait("next", {}, 1s)->number, id.number);
}

TEST_F(FlowsTest, ADeadlineThatPassesOnTheWayEndsTheFlowOnArrivalOnce) {
  *here.flows.wait("a", {}, 10s);
  *here.flows.wait("b", {}, 20s);
  ASSERT_TRUE(there.flows.import_all(here.exported(0s), 15s));
  there.wheel.advance(there.wheel.now());
  EXPECT_THAT(there.log, ElementsAre("a() timeout"));
  there.wheel.advance(7h + 5s);
  EXPECT_THAT(there.log, ElementsAre("a() timeout", "b() timeout"));
}

TEST_F(FlowsTest, ClosuresAreLostInAMoveAndTheirAnswersRefused) {
  std::vector<std::string> log;
  const auto note = [&](FlowOutcome outcome, bus::ByteView result) {
    log.push_back(Entity::text(outcome, result));
  };
  const FlowId a = *here.flows.wait_here(10s, note);
  const FlowId b = *here.flows.wait_here(10s, note);
  EXPECT_TRUE(here.flows.resume(a, FlowOutcome::reply, as_bytes("x")));
  ASSERT_TRUE(there.flows.import_all(here.exported(0s), 0s));
  EXPECT_EQ(there.flows.size(), 0u);
  EXPECT_FALSE(there.flows.resume(b, FlowOutcome::reply, {}));
  const FlowId c = *there.flows.wait_here(10s, note);
  EXPECT_NE(c.number, b.number) << "a new closure never gets the old answer";
  EXPECT_FALSE(there.flows.resume(b, FlowOutcome::reply, {}));
  EXPECT_THAT(log, ElementsAre("reply x"));
}

// The target has asked under its epoch; then the source goes on from what it froze.
TEST_F(FlowsTest, ARolledBackEntityTakesNoAnswerOfItsOtherLife) {
  const FlowId known = *here.flows.wait("known", {}, 10s);
  ASSERT_TRUE(there.flows.import_all(here.exported(0s), 0s));
  const FlowId of_there = *there.flows.wait("asked there", {}, 10s);
  here.flows.set_epoch(3);
  const FlowId of_here = *here.flows.wait("asked here", {}, 10s);
  EXPECT_EQ(of_there.number, of_here.number);
  EXPECT_FALSE(here.flows.resume(of_there, FlowOutcome::reply, {}));
  EXPECT_TRUE(here.flows.resume(of_here, FlowOutcome::reply, {}));
  EXPECT_TRUE(here.flows.resume(known, FlowOutcome::reply, {}));
}

TEST_F(FlowsTest, HandlersMayWaitAndResumeAndCancel) {
  const FlowId other = *here.flows.wait("other", {}, 10s);
  const FlowId first = *here.flows.wait("first", as_bytes("args"), 10s);
  here.handler = [&](const FlowResume& resume) {
    if (resume.name != "first") return;
    EXPECT_FALSE(here.flows.resume(resume.id, FlowOutcome::reply, {}));
    EXPECT_TRUE(here.flows.cancel(other));
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(here.flows.wait("more", {}, 1h));
    EXPECT_EQ(as_text(resume.args), "args");
  };
  EXPECT_TRUE(here.flows.resume(first, FlowOutcome::reply, {}));
  EXPECT_FALSE(here.flows.resume(other, FlowOutcome::reply, {}));
  EXPECT_EQ(here.flows.size(), 50u);
}

TEST_F(FlowsTest, NothingIsCalledAfterTheEnd) {
  TimerWheel wheel;
  {
    Flows flows(wheel, 1, [](const FlowResume&) { FAIL(); });
    EXPECT_TRUE(flows.wait("a", {}, 1s));
    EXPECT_TRUE(flows.wait_here(1s, [](FlowOutcome, bus::ByteView) { FAIL(); }));
  }
  wheel.advance(1h);
}

TEST_F(FlowsTest, HaveLimits) {
  Flows& flows = here.flows;
  EXPECT_EQ(flows.wait("", {}, 1s).error(), FlowErrc::bad_name);
  EXPECT_EQ(flows.wait(std::string(65, 'n'), {}, 1s).error(), FlowErrc::bad_name);
  EXPECT_EQ(flows.wait("a", Bytes(4097), 1s).error(), FlowErrc::too_large);
  EXPECT_EQ(flows.wait("a", {}, 0s).error(), FlowErrc::bad_deadline);
  EXPECT_EQ(flows.wait("a", {}, 24h + 1ns).error(), FlowErrc::bad_deadline);
  EXPECT_EQ(flows.wait_here(-1s, nullptr).error(), FlowErrc::bad_deadline);
  for (std::uint64_t i = 0; i < kMaxFlows; ++i) {
    ASSERT_TRUE(flows.wait(std::string(64, 'n'), Bytes(4096), 24h));
  }
  EXPECT_EQ(flows.wait("a", {}, 1s).error(), FlowErrc::too_many_flows);
  ASSERT_TRUE(there.flows.import_all(here.exported(0s), 0s));
  EXPECT_EQ(there.flows.size(), kMaxFlows);
  EXPECT_EQ(there.flows.import_all(here.exported(0s), 0s).error(), FlowErrc::not_empty);
}

TEST_F(FlowsTest, TakeAllOrNothing) {
  *here.flows.wait("a", as_bytes("1"), 1s);
  *here.flows.wait("b", as_bytes("2"), 2s);
  Bytes bytes = here.exported(5s);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(there.flows.import_all(std::span(bytes).first(size), 5s).error(),
              FlowErrc::bad_bytes);
  }
  EXPECT_EQ(there.flows.import_all(bytes, -24h).error(), FlowErrc::bad_bytes) << "too far";
  EXPECT_EQ(there.flows.import_all(bytes, 24h * 3651).error(), FlowErrc::bad_bytes) << "too old";
  bytes.push_back(std::byte{0});
  EXPECT_EQ(there.flows.import_all(bytes, 5s).error(), FlowErrc::bad_bytes);
  EXPECT_EQ(there.wheel.size(), 0u);
}

RC_GTEST_PROP(FlowsProperty, GoThereAndBack, (const std::vector<std::uint32_t>& numbers)) {
  Entity entity(0s, 1);
  Entity copy(9h, 2);
  for (const std::uint32_t number : numbers) {
    entity.flows.set_epoch(number % 3);
    const auto id = entity.flows.wait(std::string(1 + number % 64, 'n'),
                                      Bytes(number % 100, std::byte{7}), (1 + number) * 1ms);
    if (id && number % 7 == 0) entity.flows.cancel(*id);
  }
  const Bytes bytes = entity.exported(99h);
  RC_ASSERT(copy.flows.import_all(bytes, 99h).has_value());
  RC_ASSERT(copy.exported(99h) == bytes);
}

}  // namespace
}  // namespace starbus::entity
