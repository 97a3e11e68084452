/// A process' names, watches and messages over sessions that come and go.
#include "bus/core/ends/process_core.hpp"

#include <gmock/gmock.h>

#include "tests/bus/core/ends/process_core_harness.hpp"

namespace starbus::bus {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class ProcessCoreTest : public testing::Test {
 protected:
  BindingId bind(const std::string& name) {
    const auto id = busd.core.bind(name);
    EXPECT_TRUE(id) << id.error().to_string();
    (void)busd.exchange();
    return id ? *id : 0;
  }
  BindingId bound(const std::string& name, std::uint64_t n) {
    const BindingId id = bind(name);
    EXPECT_TRUE(busd.grant(name, id, n));
    EXPECT_TRUE(busd.confirm(name, n));
    return id;
  }
  Result<> deliver(const std::string& name, std::uint64_t n, std::string_view body,
                   std::uint64_t seq = 1) {
    Bytes items;
    Writer writer(items);
    writer.put(static_cast<std::uint32_t>(body.size()));
    writer.put(std::uint32_t{0});
    writer.bytes(as_bytes(body));
    Bytes record;
    encode_run({Lane::call, 1, {5, 5, 5}, channel_id(name), Epoch::of(1, n), 0, seq, items},
               record);
    return busd.say_bytes(record);
  }
  ScriptedBusd busd;
};

TEST_F(ProcessCoreTest, BeginsASessionWithHelloAndItsCompleteTable) {
  busd.greet();
  bound("entity/1", 2);
  const BindingId waiting = bind("entity/2");
  busd.connect();
  ASSERT_GE(busd.heard.size(), 3u);
  EXPECT_EQ(read_record<Hello>(busd.heard[0]).name, "node-1");
  const Table table = read_record<Table>(busd.heard[1]);
  std::vector<std::string> names;
  for (const Row& row : table.rows) names.push_back(row.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("process/hostA.node-1", "entity/1"));
  EXPECT_EQ(busd.heard[2].kind, Kind::table_end);
  EXPECT_THAT(busd.heard, SizeIs(3)) << "nothing else before the welcome";
  busd.welcome();
  const auto binds = busd.said<Bind>();
  ASSERT_THAT(binds, SizeIs(1)) << "what is unanswered is asked again";
  EXPECT_EQ(binds[0].number, waiting);
  EXPECT_THAT(busd.events, Contains("welcome again"));
}

TEST_F(ProcessCoreTest, CutsALargeTableAndStillSaysItFirst) {
  ScriptedBusd large;
  large.connect();
  large.welcome({""}, {""}, 1'000);
  for (std::uint64_t i = 0; i < 600; ++i) {
    const std::string name = "entity/" + std::string(200, 'x') + std::to_string(i);
    const auto id = large.core.bind(name);
    ASSERT_TRUE(id);
    ASSERT_TRUE(large.grant(name, *id, i + 2));
  }
  large.connect();
  std::size_t rows = 0;
  for (const Table& table : large.said<Table>()) rows += table.rows.size();
  EXPECT_EQ(rows, 600u);
  EXPECT_EQ(large.heard.back().kind, Kind::table_end);
}

TEST_F(ProcessCoreTest, BindsItsOwnChannelFirst) {
  busd.connect();
  busd.welcome();
  EXPECT_THAT(busd.events, ElementsAre("welcome"));
  const auto binds = busd.said<Bind>();
  ASSERT_THAT(binds, SizeIs(1));
  EXPECT_EQ(binds[0].name, "process/hostA.node-1");
  EXPECT_FALSE(busd.core.reply_lineage());
  (void)busd.grant(binds[0].name, binds[0].number, 1);
  EXPECT_EQ(busd.core.reply_lineage(), Epoch::of(1, 1));
}

TEST_F(ProcessCoreTest, AGrantIsConfirmedUntilItIsAnswered) {
  busd.greet();
  const BindingId id = bind("entity/1");
  EXPECT_THAT(busd.said<Bind>(), SizeIs(1));
  busd.pass(kRequestRetry + 100ms);
  EXPECT_THAT(busd.said<Bind>(), SizeIs(2)) << "repeated until answered";
  busd.heard.clear();
  (void)busd.grant("entity/1", id, 2);
  EXPECT_THAT(busd.events, ElementsAre("bound " + std::to_string(id) + " at 1.2"));
  EXPECT_THAT(busd.said<Active>(), SizeIs(1));
  (void)busd.grant("entity/1", id, 2);  // a repeated answer
  EXPECT_THAT(busd.said<Active>(), SizeIs(2));
  EXPECT_THAT(busd.events, SizeIs(1));
  busd.pass(kRequestRetry + 100ms);
  EXPECT_THAT(busd.said<Active>(), SizeIs(3));
  (void)busd.confirm("entity/1", 2);
  busd.heard.clear();
  busd.pass(2 * kRequestRetry);
  EXPECT_EQ(busd.count(Kind::active) + busd.count(Kind::bind), 0u);
}

TEST_F(ProcessCoreTest, ARefusalEndsTheBinding) {
  busd.greet();
  const BindingId id = bind("entity/1");
  (void)busd.say(Refused{busd.kSelf, Ticket::of_bind(busd.kSelf, id), "entity/1",
                         Errc::already_bound, "hostB.x"});
  EXPECT_THAT(busd.events,
              ElementsAre("refused " + std::to_string(id) + " already_bound: hostB.x"));
  EXPECT_TRUE(busd.core.bound_name(channel_id("entity/1")).empty());
  bind("entity/1");  // may try again
}

TEST_F(ProcessCoreTest, BindChecksWhatItCanKnow) {
  busd.connect();
  busd.welcome({"entity/"}, {""}, 2);
  EXPECT_EQ(busd.core.bind("entity").error(), Errc::bad_name);
  EXPECT_EQ(busd.core.bind("service/1").error(), Errc::denied);
  bind("entity/1");
  EXPECT_EQ(busd.core.bind("entity/1").error(), Errc::already_bound);
  bind("entity/2");
  EXPECT_EQ(busd.core.bind("entity/3").error(), Errc::too_many_names);
  EXPECT_EQ(busd.core.unbind(channel_id("entity/3")).error(), Errc::not_bound);
}

TEST_F(ProcessCoreTest, UnbindStopsAtOnceAndIsRepeated) {
  busd.greet();
  const BindingId id = bound("entity/1", 2);
  ASSERT_TRUE(busd.core.unbind(channel_id("entity/1")));
  EXPECT_EQ(busd.core.unbind(channel_id("entity/1")).error(), Errc::not_bound);
  busd.events.clear();
  (void)deliver("entity/1", 2, "late");
  EXPECT_THAT(busd.events, IsEmpty());
  busd.pass(kRequestRetry + 100ms);
  EXPECT_THAT(busd.said<Unbind>(), SizeIs(2));
  busd.connect();
  // Until it is answered the name is not free: a frozen copy of it would come back.
  bool listed = false;
  for (const Table& table : busd.said<Table>()) {
    for (const Row& row : table.rows) {
      listed = listed || (row.name == "entity/1" && row.state == RowState::active);
    }
  }
  EXPECT_TRUE(listed);
  busd.welcome();
  EXPECT_THAT(busd.said<Unbind>(), SizeIs(1));
  (void)busd.say(Unbound{busd.kSelf, channel_id("entity/1"), Epoch::of(1, 2)});
  EXPECT_THAT(busd.events, Contains("unbound " + std::to_string(id)));
}

TEST_F(ProcessCoreTest, UnbindBeforeTheGrantGivesTheGrantBack) {
  busd.greet();
  const BindingId id = bind("entity/1");
  ASSERT_TRUE(busd.core.unbind(channel_id("entity/1")));
  (void)busd.grant("entity/1", id, 2);
  EXPECT_THAT(busd.events, IsEmpty());
  EXPECT_THAT(busd.said<Unbind>(), SizeIs(1));
  EXPECT_FALSE(busd.core.owner().active(channel_id("entity/1")));
  (void)busd.say(Unbound{busd.kSelf, channel_id("entity/1"), Epoch::of(1, 2)});
  EXPECT_THAT(busd.events, ElementsAre("unbound " + std::to_string(id)));
}

TEST_F(ProcessCoreTest, AnUnwantedGrantIsFreedUntilThatIsAnswered) {  // M14
  busd.greet();
  (void)busd.grant("entity/9", 77, 5);
  auto freed = busd.said<Freed>();
  ASSERT_THAT(freed, SizeIs(1));
  EXPECT_EQ(freed[0].ticket.number, 77u);
  busd.pass(2 * kRequestRetry + 100ms);
  EXPECT_THAT(busd.said<Freed>(), SizeIs(3));
  (void)busd.say(FreedOk{busd.kSelf, channel_id("entity/9"),
                         Ticket::of_bind(busd.kSelf, 76)});  // of another attempt
  busd.connect();
  busd.welcome();
  busd.pass(100);
  EXPECT_THAT(busd.said<Freed>(), SizeIs(1));
  (void)busd.say(FreedOk{busd.kSelf, channel_id("entity/9"), Ticket::of_bind(busd.kSelf, 77)});
  busd.heard.clear();
  busd.pass(2 * kRequestRetry);
  EXPECT_EQ(busd.count(Kind::freed), 0u);
}

TEST_F(ProcessCoreTest, AWatchSurvivesAReconnectAndShowsTheDifference) {
  const auto row = [](const std::string& name) {
    return WatchRow{true, name, {1, 1, 1}, "h.n", Epoch::of(1, 3), Epoch::of(1, 3)};
  };
  busd.greet();
  ASSERT_TRUE(busd.core.watch("entity/"));
  (void)busd.exchange();
  EXPECT_EQ(busd.said<Watch>().at(0).prefix, "entity/");
  (void)busd.say(WatchRows{"entity/", true, true, {row("entity/1"), row("entity/2")}});
  EXPECT_THAT(busd.watched, SizeIs(2));
  busd.connect();
  busd.welcome();
  EXPECT_THAT(busd.said<Watch>(), SizeIs(1));
  (void)busd.say(WatchRows{"entity/", true, true, {row("entity/2"), row("entity/3")}});
  ASSERT_THAT(busd.watched, SizeIs(2));
  EXPECT_EQ(busd.watched[0].name, "entity/1");
  EXPECT_FALSE(busd.watched[0].present);
  EXPECT_EQ(busd.watched[1].name, "entity/3");
  busd.core.unwatch("entity/");
  (void)busd.exchange();
  EXPECT_EQ(busd.count(Kind::unwatch), 1u);
}

TEST_F(ProcessCoreTest, WatchesAreBounded) {
  busd.greet();
  for (std::uint64_t i = 0; i < kMaxWatches; ++i) {
    ASSERT_TRUE(busd.core.watch("entity/" + std::to_string(i)));
  }
  EXPECT_EQ(busd.core.watch("one/more").error(), Errc::too_many_watches);
  EXPECT_TRUE(busd.core.watch("entity/0")) << "known already";
  EXPECT_EQ(busd.core.watch("a\n").error(), Errc::bad_name);
  (void)busd.say(WatchRefused{"entity/1", Errc::watch_too_large, ""});
  EXPECT_THAT(busd.events, Contains("watch refused entity/1 watch_too_large"));
  EXPECT_TRUE(busd.core.watch("one/more"));
}

TEST_F(ProcessCoreTest, SendsOnlyAfterTheWelcome) {
  EXPECT_EQ(busd.core.may_send("entity/1").error(), Errc::unreachable);
  busd.greet();
  EXPECT_TRUE(busd.core.may_send("entity/1"));
  ASSERT_TRUE(busd.core.origin().send({channel_id("entity/1"), {}, {}}, Lane::call, {},
                                      as_bytes("x"), 1, {}));
  busd.connect();
  EXPECT_EQ(busd.count(Kind::probe), 0u);
  busd.welcome();
  EXPECT_EQ(busd.count(Kind::probe), 1u);
}

TEST_F(ProcessCoreTest, ARestrictedRoleSaysOpenOncePerStreamAndSession) {
  busd.connect();
  busd.welcome({""}, {"entity/"});
  EXPECT_TRUE(busd.core.restricted());
  EXPECT_EQ(busd.core.may_send("service/x").error(), Errc::denied);
  EXPECT_TRUE(busd.core.may_send("process/hostB.x")) << "replies go everywhere";
  const Destination to{channel_id("entity/1"), Epoch::of(1, 1), "entity/1"};
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(busd.core.origin().send(to, Lane::call, {}, as_bytes("x"), 0, {}));
    (void)busd.exchange();
  }
  EXPECT_EQ(busd.count(Kind::open), 1u);
  busd.connect();
  busd.welcome({""}, {"entity/"});
  EXPECT_EQ(busd.count(Kind::open), 1u);
  EXPECT_EQ(busd.count(Kind::data), 1u);
}

TEST_F(ProcessCoreTest, AReplyMeantForAnotherOriginIsIgnored) {
  busd.greet();
  ASSERT_TRUE(busd.core.origin().send({channel_id("entity/1"), Epoch::of(1, 1), {}}, Lane::call, {},
                                      as_bytes("x"), 1, {}));
  (void)busd.exchange();
  Process stranger = busd.kSelf;
  ++stranger.incarnation;
  (void)busd.say(Ack{Lane::call, stranger, channel_id("entity/1"), Epoch::of(1, 1), 1});
  EXPECT_THAT(busd.events, IsEmpty());
  (void)busd.say(Ack{Lane::call, busd.kSelf, channel_id("entity/1"), Epoch::of(1, 1), 1});
  EXPECT_THAT(busd.events, ElementsAre("acknowledged 1"));
}

TEST_F(ProcessCoreTest, DeliversAndAcknowledgesWithTheNextBundle) {
  busd.greet();
  bound("entity/1", 2);
  busd.events.clear();
  (void)deliver("entity/1", 2, "hello");
  EXPECT_THAT(busd.events, ElementsAre("delivered hello"));
  ASSERT_THAT(busd.said<Ack>(), SizeIs(1));
  EXPECT_EQ(busd.said<Ack>()[0].last, 1u);
}

TEST_F(ProcessCoreTest, LeavingAcknowledgesWhatWasHandledFirst) {
  busd.greet();
  bound("entity/1", 2);
  ASSERT_TRUE(busd.core.origin().send({channel_id("entity/9"), Epoch::of(1, 1), {}}, Lane::call, {},
                                      as_bytes("x"), 7, {}));
  (void)busd.exchange();
  busd.heard.clear();
  busd.when_delivered = [&](const Delivery&) { busd.core.leave(); };
  (void)deliver("entity/1", 2, "last words");
  (void)deliver("entity/1", 2, "too late", 2);
  std::vector<Kind> order;
  for (const WireRecord& record : busd.heard) order.push_back(record.kind);
  EXPECT_THAT(order, ElementsAre(Kind::ack, Kind::bye));
  EXPECT_THAT(busd.events, Contains("failed 7 owner_lost"));
  EXPECT_THAT(busd.events, Not(Contains("delivered too late")));
}

TEST_F(ProcessCoreTest, EndsTheSessionOnWhatABusdNeverSays) {
  busd.connect();
  EXPECT_EQ(busd.say(Ack{}).error(), Errc::bad_bytes) << "before the welcome";
  busd.greet();
  EXPECT_EQ(busd.say(Welcome{}).error(), Errc::bad_bytes) << "twice";
  busd.greet();
  EXPECT_EQ(busd.say(Bind{}).error(), Errc::bad_bytes);
  busd.greet();
  EXPECT_EQ(busd.say(Reset{Errc::superseded, "newer"}).error(), Errc::superseded);
}

TEST_F(ProcessCoreTest, RefusesTheWelcomeOfSomebodyElse) {
  busd.greet();
  busd.connect();
  Welcome stranger;
  stranger.you = busd.kSelf;
  stranger.you.slot += 1;
  EXPECT_EQ(busd.say(stranger).error(), Errc::bad_bytes);
}

TEST_F(ProcessCoreTest, ASessionWhoseControlRecordsPileUpBeginsAnew) {
  busd.greet();
  // Nobody pumps: the watches are said and stay.
  const std::string prefix(kMaxName, 'p');
  ASSERT_TRUE(busd.core.watch(prefix));
  for (std::uint64_t i = 0; i < kControlQueue / (2 * kMaxName); ++i) {
    busd.core.unwatch(prefix);
    ASSERT_TRUE(busd.core.watch(prefix));
  }
  EXPECT_TRUE(busd.core.has_session());
  busd.core.tick(busd.now);
  EXPECT_FALSE(busd.core.has_session());
  busd.connect();
  busd.welcome();
  EXPECT_THAT(busd.said<Watch>(), SizeIs(1));
}

TEST_F(ProcessCoreTest, ARoleThatBecomesRestrictedOpensWhatItMayAndFailsTheRest) {
  busd.greet();
  Token token = 0;
  for (const char* name : {"entity/7", "gate/1"}) {
    ASSERT_TRUE(busd.core.origin().send({channel_id(name), Epoch::of(1, 9), {}}, Lane::call, {},
                                        as_bytes("m"), ++token, {}));
  }
  (void)busd.exchange();
  busd.names = {"entity/7", "gate/1"};
  busd.connect();
  busd.welcome({""}, {"entity/"});
  EXPECT_THAT(busd.events, testing::Contains("failed 2 denied"));
  (void)busd.exchange();
  const auto opens = busd.said<Open>();
  ASSERT_THAT(opens, SizeIs(1));
  EXPECT_EQ(opens[0].channel_name, "entity/7");
}

}  // namespace
}  // namespace starbus::bus
