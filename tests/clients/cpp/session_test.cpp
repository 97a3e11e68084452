// The course of a connection, as docs/reference/client-protocol.md has it, frame by frame.
#include "clients/cpp/session.hpp"
#include "clients/cpp/inflate.hpp"

#include "tests/clients/cpp/scripted.hpp"

namespace starbus::game {
namespace {

using namespace scripted;

template <class T>
const T* only(const std::vector<wire::FromClient>& frames) {
  return frames.size() == 1 ? std::get_if<T>(&frames[0]) : nullptr;
}

TEST(GameSession, LogsInAndIsShownWhatComes) {
  World world;
  EXPECT_EQ(world.session.state(), State::ended);
  ASSERT_TRUE(world.session.login({"password", "anna", bytes("secret")}, world.now));
  EXPECT_EQ(world.session.state(), State::connecting);
  EXPECT_EQ(world.connect(), "a:1");
  EXPECT_EQ(world.session.state(), State::greeting);
  const auto hello = world.said();
  ASSERT_TRUE(only<wire::Hello>(hello));
  EXPECT_EQ(std::get<wire::Hello>(hello[0]), (wire::Hello{1, 1, kInflates, 7, "test 1"}));
  world.say(wire::Greeting{1, 0, 7, 5'000, 10'000, 70'000});
  EXPECT_EQ(world.session.server_schema(), 7U);
  EXPECT_EQ(world.session.state(), State::waiting);
  const auto login = world.said();
  ASSERT_TRUE(only<wire::Login>(login));
  EXPECT_EQ(std::get<wire::Login>(login[0]), (wire::Login{"password", "anna", bytes("secret")}));
  world.say(wire::Waiting{wire::WaitsFor::account, 0, 0});
  world.welcome();
  EXPECT_TRUE(only<wire::Confirm>(world.said()));
  world.full({1, 1});
  world.call("hi");
  world.say(wire::Packet{++world.c, wire::PacketKind::news, bytes("hp")});
  world.packet(wire::PacketKind::spoken, wire::Spoken{"zone", bytes("methtype")});
  world.packet(wire::PacketKind::over, sessions::Over{sessions::Reason::switched, {}});
  EXPECT_EQ(world.diary.read(), (Lines{"waiting account", "new session", "full player/7", "call hi",
                                       "news hp", "spoken zone", "over switched"}));
}

TEST(GameSession, ResumesWhereItWasWithTheLastToken) {
  World world;
  world.online();
  world.call("one");
  world.lose();
  EXPECT_EQ(world.session.state(), State::away);
  static_cast<void>(world.connect());
  static_cast<void>(world.said());
  world.say(wire::Greeting{});
  const auto said = world.said();
  ASSERT_TRUE(only<wire::Resume>(said));
  EXPECT_EQ(std::get<wire::Resume>(said[0]),
            (wire::Resume{{1, 2}, {3, 1}, "gate/a", {1, 2}, bytes("signed")}));
  world.welcome(true, 1, 0, {1, 1});
  world.call("two");
  EXPECT_EQ(world.diary.read(), (Lines{"call one", "lost", "goes on", "call two"}));
}

TEST(GameSession, AGapOrADoubleEndsTheConnectionAndNothingIsShown) {
  for (const std::uint64_t wrong : {0U, 1U, 3U}) {
    World world;
    world.online();
    world.say(wire::Packet{wrong, wire::PacketKind::call, bytes("methtypex")});
    EXPECT_EQ(world.session.state(), State::away);
    EXPECT_EQ(world.session.position().c, 1U);
    EXPECT_EQ(world.session.counts().faults, 1U);
    EXPECT_EQ(world.diary.read(), Lines{"lost"});
  }
}

TEST(GameSession, WhatDoesNotBelongThereEndsTheConnection) {
  const std::vector<wire::ToClient> early{wire::Waiting{}, wire::Welcome{}, wire::Packet{1},
                                          wire::Busy{},    wire::GoTo{},    wire::Ping{}};
  for (const auto& frame : early) {
    World world;
    ASSERT_TRUE(world.session.login({"password", "anna", {}}, world.now));
    static_cast<void>(world.connect());
    world.say(frame);
    EXPECT_EQ(world.session.state(), State::connecting) << frame.index();
  }
  const std::vector<wire::ToClient> late{wire::Greeting{}, wire::Welcome{}};
  for (const auto& frame : late) {
    World world;
    world.online();
    world.say(frame);
    EXPECT_EQ(world.session.state(), State::away) << frame.index();
  }
  World world;
  world.online();
  world.session.received(bytes("?"), world.now);
  EXPECT_EQ(world.session.state(), State::away);
  static_cast<void>(world.greeted());
  world.say(wire::Welcome{{9, 9}, {}, "gate/a", {1, 1}, true, 1, 0, {}, {}});  // not its session
  EXPECT_EQ(world.session.state(), State::away);
  EXPECT_EQ(world.session.counts().faults, 2U);
}

TEST(GameSession, AcknowledgesAfterPacketsBytesAndTime) {
  World world;
  world.online();
  world.wait(kAckTime);
  ASSERT_TRUE(only<wire::Ack>(world.said()));
  for (std::uint64_t i = 0; i < kAckPackets - 1; ++i) world.call("x");
  EXPECT_TRUE(world.said().empty());
  world.call("x");
  const auto packets = world.said();
  ASSERT_TRUE(only<wire::Ack>(packets));
  EXPECT_EQ(std::get<wire::Ack>(packets[0]).c, world.c);
  world.call(std::string(kAckBytes, 'x'));
  ASSERT_TRUE(only<wire::Ack>(world.said()));
  world.call("x");
  EXPECT_EQ(world.session.deadline(), world.now + kAckTime);
  world.wait(kAckTime);
  ASSERT_TRUE(only<wire::Ack>(world.said()));
}

TEST(GameSession, BeatsAndHangsUpOnSilence) {
  World world;
  world.online();
  world.wait(kAckTime);
  static_cast<void>(world.said());
  world.wait(10s);  // heartbeat_ms of the greeting
  ASSERT_TRUE(only<wire::Ping>(world.said()));
  world.say(wire::Ping{55});
  const auto pong = world.said();
  ASSERT_TRUE(only<wire::Pong>(pong));
  EXPECT_EQ(std::get<wire::Pong>(pong[0]), (wire::Pong{55, 0}));
  world.wait(29s);
  EXPECT_EQ(world.session.state(), State::online);
  world.wait(1s);
  EXPECT_EQ(world.session.state(), State::away);
}

TEST(GameSession, MeasuresTheRoundTripAndTheGatesClock) {
  World world;
  world.online();  // greeted without delay
  EXPECT_EQ(world.session.clock().round_trip(), 0ms);
  EXPECT_EQ(world.session.clock().at(world.now), 1'790'000'000'000ms);
  world.wait(kAckTime);
  static_cast<void>(world.said());
  world.wait(10s);
  const auto said = world.said();
  const auto ping = std::get<wire::Ping>(said.back());
  world.now += 80ms;
  world.say(wire::Pong{ping.time + 1, 1});  // not its ping
  EXPECT_EQ(world.session.clock().round_trip(), 0ms);
  world.say(wire::Pong{ping.time, 1'790'000'010'900});
  EXPECT_EQ(world.session.clock().round_trip(), 10ms);
  EXPECT_EQ(world.session.clock().at(world.now), 1'790'000'010'330ms);  // the shortest is believed
}

TEST(GameSession, GoesWhereItIsSent) {
  World world;
  world.online();
  world.say(wire::GoTo{"b:2"});
  EXPECT_EQ(world.session.state(), State::away);
  EXPECT_FALSE(world.session.connection());
  const Time before = world.now;
  EXPECT_EQ(world.greeted(), "b:2");
  EXPECT_EQ(world.now, before);  // at once
  ASSERT_TRUE(std::holds_alternative<wire::Resume>(world.said().back()));
  world.welcome(true, 1, 0, {1, 1});
  EXPECT_EQ(world.diary.read(), (Lines{"lost", "goes on"}));
  world.say(wire::GoTo{"wss://b/play"});  // for browsers: it takes one that it knows
  EXPECT_EQ(world.connect(), "a:1");
}

TEST(GameSession, EachCloseReasonHasItsConsequence) {
  struct Row {
    wire::CloseReason reason;
    State state;
    milliseconds least;  // until it comes again
  };
  using enum wire::CloseReason;
  const Row rows[] = {
      {version, State::ended, 0ms},    {malformed, State::ended, 0ms},
      {too_large, State::ended, 0ms},  {idle, State::away, 0ms},
      {too_many, State::away, 60s},    {denied, State::ended, 0ms},
      {banned, State::ended, 0ms},     {wire::CloseReason::full, State::away, 60s},
      {token, State::ended, 0ms},      {token_reused, State::ended, 0ms},
      {window, State::away, 0ms},      {replaced, State::ended, 0ms},
      {ended, State::ended, 0ms},      {too_slow, State::away, 0ms},
      {later, State::away, 60s},       {leaving, State::away, 0ms},
      {taken_over, State::ended, 0ms}, {wire::CloseReason::fault, State::away, 0ms}};
  for (const Row& row : rows) {
    World world;
    world.online();
    EXPECT_EQ(world.ask(), Asked::ok);
    const auto name = name_of(static_cast<CloseReason>(row.reason));
    world.say(wire::Closed{row.reason, 60'000, "why"});
    EXPECT_EQ(world.session.state(), row.state) << name;
    EXPECT_FALSE(world.session.connection()) << name;
    if (row.state == State::ended) {
      EXPECT_EQ(world.told(), Lines{"1 unknown"}) << name;
      EXPECT_EQ(world.diary.read(), Lines{"ended " + std::string(name) + ": why"});
      EXPECT_EQ(world.session.deadline(), Time::max());
    } else {
      EXPECT_EQ(world.told(), Lines{}) << name;
      EXPECT_GE(world.session.deadline(), world.now + row.least) << name;
    }
  }
}

TEST(GameSession, ThePlayerIsToldThatAllPlacesAreTaken) {
  struct Ear : Diary {
    void on_lost(const Lost& lost) override {
      line(std::string(name_of(lost.reason.value())) + " " + std::string(lost.text));
      again_in = lost.again_in;
    }
    milliseconds again_in{};
  } ear;
  Session session({{"a:1"}, "test", 0, 1}, ear);
  ASSERT_TRUE(session.login({"password", "anna", {}}, 1s));
  ASSERT_TRUE(session.connect(1s));
  session.connected(1s);
  bus::Bytes closed;
  wire::encode(wire::ToClient(wire::Closed{wire::CloseReason::full, 60'000, "no place"}), closed);
  session.received(closed, 1s);
  EXPECT_EQ(ear.read(), Lines{"full no place"});
  EXPECT_GE(ear.again_in, 60s);
  EXPECT_EQ(session.state(), State::connecting);
  EXPECT_FALSE(session.connect(1s + ear.again_in - 1ms));
  EXPECT_TRUE(session.connect(1s + ear.again_in));
}

TEST(GameSession, AfterLeavingAnotherGateIsTried) {
  World world({"a:1", "b:1"});
  ASSERT_TRUE(world.session.login({"password", "anna", {}}, world.now));
  const std::string first = world.greeted();
  world.welcome();
  world.wait(kStable);
  world.lose();
  EXPECT_EQ(world.greeted(), first);  // it was good, and has the session
  world.welcome(true, 1);
  world.wait(kStable);
  world.say(wire::Closed{wire::CloseReason::leaving, 0, ""});
  EXPECT_NE(world.connect(), first);
}

TEST(GameSession, ThePauseGrowsUntilAConnectionIsGood) {
  World world({"a:1", "b:1"});
  ASSERT_TRUE(world.session.login({"password", "anna", {}}, world.now));
  std::vector<std::string> tried;
  for (int i = 0; i < 8; ++i) {
    const Time before = world.now;
    tried.push_back(world.connect());
    const milliseconds most = std::min(kRetryFirst * (1 << i), kRetryMost);
    EXPECT_LE(world.now - before, i == 0 ? 0ms : most);
    EXPECT_GE(world.now - before, i == 0 ? 0ms : most / 2);
    world.lose();
  }
  EXPECT_NE(tried[0], tried[1]);
  EXPECT_EQ(tried[0], tried[2]);
}

TEST(GameSession, ANetworkThatBreaksAgainAndAgainCostsAShortPauseEachTime) {
  World world({"a:1", "b:1"});
  world.online();
  for (int i = 0; i < 12; ++i) {
    world.wait(kStable / 5);
    world.lose();
    const Time before = world.now;
    static_cast<void>(world.greeted());
    EXPECT_LE(world.now - before, kRetryBroken) << i;
    world.welcome(true, 1, 0, {1, 1});
  }
  world.say(wire::Closed{wire::CloseReason::fault, 0, ""});
  const Time before = world.now;
  static_cast<void>(world.greeted());
  EXPECT_GE(world.now - before, kRetryMost / 2) << "the gate itself ends them";
}

TEST(GameSession, WindowIsAnsweredWithTheSignedPartOnce) {
  World world;
  world.online();
  EXPECT_EQ(world.ask(), Asked::ok);
  world.lose();
  static_cast<void>(world.greeted());
  world.say(wire::Closed{wire::CloseReason::window, 0, ""});
  static_cast<void>(world.greeted());
  const auto resume = std::get<wire::Resume>(world.said().back());
  EXPECT_EQ(resume, (wire::Resume{{}, {}, "", {}, bytes("signed")}));
  world.say(wire::Closed{wire::CloseReason::window, 0, "too late"});
  EXPECT_EQ(world.diary.read(), (Lines{"lost", "refused window", "ended window: too late"}));
  EXPECT_EQ(world.told(), Lines{"1 unknown"});
}

TEST(GameSession, ASessionThatEndedByAFaultIsEnteredAgain) {
  World world;
  world.online();
  world.packet(wire::PacketKind::ended, wire::Ended{wire::CloseReason::too_slow, false, 0, {}});
  world.lose();
  EXPECT_EQ(world.session.state(), State::away);
  static_cast<void>(world.greeted());
  const auto resume = std::get<wire::Resume>(world.said().back());
  EXPECT_EQ(resume, (wire::Resume{{}, {}, "", {}, bytes("signed")}));
  world.welcome(false, 1);
  world.full({1, 2});
  EXPECT_EQ(world.diary.read(), (Lines{"lost", "new session", "full player/7"}));
}

TEST(GameSession, AReplacedSessionStaysEnded) {
  World world;
  world.online();
  world.packet(wire::PacketKind::ended, wire::Ended{wire::CloseReason::replaced, true, 0, {}});
  world.say(wire::Closed{wire::CloseReason::replaced, 0, "elsewhere"});
  EXPECT_EQ(world.diary.read(), Lines{"ended replaced: elsewhere"});
  EXPECT_EQ(advice_of(EndReason::replaced), Advice::ask_player);
  World silent;  // the gate does not close
  silent.online();
  silent.packet(wire::PacketKind::ended, wire::Ended{wire::CloseReason::replaced, true, 0, {}});
  silent.wait(kCloseTime);
  EXPECT_EQ(silent.diary.read(), Lines{"ended replaced"});
}

TEST(GameSession, ByeWaitsForTheLastWordForAWhile) {
  World world;
  world.online();
  EXPECT_EQ(world.ask(), Asked::ok);
  static_cast<void>(world.said());
  world.session.bye(world.now);
  EXPECT_TRUE(only<wire::Bye>(world.said()));
  EXPECT_EQ(world.ask(), Asked::no_subject);
  world.packet(wire::PacketKind::ended, wire::Ended{wire::CloseReason::ended, true, 1, {}});
  world.say(wire::Closed{wire::CloseReason::ended, 0, ""});
  EXPECT_EQ(world.told(), Lines{"1 reply_lost"});
  EXPECT_EQ(world.diary.read(), Lines{"ended bye"});
  World silent;
  silent.online();
  silent.session.bye(silent.now);
  silent.wait(kCloseTime);
  EXPECT_EQ(silent.diary.read(), Lines{"ended bye"});
}

TEST(GameSession, GivesUpWhenNoGateIsThere) {
  World world;
  world.online();
  EXPECT_EQ(world.ask(), Asked::ok);
  world.lose();
  const Time lost = world.now;
  while (world.session.state() != State::ended) {
    if (world.session.connect(world.now)) world.session.disconnected(world.now);
    world.advance();
  }
  EXPECT_EQ(world.now, lost + kGiveUp);
  EXPECT_EQ(world.told(), Lines{"1 unknown"});
  EXPECT_EQ(world.diary.read(), (Lines{"lost", "ended unreachable"}));
}

TEST(GameSession, AGateThatDoesNotGreetIsLeft) {
  World world({"a:1", "b:1"});
  ASSERT_TRUE(world.session.login({"password", "anna", {}}, world.now));
  const std::string first = world.connect();
  world.wait(kGreetingTime);
  EXPECT_FALSE(world.session.connection());
  EXPECT_NE(world.connect(), first);
}

TEST(GameSession, OfAnotherVersionTheProgramIsTooOld) {
  World world;
  ASSERT_TRUE(world.session.login({"password", "anna", {}}, world.now));
  static_cast<void>(world.connect());
  world.say(wire::Greeting{2, 0, 0, 0, 0, 0});
  EXPECT_EQ(world.diary.read(), Lines{"ended version"});
  EXPECT_EQ(advice_of(EndReason::version), Advice::update);
}

TEST(GameSession, WhatItSendsIsBoundedAgainstAGateThatReadsNothing) {
  World world;
  world.online();
  std::size_t pings = 0;
  while (world.session.state() == State::online) {
    world.say(wire::Ping{~std::uint64_t{0}});
    ASSERT_LE(++pings, kSendFrames + 1);
  }
  EXPECT_EQ(world.session.state(), State::away);
}

TEST(GameSession, ALongLoginIsRefused) {
  World world;
  EXPECT_FALSE(world.session.login({"", "", Bytes(kProofBytes + 1)}, world.now));
  EXPECT_FALSE(world.session.login({std::string(kMethodBytes + 1, 'x'), "", {}}, world.now));
  EXPECT_FALSE(world.session.login({"", std::string(kAccountBytes + 1, 'x'), {}}, world.now));
  EXPECT_FALSE(world.session.login({"password", "\xff", {}}, world.now));
  EXPECT_EQ(world.session.state(), State::ended);
}

TEST(GameSession, ALongNameOfAProgramIsCutBetweenCharacters) {
  Diary diary;
  Session session({{"a:1"}, std::string(kProgramBytes - 1, 'x') + "\xc3\xa9", 0, 1}, diary);
  ASSERT_TRUE(session.login({"password", "anna", {}}, 1ms));
  ASSERT_TRUE(session.connect(1ms));
  session.connected(1ms);
  const auto hello = wire::decode_from_client(session.next_frame().value());
  ASSERT_TRUE(hello);
  EXPECT_EQ(std::get<wire::Hello>(*hello).program, std::string(kProgramBytes - 1, 'x'));
}

TEST(GameSession, StrangeTimesOfAGateAreBounded) {
  World world;
  world.online();
  world.say(wire::Closed{wire::CloseReason::later, ~0U, ""});
  EXPECT_LE(world.session.deadline(), world.now + kRetryTold + kRetryTold / 8);
  const std::pair<std::uint32_t, milliseconds> beats[] = {
      {0, kHeartbeat}, {1, kHeartbeatLeast}, {~0U, kHeartbeatMost}};
  for (const auto& [told, beat] : beats) {
    World strange;
    ASSERT_TRUE(strange.session.login({"password", "anna", {}}, strange.now));
    static_cast<void>(strange.connect());
    strange.say(wire::Greeting{1, 0, 0, ~std::uint64_t{0}, told, 0});
    strange.welcome();
    EXPECT_FALSE(strange.session.clock().at(strange.now));
    strange.wait(beat * kSilentBeats - 1ms);
    EXPECT_EQ(strange.session.state(), State::online) << told;
    strange.wait(1ms);
    EXPECT_EQ(strange.session.state(), State::away) << told;
  }
}

TEST(GameSession, BehindTheLastNumberNothingIsAsked) {
  World world;
  world.online();
  world.full({1, 2}, ~std::uint64_t{0});
  EXPECT_EQ(world.ask(), Asked::too_many);
}

TEST(GameSession, WithoutAnAddressNothingIsTried) {
  World world(std::vector<std::string>{});
  ASSERT_TRUE(world.session.login({"password", "anna", {}}, world.now));
  EXPECT_FALSE(world.session.connect(world.now));
  EXPECT_EQ(world.session.deadline(), world.now + kGiveUp);
}

TEST(GameSession, AddressesBeyondTheLimitAreNotUsed) {
  std::vector<std::string> addresses(kAddresses, "a:1");
  addresses.resize(4 * kAddresses, "b:1");
  World world(addresses);
  ASSERT_TRUE(world.session.login({"password", "anna", {}}, world.now));
  EXPECT_EQ(world.connect(), "a:1");
}

TEST(GameSession, AnotherRunOfTheProgramComesBackWithItsTicket) {
  World first;
  first.online();
  World second;
  Ticket ticket;
  ticket.gate = "gate/a";
  ticket.reentry = bytes("signed");
  second.session.reenter(ticket, second.now);
  static_cast<void>(second.greeted());
  const auto resume = std::get<wire::Resume>(second.said().back());
  EXPECT_EQ(resume, (wire::Resume{{}, {}, "", {}, bytes("signed")}));
  second.welcome(false, 1);
  second.full({1, 2}, 5);
  EXPECT_EQ(second.ask(), Asked::ok);
  EXPECT_EQ(second.asked(), Numbers{6});
}

}  // namespace
}  // namespace starbus::game
