/// Traces: out as a message goes, back as an acknowledgement does, and nothing of it in sessions of
/// protocol 1.0.
#include <gtest/gtest.h>

#include "tests/bus/core/ends/process_core_harness.hpp"
#include "tests/bus/core/routers/host_fixture.hpp"
#include "tests/bus/core/routers/root_fixture.hpp"

namespace starbus::bus::test {
namespace {

std::string places(const HopTrace& trace) {
  std::string text;
  for (const TraceHop& hop : trace.hops) text += (text.empty() ? "" : " ") + hop.where;
  return text;
}

// --- busd ----------------------------------------------------------------------------------------

class HostTrace : public HostRouterTest {
 protected:
  explicit HostTrace(HostConfig with = config()) : HostRouterTest(std::move(with)) {}

  Peer& root_of(std::uint8_t minor) {
    Peer& peer = silent_root();
    harness.run();
    Welcome welcome;
    welcome.minor = minor;
    welcome.host = "root-1";
    welcome.term = Epoch::of(1, 0);
    peer.say(welcome);
    harness.run();
    return peer;
  }
  void ask(const std::string& name) {
    router.trace(channel_id(name), Lane::sync,
                 [this](Result<HopTrace> end) { ends.push_back(std::move(end)); });
    harness.run();
  }
  HopTrace from_elsewhere(const std::string& name) const {
    HopTrace trace;
    trace.host = host_id("b");
    trace.number = 5;
    trace.channel = channel_id(name);
    trace.hops = {{"b", 1, 0}, {"root-1", 2, 0}};
    return trace;
  }
  std::vector<Result<HopTrace>> ends;
};

TEST_F(HostTrace, GoesToAProcessOfThisHostAndBack) {
  Peer& one = join("one", {.rows = {row("x/1")}});
  ask("x/1");
  auto traces = one.take<HopTrace>();
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_EQ(places(traces[0]), "a");
  traces[0].end = TraceEnd::owner;
  traces[0].hops.push_back({"a.one", 7, 0});
  one.say(traces[0]);
  harness.run();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(places(*ends[0]), "a a.one a");
  EXPECT_EQ(ends[0]->end, TraceEnd::owner);
}

TEST_F(HostTrace, GoesUpForWhatIsNotHere) {
  Peer& busroot = root_of(1);
  ask("x/9");
  auto traces = busroot.take<HopTrace>();
  ASSERT_EQ(traces.size(), 1u);
  traces[0].end = TraceEnd::no_owner;
  busroot.say(traces[0]);
  harness.run();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0]->end, TraceEnd::no_owner);
}

// The owner of a name invents the end of a trace of another name, whose number it has guessed.
TEST_F(HostTrace, AnEndIsBelievedForTheNameThatWasAskedForOnly) {
  Peer& busroot = root_of(1);
  Peer& liar = join("liar", {.rows = {row("liar/1")}});
  ask("x/9");
  const auto traces = busroot.take<HopTrace>();
  ASSERT_EQ(traces.size(), 1u);
  HopTrace invented = traces[0];
  invented.channel = channel_id("liar/1");
  invented.end = TraceEnd::owner;
  liar.say(invented);
  busroot.say(invented);  // of an owner on another host
  harness.run();
  EXPECT_TRUE(ends.empty());
  HopTrace true_end = traces[0];
  true_end.end = TraceEnd::no_owner;
  busroot.say(true_end);
  harness.run();
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0]->end, TraceEnd::no_owner);
}

TEST_F(HostTrace, AlwaysEnds) {
  ask("x/9");
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0]->end, TraceEnd::no_session);
  root_of(1);
  ask("x/9");  // and nobody answers
  EXPECT_EQ(ends.size(), 1u);
  harness.advance(3100);
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[1].error().code, Errc::deadline);
}

TEST_F(HostTrace, AreBounded) {
  root_of(1);
  for (std::size_t i = 0; i <= PendingRequests<HopTrace>::kMost; ++i) ask("x/9");
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].error().code, Errc::busy);
}

TEST_F(HostTrace, OfAnotherHostIsGivenToTheOwnerOrTurnedBack) {
  Peer& busroot = root_of(1);
  Peer& one = join("one", {.rows = {row("x/1")}});
  busroot.say(from_elsewhere("x/1"));
  harness.run();
  const auto traces = one.take<HopTrace>();
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_EQ(places(traces[0]), "b root-1 a");
  busroot.say(from_elsewhere("x/2"));
  harness.run();
  const auto back = busroot.take<HopTrace>();
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].end, TraceEnd::not_bound);
}

TEST_F(HostTrace, OfTooManyHopsGoesBack) {
  Peer& busroot = root_of(1);
  join("one", {.rows = {row("x/1")}});
  HopTrace longest = from_elsewhere("x/1");
  longest.hops.resize(kMaxTraceHops);
  busroot.say(longest);
  harness.run();
  const auto back = busroot.take<HopTrace>();
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].end, TraceEnd::too_long);
}

TEST_F(HostTrace, IsNotSaidToAnOlderBusroot) {
  Peer& busroot = root_of(0);
  ask("x/9");
  EXPECT_EQ(busroot.count(Kind::trace), 0u);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0]->end, TraceEnd::older_version);
}

