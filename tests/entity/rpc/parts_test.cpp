/// The parts of an endpoint that need no bus: places, calls that wait, and times.
#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>

#include "entity/rpc/endpoint/endpoint_core.hpp"
#include "entity/rpc/endpoint/loop_clock.hpp"
#include "tests/entity/rpc/world.hpp"

namespace starbus::entity::rpc {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using world::Chat;
using Seats = TypedCall<int, NoError>;

struct Parts {
  boost::asio::io_context loop;
  std::vector<std::string> ended;
  BindingTable bindings{[this](Slot& slot) {
    ended.push_back(slot.name ? *slot.name : "");
    bindings.release(slot);
  }};
  WorkMeter meter{bindings, Dictionary::of_process().methods().size()};
  PendingCalls calls{loop, meter};

  boost::intrusive_ptr<Seats> begin(std::chrono::milliseconds deadline,
                                    CallableBase* owner = nullptr) {
    return new Seats(calls, info_of<&Chat::join>(), owner, deadline);
  }
};

class BindingTableTest : public ::testing::Test, protected Parts {};

TEST_F(BindingTableTest, FindsAnObjectByNameIdAndItself) {
  Chat chat;
  const SlotRef ref = bindings.take(chat);
  EXPECT_EQ(bindings.find("service/chat"), nullptr) << "no name yet";
  EXPECT_EQ(bindings.channel_of(chat), "");
  bindings.name(*bindings.find(ref), "service/chat");
  EXPECT_EQ(bindings.find("service/chat"), bindings.find(ref));
  const bus::Name name = bus::Name::of("service/chat").value();
  EXPECT_EQ(bindings.find(name), bindings.find(ref));
  EXPECT_EQ(bindings.slot_of(chat), ref);
  EXPECT_EQ(bindings.channel_of(chat), "service/chat");
  EXPECT_EQ(bindings.bound_at("service/chat"), &chat);
  EXPECT_EQ(bindings.loads().at(&chat.rpc_class()).objects, 1U);
}

TEST_F(BindingTableTest, AReleasedPlaceNeverMeansAnotherObject) {
  Chat first, second;
  const SlotRef old = bindings.take(first);
  bindings.name(*bindings.find(old), "service/chat");
  bindings.release(*bindings.find(old));
  EXPECT_EQ(bindings.find("service/chat"), nullptr);
  const SlotRef now = bindings.take(second);
  EXPECT_EQ(now.index, old.index) << "the place is used again";
  EXPECT_EQ(bindings.find(old), nullptr);
  EXPECT_EQ(bindings.slot_of(first), kNowhere);
}

TEST_F(BindingTableTest, AnEndingObjectTellsEachOfItsPlaces) {
  {
    Chat chat;
    for (const char* name : {"entity/1", "entity/2"}) {
      bindings.name(*bindings.find(bindings.take(chat)), name);
    }
    EXPECT_EQ(bindings.named_slots_of(chat).size(), 2U);
  }
  EXPECT_THAT(ended, ElementsAre("entity/2", "entity/1"));
  EXPECT_EQ(bindings.find("entity/1"), nullptr);
}

TEST_F(BindingTableTest, ChargesTheObjectAndItsClass) {
  Chat chat;
  const SlotRef ref = bindings.take(chat);
  bindings.charge(ref, 100);
  bindings.charge(ref, 20);
  EXPECT_EQ(bindings.find(ref)->ticks, 120U);
  EXPECT_EQ(bindings.loads().at(&chat.rpc_class()).ticks, 120U);
  EXPECT_EQ(bindings.loads().at(&chat.rpc_class()).turns, 2U);
  bindings.charge(kNowhere, 5);  // ignored
}

class PendingCallsTest : public ::testing::Test, protected Parts {};

TEST_F(PendingCallsTest, AnAnsweredCallIsNotOpenAnyMore) {
  const auto call = begin(5s);
  EXPECT_EQ(calls.size(), 1U);
  call->arm_deadline();
  call->answer(Reply<int>(3));
  EXPECT_EQ(calls.size(), 0U);
  EXPECT_EQ(call->take().value(), 3);
  EXPECT_EQ(loop.run_for(1s), 0U) << "its deadline does not count any more";
}

TEST_F(PendingCallsTest, TheEarliestDeadlineComesFirst) {
  const auto late = begin(60s);
  const auto early = begin(1ms);
  late->arm_deadline();
  early->arm_deadline();
  while (!early->ended() && loop.run_one_for(5s) != 0) {
  }
  EXPECT_EQ(early->take().error(), Errc::deadline);
  EXPECT_FALSE(late->ended());
}

TEST_F(PendingCallsTest, TheEndOfTheOwnerEndsItsCalls) {
  auto chat = std::make_unique<Chat>();
  const auto call = begin(60s, chat.get());
  const auto other = begin(60s);
  chat.reset();
  EXPECT_EQ(call->take().error(), Errc::canceled);
  EXPECT_FALSE(other->ended());
}

TEST_F(PendingCallsTest, CloseEndsAllCalls) {
  const auto call = begin(60s);
  {
    const auto dropped = begin(60s);  // its last holder lets go of it
    EXPECT_EQ(calls.size(), 2U);
  }
  EXPECT_EQ(calls.size(), 1U);
  calls.close();
  EXPECT_EQ(call->take().error(), Errc::closed);
  EXPECT_EQ(calls.size(), 0U);
}

class WorkMeterTest : public ::testing::Test, protected Parts {
 protected:
  const MethodInfo& join = info_of<&Chat::join>();
  const MethodInfo& said = info_of<&Chat::said>();
};

TEST_F(WorkMeterTest, ShowsTheInnermostWork) {
  EXPECT_EQ(meter.running(), "");
  {
    const WorkFrame outer(meter, CurrentWork::method(join), meter.of(join));
    EXPECT_EQ(meter.running(), "chat.join");
    {
      const WorkFrame inner(meter, CurrentWork::answer(said), meter.of(said).answers);
      EXPECT_EQ(meter.running(), "answer of chat.said");
    }
    EXPECT_EQ(meter.running(), "chat.join");
  }
  EXPECT_EQ(meter.running(), "");
}

TEST_F(WorkMeterTest, CountsNoTimeTwice) {
  const std::uint64_t begun = ticks();
  WorkFrame outer(meter, CurrentWork::method(join), meter.of(join));
  WorkFrame inner(meter, CurrentWork::method(said), meter.of(said));
  const WorkFrame::Ended first = inner.end();
  const WorkFrame::Ended second = outer.end();
  EXPECT_EQ(meter.of(said).ticks, first.passed);
  EXPECT_EQ(meter.of(join).ticks, second.passed);
  EXPECT_EQ(meter.measured(), first.passed + second.passed);
  EXPECT_LE(meter.measured(), second.at - begun);
}

TEST_F(WorkMeterTest, AFrameOutlivesItsMeter) {
  auto brief = std::make_unique<WorkMeter>(bindings, Dictionary::of_process().methods().size());
  WorkFrame frame(*brief, CurrentWork::method(join), brief->of(join));
  brief.reset();
  EXPECT_EQ(frame.end().at, 0U);
}

TEST_F(WorkMeterTest, UnmeasuredFramesHaveNoTime) {
  meter.measure(false);
  WorkFrame frame(meter, CurrentWork::method(join), meter.of(join));
  EXPECT_EQ(meter.running(), "chat.join");
  EXPECT_EQ(frame.end().at, 0U);
  EXPECT_EQ(meter.measured(), 0U);
}

TEST(EndpointCounters, CountsEveryErrorOfTheCatalogue) {
  EndpointCounters counters;
  EXPECT_EQ(kErrors.errors.size() + 1, kErrorCount) << "ok is number 0";
  for (const ErrorInfo& row : kErrors.errors) counters.count(static_cast<Errc>(row.number));
  for (const ErrorInfo& row : kErrors.errors) {
    EXPECT_EQ(counters.errors[row.number], 1U) << row.name;
  }
}

TEST(LoopTimer, CallsAtTheLatestTimeThatWasSet) {
  boost::asio::io_context loop;
  int called = 0;
  LoopTimer timer(loop, [&] { ++called; });
  timer.set(std::chrono::steady_clock::now() + 60s);
  timer.set(std::chrono::steady_clock::now());
  loop.run_for(5s);
  EXPECT_EQ(called, 1);
}

TEST(LoopTimer, ALaterTimeIsNotCalledEarly) {
  boost::asio::io_context loop;
  std::vector<std::chrono::steady_clock::time_point> calls;
  LoopTimer timer(loop, [&] { calls.push_back(loop_now()); });
  const auto begin = loop_now();
  timer.set(begin + 5ms);
  timer.set(begin + 20ms);  // the wait for the first one ends before
  timer.set(begin + 30ms);
  loop.run_for(5s);
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_GE(calls[0], begin + 30ms);
  timer.set(loop_now() + 5ms);
  loop.restart();
  loop.run_for(5s);
  EXPECT_EQ(calls.size(), 2U);
}

TEST(LoopTimer, MayEndInItsCallback) {
  boost::asio::io_context loop;
  bool called = false;
  std::unique_ptr<LoopTimer> timer;
  timer = std::make_unique<LoopTimer>(loop, [&] {
    called = true;
    timer.reset();
  });
  timer->set(std::chrono::steady_clock::now());
  loop.run_for(5s);
  EXPECT_TRUE(called);
}

}  // namespace
}  // namespace starbus::entity::rpc