TEST_F(HostTrace, AProcessThatMakesOneUpLosesItsSession) {
  Peer& one = join("one");
  HopTrace under_way;
  under_way.host = host_id("b");
  one.say(under_way);
  harness.run();
  EXPECT_EQ(reset_of(one), Errc::bad_bytes);
}

class OlderHost : public HostTrace {
 protected:
  static HostConfig older() {
    HostConfig older = config();
    older.minor = kVersionMinor - 1;
    return older;
  }
  OlderHost() : HostTrace(older()) {}
};

TEST_F(OlderHost, SpeaksTheOlderVersionBothWays) {
  Peer& busroot = root_of(kVersionMinor - 1);
  const auto hellos = busroot.take<Hello>();
  ASSERT_EQ(hellos.size(), 1u);
  EXPECT_EQ(hellos[0].minor, kVersionMinor - 1);
  Peer& one = join("one", {.rows = {row("x/1")}});
  EXPECT_EQ(one.take<Welcome>().at(0).minor, kVersionMinor - 1);
  one.say(UndeliveredReport{channel_id("x/9"), "x/9", Errc::no_owner, 1});
  harness.run();
  EXPECT_EQ(reset_of(one), Errc::bad_bytes) << "1.1 has no such record";
}

// --- busroot -------------------------------------------------------------------------------------

class RootTrace : public RootTest {
 protected:
  Peer& host(const std::string& name, std::uint8_t speaks = kVersionMinor,
             const std::vector<Row>& rows = {}) {
    Peer& peer = harness->connect(facts_at("10.0.0." + name + ":1"));
    Hello hello = hello_of(name);
    hello.minor = speaks;
    peer.say(hello);
    peer.say(up_of(name, "n1"));
    if (!rows.empty()) peer.say(Table{process_on(name, "n1"), rows});
    peer.say(TableEnd{});
    harness->run();
    return peer;
  }
  static HopTrace trace_of(const std::string& host, const std::string& name) {
    HopTrace trace;
    trace.host = host_id(host);
    trace.number = 3;
    trace.channel = channel_id(name);
    trace.hops = {{host, 1, 0}};
    return trace;
  }
  static Row row(const std::string& name, std::uint64_t n) {
    return {name, Epoch::of(1, n), Epoch::of(1, n), RowState::active, {}};
  }
};

TEST_F(RootTrace, GoesToTheOwnersHostAndBack) {
  restart(2);
  Peer& a = host("A");
  Peer& b = host("B", kVersionMinor, {row("x/1", 1)});
  a.say(trace_of("A", "x/1"));
  harness->run();
  auto traces = b.take<HopTrace>();
  ASSERT_EQ(traces.size(), 1u);
  EXPECT_EQ(places(traces[0]), "A root-1");
  traces[0].end = TraceEnd::owner;
  b.say(traces[0]);
  harness->run();
  const auto back = a.take<HopTrace>();
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(places(back[0]), "A root-1 root-1");
}

TEST_F(RootTrace, EndsWhereNobodyOwns) {
  Peer& a = host("A");
  a.say(trace_of("A", "x/1"));
  harness->run();
  const auto back = a.take<HopTrace>();
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].end, TraceEnd::no_owner);
}

TEST_F(RootTrace, EndsWhereMessagesAreHeld) {
  restart(2, {"A", "C"});
  Peer& a = host("A");
  a.say(trace_of("A", "x/1"));
  harness->run();
  const auto back = a.take<HopTrace>();
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].end, TraceEnd::held);
}

TEST_F(RootTrace, EndsBeforeAnOlderHost) {
  minor = kTraceMinor;
  restart(2);
  Peer& a = host("A", kTraceMinor);
  Peer& b = host("B", 0, {row("x/1", 1)});
  a.say(trace_of("A", "x/1"));
  harness->run();
  EXPECT_EQ(b.count(Kind::trace), 0u);
  const auto back = a.take<HopTrace>();
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].end, TraceEnd::older_version);
  b.say(trace_of("B", "x/1"));
  harness->run();
  EXPECT_EQ(reset_of(b), Errc::bad_bytes) << "1.0 has no such record";
}

TEST_F(RootTrace, OfAnotherHostEndsTheSession) {
  Peer& a = host("A");
  a.say(trace_of("B", "x/1"));
  harness->run();
  EXPECT_EQ(reset_of(a), Errc::bad_bytes);
}

// --- a process -----------------------------------------------------------------------------------

TEST(ProcessTrace, IsAnsweredByTheOwnerAndSeenByNoHandler) {
  ScriptedBusd busd;
  busd.minor = kTraceMinor;
  busd.greet();
  HopTrace trace;
  trace.channel = busd.kSelf.channel();
  ASSERT_TRUE(busd.say(trace));
  trace.channel = channel_id("x/1");
  ASSERT_TRUE(busd.say(trace));
  const auto answers = busd.said<HopTrace>();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].end, TraceEnd::owner);
  EXPECT_EQ(places(answers[0]), "hostA.node-1");
  EXPECT_EQ(answers[1].end, TraceEnd::not_bound);
  EXPECT_TRUE(busd.events.empty());
}

TEST(ProcessTrace, IsNoRecordOfTheOlderVersion) {
  ScriptedBusd busd;
  busd.minor = 0;
  busd.greet();
  const auto refused = busd.say(HopTrace{});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::bad_bytes);
}

}  // namespace
}  // namespace starbus::bus::test
