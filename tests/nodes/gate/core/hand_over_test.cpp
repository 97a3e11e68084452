// Hand-overs, drains, groups, and the words between gates.
#include <algorithm>

#include "base/hex.hpp"
#include "tests/nodes/gate/core/fixture.hpp"

namespace starbus::nodes::gate {
namespace {

using namespace fixture;
using sessions::PartKind;

class GateHandOver : public GateTest {
 protected:
  Driven two_{kTwo};
};

TEST_F(GateHandOver, GivesWithItsRequestsAndForwards) {
  const Welcome first = one_.log_in(1);
  one_.core.frame(1, Ask{1, kBind, bus::Bytes(3)});
  one_.core.frame(1, Ask{2, kBind, bus::Bytes(3)});
  one_.say(first.session, 3, {{sessions::PartKind::sight, body_text("b")}});  // 2 is under way
  one_.core.take();
  ASSERT_TRUE(one_.core.give(first.session, kTwo, "two:1"));
  EXPECT_EQ(one_.core.find(first.session)->state(), SessionState::giving);
  one_.say(first.session, 2, {Driven::call("a")});
  one_.core.told(sessions::Bound{first.session, kBind, "player/7"});
  auto effects = one_.core.take();
  EXPECT_EQ(std::get<GoTo>(std::get<SendFrame>(effects.at(0)).frame).address, "two:1");
  std::vector<TellGate> said;
  for (const Effect& each : effects) {
    if (const auto* word = std::get_if<TellGate>(&each)) said.push_back(*word);
  }
  ASSERT_EQ(said.size(), 3U);
  EXPECT_EQ(two_.core.told(kOne.process, said[0].word), Taken::taken);
  one_.core.outcome(said[0].question, Outcome::ok, bytes_of(Taken::taken));
  EXPECT_EQ(one_.core.find(first.session)->state(), SessionState::stub);

  // The relink goes before the requests, to the account and the subject.
  std::vector<std::string> order;
  std::uint64_t account = 0;
  for (const Effect& each : two_.core.take()) {
    if (const auto* word = std::get_if<TellAccount>(&each)) account = word->question;
    const auto* word = std::get_if<TellSubject>(&each);
    if (word == nullptr) continue;
    if (const auto* relink = std::get_if<sessions::Relink>(&word->word)) {
      order.push_back("relink");
      EXPECT_EQ(relink->turn, 2U);
      EXPECT_EQ(relink->gate, kTwo);
    } else if (const auto* request = std::get_if<sessions::Request>(&word->word)) {
      order.push_back(std::to_string(request->u) + '.' + std::to_string(request->turn));
    }
  }
  EXPECT_EQ(order, (std::vector<std::string>{"relink", "1.2", "2.2"}));
  ASSERT_NE(account, 0U);
  two_.core.told(kOne.process, said[1].word);
  EXPECT_EQ(two_.core.find(first.session)->window.state().next, 4U);

  // The stub ends when the account has confirmed, and a direct part has passed in order.
  two_.say(first.session, 4, {Driven::call("c")}, "player/7", 2);
  EXPECT_TRUE(two_.all<TellGate>().empty());
  two_.bound(account, kBind);
  carry(two_, kTwo.process, one_);
  EXPECT_EQ(one_.core.size(), 0U);

  // The client comes with its old token and position.
  two_.core.opened(9, "x");
  two_.core.frame(9, Resume{first.session, first.token, "gate/one", {1, 1}, {}});
  EXPECT_EQ(two_.frames<Welcome>().at(0).position, (Position{2, 1}));
}

TEST_F(GateHandOver, TheClientComesElsewhere) {
  const Welcome first = one_.log_in(1);
  two_.core.opened(5, "x");
  Resume frame{first.session, {9, 9}, "gate/one", {1, 1}, {}};
  two_.core.frame(5, frame);
  carry(two_, kTwo.process, one_);
  carry(one_, kOne.process, two_);
  EXPECT_EQ(two_.frames<Closed>().at(0).reason, CloseReason::token);
  EXPECT_EQ(one_.core.find(first.session)->connection, 1U);
  frame.token = first.token;
  two_.core.opened(6, "x");
  two_.core.frame(6, frame);
  carry(two_, kTwo.process, one_);
  carry(one_, kOne.process, two_);
  EXPECT_EQ(two_.core.find(first.session)->connection, 6U);
  const auto welcome = two_.frames<Welcome>().at(0);
  EXPECT_TRUE(welcome.goes_on);
  // And back, while the first gate is a stub: K8.
  two_.core.frame(6, Confirm{});
  one_.core.opened(7, "x");
  one_.core.frame(7, Resume{first.session, welcome.token, "gate/two", {2, 1}, {}});
  carry(one_, kOne.process, two_);
  carry(two_, kTwo.process, one_);
  EXPECT_EQ(one_.core.find(first.session)->connection, 7U);
  EXPECT_EQ(one_.frames<Welcome>().at(0).position.turn, 3U);
  // A position of a turn that has been confirmed over is refused.
  one_.core.opened(8, "x");
  one_.core.frame(8, Resume{first.session, welcome.token, "gate/two", {1, 1}, {}});
  EXPECT_EQ(one_.frames<Closed>().at(0).reason, CloseReason::window);
}

/// An account that is the subject hears of the gate as account, and obeys it once that is stored.
TEST_F(GateHandOver, ARequestThatItsAccountRefusesGoesAgainOnceThatObeys) {
  const std::string account = "account/ada";
  const Welcome first = one_.log_in(1, account);
  one_.core.frame(1, Ask{1, kBind, bus::Bytes(3)});
  one_.core.take();
  ASSERT_TRUE(one_.core.give(first.session, kTwo, "two:1"));
  carry(one_, kOne.process, two_);
  std::uint64_t relink = 0;
  std::uint64_t request = 0;
  for (const Effect& each : two_.core.take()) {
    if (const auto* word = std::get_if<TellAccount>(&each)) relink = word->question;
    if (const auto* word = std::get_if<TellSubject>(&each)) request = word->question;
  }
  const sessions::Answer no{sessions::AnswerKind::refused, kBind, kRun, 2, 1, kOne, {}};
  two_.core.outcome(request, Outcome::ok, bytes_of(no));
  EXPECT_TRUE(two_.words<sessions::Request>().empty());
  two_.bound(relink, kBind, account);
  const sessions::Answer yes{sessions::AnswerKind::ok, kBind, kRun, 2, 2, kTwo, {}};
  int pulses = 0;
  for (const TellSubject& each : two_.all<TellSubject>()) {
    if (!std::holds_alternative<sessions::Pulse>(each.word)) continue;
    ++pulses;
    two_.core.outcome(each.question, Outcome::ok, bytes_of(yes));
  }
  EXPECT_EQ(pulses, 1);
  EXPECT_EQ(two_.words<sessions::Request>().size(), 1U);
}

TEST_F(GateHandOver, IsUndoneOnlyIfNobodyTookIt) {
  const Welcome first = one_.log_in(1);
  one_.core.frame(1, Ask{1, kBind, bus::Bytes(3)});
  one_.core.take();
  one_.core.give(first.session, kTwo, "");
  const auto take = one_.all<TellGate>().at(0);
  one_.core.outcome(take.question, Outcome::no_owner, {});
  EXPECT_EQ(one_.core.find(first.session)->state(), SessionState::away);
  EXPECT_EQ(one_.words<sessions::Request>().size(), 1U);
  one_.core.give(first.session, kTwo, "");
  one_.core.outcome(one_.all<TellGate>().at(0).question, Outcome::owner_lost, {});
  EXPECT_EQ(one_.core.find(first.session)->state(), SessionState::stub);
  one_.core.died(kTwo.process);
  one_.core.opened(3, "x");
  one_.core.frame(3, Resume{first.session, first.token, "gate/one", {1, 1}, bus::Bytes(2)});
  EXPECT_EQ(one_.all<TellLogin>().size(), 1U);
}

TEST_F(GateHandOver, AStubEndsAfterItsTime) {
  const Welcome first = one_.log_in(1);
  one_.core.give(first.session, kTwo, "");
  one_.core.outcome(one_.all<TellGate>().at(0).question, Outcome::ok, bytes_of(Taken::taken));
  one_.tick(kStubTime - GateTime(1));
  EXPECT_EQ(one_.core.size(), 1U);
  one_.core.take();
  one_.tick(GateTime(1));
  EXPECT_EQ(one_.core.size(), 0U);
  // A subject that still obeys this gate has no client: the take was lost with the other one.
  EXPECT_EQ(one_.words<sessions::Unknown>().at(0), (sessions::Unknown{first.session, 1}));
}

TEST_F(GateHandOver, AForgedTakeIsEndedByTheAccount) {
  const Welcome first = one_.log_in(1);
  one_.core.give(first.session, kTwo, "");
  auto take = std::get<Take>(one_.all<TellGate>().at(0).word);
  EXPECT_EQ(two_.core.told({6, 6, 6}, take), Taken::refused);  // not from its giver
  take.hand.secret = {5, 5};
  EXPECT_EQ(two_.core.told(kOne.process, take), Taken::taken);
  const auto ask = two_.all<TellAccount>().at(0);
  sessions::AccountAnswer no{sessions::AccountAnswerKind::refused, kBind, "", 4, 1, kOne};
  two_.core.outcome(ask.question, Outcome::ok, bytes_of(no));
  EXPECT_EQ(two_.core.find(first.session)->state(), SessionState::ended);
  // A session that a gate has is not taken from it.
  const Welcome mine = one_.log_in(2);
  Take theft = take;
  theft.session = mine.session;
  theft.giver = kTwo;
  theft.hand.turn = 9;
  EXPECT_EQ(one_.core.told(kTwo.process, theft), Taken::refused);
}

TEST_F(GateHandOver, ARefusalWithALaterTurnSendsTheClientThere) {
  const Welcome first = one_.log_in(1);
  one_.tick(kPulse);
  const auto pulse = one_.all<TellSubject>().at(0);
  sessions::Answer no{sessions::AnswerKind::refused, kBind, kRun, 2, 3, kTwo, {}};
  one_.core.outcome(pulse.question, Outcome::ok, bytes_of(no));
  EXPECT_EQ(one_.core.find(first.session)->state(), SessionState::stub);
  one_.core.opened(2, "x");
  one_.core.frame(2, Resume{first.session, first.token, "gate/one", {1, 1}, {}});
  EXPECT_EQ(one_.all<TellGate>().at(0).gate, "gate/two");
}

class GateDrain : public GateHandOver {};

TEST_F(GateDrain, GivesFewSessionsAtOnce) {
  const std::size_t many = kGivesAtOnce + 10;
  for (ConnectionId each = 1; each <= many; ++each) one_.log_in(each);
  one_.core.drain({{kTwo, "two:1"}, {{"gate/three", {3, 3, 30}}, "three:1"}});
  one_.tick();
  auto takes = one_.all<TellGate>();
  ASSERT_EQ(takes.size(), kGivesAtOnce);
  EXPECT_EQ(std::ranges::count(takes, "gate/two", &TellGate::gate),
            static_cast<std::ptrdiff_t>(kGivesAtOnce / 2));
  one_.core.outcome(takes[0].question, Outcome::ok, bytes_of(Taken::full));
  for (std::size_t i = 1; i < takes.size(); ++i) {
    one_.core.outcome(takes[i].question, Outcome::ok, bytes_of(Taken::taken));
  }
  one_.core.take();
  one_.tick();
  EXPECT_EQ(one_.all<TellGate>().size(), 10U);
  one_.tick(kPulse);  // the one that was refused is tried again
  EXPECT_EQ(one_.all<TellGate>().size(), 1U);
  // Nobody comes in, and at the end the rest is closed.
  one_.core.opened(500, "x");
  one_.core.frame(500, Login{"password", "bob", {}});
  EXPECT_EQ(one_.frames<Closed>().at(0).reason, CloseReason::leaving);
}

TEST_F(GateDrain, ClosesWhatIsLeftAtItsEnd) {
  const Welcome first = one_.log_in(1);
  one_.core.drain({});
  one_.core.end_drain();
  one_.tick();
  EXPECT_EQ(one_.frames<Closed>().at(0).reason, CloseReason::leaving);
  EXPECT_EQ(one_.core.find(first.session)->state(), SessionState::away);
}

class GateGroups : public GateHandOver {
 protected:
  static Body spoken(std::string_view text) { return body_text(text); }
};

TEST_F(GateGroups, AnnouncementsGoOutInSlices) {
  const std::size_t many = kTickSlice + 5;
  for (ConnectionId each = 1; each <= many; ++each) one_.log_in(each);
  one_.core.take();
  const Body body = spoken("hello");
  EXPECT_TRUE(one_.core.announce(kHome, 1, "guild", body));
  EXPECT_TRUE(one_.core.tick(one_.now));
  EXPECT_EQ(one_.all<SendPacket>().size(), kTickSlice);
  EXPECT_FALSE(one_.core.tick(one_.now));
  const auto rest = one_.all<SendPacket>();
  ASSERT_EQ(rest.size(), 5U);
  EXPECT_EQ(std::get<Body>(rest[0].packet.body), body);  // one body, however many get it
  // Twice: a double. To all; to nobody.
  one_.core.announce(kHome, 1, "", body);
  one_.core.announce(kHome, 2, "nobody", body);
  one_.tick();
  EXPECT_TRUE(one_.all<SendPacket>().empty());
  EXPECT_EQ(one_.core.counters().spoken_twice, many);
}

TEST_F(GateGroups, AnnouncementsDoNotWaitForATick) {
  const std::size_t many = kTickSlice + 5;
  for (ConnectionId each = 1; each <= many; ++each) one_.log_in(each);
  one_.core.take();
  EXPECT_FALSE(one_.core.speaking());
  EXPECT_FALSE(one_.core.speak());
  EXPECT_TRUE(one_.core.announce(kHome, 1, "guild", spoken("hello")));
  EXPECT_TRUE(one_.core.speaking());
  EXPECT_TRUE(one_.core.speak());
  EXPECT_EQ(one_.all<SendPacket>().size(), kTickSlice);
  EXPECT_FALSE(one_.core.speak());
  EXPECT_EQ(one_.all<SendPacket>().size(), 5U);
  EXPECT_FALSE(one_.core.speaking());
  one_.core.announce(kHome, 2, "", spoken("lost"));
  one_.core.fence();
  EXPECT_FALSE(one_.core.speak());
}

TEST_F(GateGroups, MembersComeAndGoWithTheirStream) {
  const Welcome first = one_.log_in(1);
  one_.say(first.session, 2, {{PartKind::join, body_text("party")}});
  one_.core.take();
  one_.core.announce(kHome, 1, "party", spoken("a"));
  one_.tick();
  EXPECT_EQ(one_.all<SendPacket>().size(), 1U);
  one_.say(first.session, 3, {{PartKind::leave, body_text("party")}});
  one_.core.announce(kHome, 2, "party", spoken("b"));
  one_.tick();
  EXPECT_TRUE(one_.all<SendPacket>().empty());
  // Another subject: nothing of the groups of the one before.
  one_.core.told(sessions::Bound{first.session, {3, 2}, "player/8"});
  one_.core.announce(kHome, 3, "guild", spoken("c"));
  one_.tick();
  EXPECT_TRUE(one_.all<SendPacket>().empty());
}

TEST_F(GateGroups, TooManyAnnouncementsAreRefused) {
  for (std::size_t i = 0; i < kSpokenWaiting; ++i) {
    ASSERT_TRUE(one_.core.announce(kHome, i, "", spoken("a")));
  }
  EXPECT_FALSE(one_.core.announce(kHome, kSpokenWaiting, "", spoken("a")));
  one_.tick();
  EXPECT_TRUE(one_.core.announce(kHome, kSpokenWaiting, "", spoken("a")));
}

TEST_F(GateGroups, TheReachOfAnAnnouncementIsCounted) {
  for (ConnectionId each = 1; each <= 3; ++each) one_.log_in(each);
  one_.core.closed(3);
  one_.core.announce(kHome, 7, "guild", spoken("a"));
  EXPECT_EQ(one_.core.reach(kHome, 7), (Reach{Reach::State::speaking, 0, 0}));
  one_.tick();
  EXPECT_EQ(one_.core.reach(kHome, 7), (Reach{Reach::State::done, 2, 1}));
  EXPECT_EQ(one_.core.members("guild"), 3U);
  EXPECT_EQ(one_.core.members("nobody"), 0U);
  EXPECT_FALSE(one_.core.reach(kHome, 8)) << "never said";
  EXPECT_FALSE(one_.core.reach(kHome2, 7)) << "another's";
  for (std::size_t i = 1; i <= kSpokenWaiting; ++i) one_.core.announce(kHome2, i, "", spoken("a"));
  EXPECT_FALSE(one_.core.announce(kHome, 8, "", spoken("a")));
  EXPECT_EQ(one_.core.reach(kHome, 8), (Reach{Reach::State::refused, 0, 0}));
  one_.tick();
  EXPECT_FALSE(one_.core.reach(kHome, 7)) << "kSpokenKept later ones are kept";
  EXPECT_TRUE(one_.core.reach(kHome2, kSpokenWaiting));
}

TEST_F(GateGroups, AHandOverNeitherDoublesNorLosesOne) {
  const Welcome first = one_.log_in(1);
  one_.core.announce(kHome, 1, "guild", spoken("1"));
  one_.tick();
  one_.core.give(first.session, kTwo, "");
  one_.core.announce(kHome, 2, "guild", spoken("2"));  // here behind the take
  two_.core.announce(kHome, 2, "guild", spoken("2"));  // there before it
  two_.tick();
  one_.tick();
  auto words = one_.all<TellGate>();
  ASSERT_EQ(words.size(), 2U);
  two_.core.told(kOne.process, words[0].word);
  two_.core.announce(kHome, 3, "guild", spoken("3"));
  two_.tick();
  two_.core.told(kOne.process, words[1].word);
  two_.core.told(kOne.process, words[1].word);
  std::vector<std::string> heard;
  for (const Parcel& each : two_.core.find(first.session)->window.state().packets) {
    if (each.kind != PacketKind::spoken) continue;
    heard.emplace_back(bus::as_text(*std::get<Body>(each.body)));
  }
  EXPECT_EQ(heard, (std::vector<std::string>{"1", "3", "2"}));
}

// --- words ---------------------------------------------------------------------------------------

Take sample_take() {
  Take take;
  take.session = {1, 2};
  take.giver = {"gate/a", {1, 2, 3}};
  take.account = "account/a";
  take.subject = "player/7";
  take.login = 4;
  take.reentry = bus::Bytes(2);
  take.away = std::chrono::milliseconds(300);
  take.tokens = {{1, 0}, {2, 0}, {{3, 0}}};
  take.hand.turn = 5;
  take.hand.secret = {7, 8};
  take.hand.passes = {{{1, 1}, {2, 2}}};
  take.hand.givers = {{"gate/b", {4, 5, 6}}};
  take.hand.shown = 4;
  take.order = {{5, 6}, {7, 8}, 9, {1, 1, 1}, {}, {}};
  take.order.held.push_back(
      {{{1, 2}, 5, {5, 6}, {7, 8}, "player/7"}, {1, 1, 1}, 11, {PartKind::call, body_text("x")}});
  take.window.next = 3;
  take.window.acked = 1;
  take.window.marked = {{5, 6}, {7, 8}, 7};
  take.window.packets.push_back(
      {2, PacketKind::full, 6, body_text("full"), {{5, 6}, {7, 8}, 8}, {}});
  take.requests.seen = 6;
  take.requests.bind = {5, 6};
  take.requests.pending = {{6, bus::Bytes(1)}};
  take.requests.open = {3, 6};
  take.groups = {"guild"};
  take.spoken = {{{1, 1, 1}, 9, 1}};
  return take;
}

std::vector<GateWord> sample_words() {
  const Introduction at{{1, 2}, 5, {5, 6}, {7, 8}, "player/7"};
  const Give give{{1, 2}, {3, 4}, {5, 6}, {"gate/a", {1, 2, 3}}, "a:1", 6};
  return {give,
          NoGive{{1, 2}, 6, CloseReason::window, true},
          sample_take(),
          Forwarded{{1, 2}, 1, ForwardedParts{at, {1, 1, 1}, 9, {{PartKind::idle, body_text("")}}}},
          Forwarded{{1, 2}, 2, sessions::Bound{{1, 2}, {5, 6}, "player/7"}},
          Forwarded{{1, 2}, 3, sessions::End{{1, 2}, {5, 6}, sessions::Reason::ended, {}}},
          Forwarded{{1, 2}, 4, ForwardedSpoken{{1, 1, 1}, 9, "guild", body_text("hi")}},
          Forwarded{{1, 2}, 5, give},
          StubDone{{1, 2}, 5}};
}

bus::Bytes word_bytes(const GateWord& word) {
  bus::Bytes bytes;
  EXPECT_TRUE(encode(word, bytes));
  return bytes;
}

TEST(GateWords, ComeBackTheSameAndInOneFormOnly) {
  for (const GateWord& word : sample_words()) {
    const bus::Bytes bytes = word_bytes(word);
    const auto read = decode_gate_word(bytes);
    ASSERT_TRUE(read) << word.index() << ' ' << read.error().to_string();
    EXPECT_EQ(word_bytes(*read), bytes);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      ASSERT_FALSE(decode_gate_word(bus::ByteView(bytes).first(size))) << word.index();
    }
    bus::Bytes longer = bytes;
    longer.emplace_back();
    EXPECT_FALSE(decode_gate_word(longer));
  }
  for (const Taken answer : {Taken::taken, Taken::full, Taken::refused}) {
    EXPECT_EQ(*decode_taken(bytes_of(answer)), answer);
  }
}

TEST(GateWords, HaveGoldenBytes) {
  const std::string session =
      "0100000000000000"
      "0200000000000000";
  const auto hex = [](const GateWord& word) { return hex_of(bus::as_text(word_bytes(word))); };
  const std::vector<GateWord> words = sample_words();
  EXPECT_EQ(hex(words[0]), "d8" + session +
                               "0300000000000000"
                               "0400000000000000"
                               "0506"
                               "06676174652f61010203"
                               "03613a31"
                               "06");
  EXPECT_EQ(hex(words[1]), "d9" + session + "060b01");
  // The record, field by field.
  const std::string take =
      "da01000000000000000200000000000000"  // session
      "06676174652f61010203"                // giver
      "096163636f756e742f61"                // account
      "08706c617965722f37"                  // subject
      "04020000ac02"                        // login, signed part, away
      "0100000000000000000000000000000002000000000000000000000000000000"  // tokens
      "0103000000000000000000000000000000"
      "0507000000000000000800000000000000010100000000000000010000000000"  // turn, secret, passes
      "000002000000000000000200000000000000"
      "0106676174652f6204050604"                                          // givers, shown
      "0506070809010101"                                                  // bind, run, next, home
      "0101000000000000000200000000000000050506070808706c617965722f3701"  // held, early
      "01010b02017800"
      "03010506070807000000000001"            // window
      "0201060466756c6c05060708080000000000"  // packet
      "06050601060100020306"                  // requests
      "01056775696c64010101010901"            // groups, spoken
      "";
  EXPECT_EQ(hex(words[2]), take);
  EXPECT_EQ(hex(words[3]), "db" + session + "0100" + session +
                               "0505060708"
                               "08706c617965722f37"
                               "010101"
                               "09"
                               "01"
                               "0500");
  EXPECT_EQ(hex(words[4]), "db" + session + "0201" + session + "050608706c617965722f37");
  EXPECT_EQ(hex(words[5]), "db" + session + "0302" + session + "05060500");
  EXPECT_EQ(hex(words[6]), "db" + session + "0403" + "01010109056775696c64026869");
  EXPECT_EQ(hex(words[8]), "dc" + session + "05");
  EXPECT_EQ(hex_of(bus::as_text(bytes_of(Taken::full))), "de01");
}

TEST(GateWords, AreBounded) {
  Take large = sample_take();
  large.window.packets.front().body =
      std::make_shared<const bus::Bytes>(2 * sessions::kPartBytes + 1);
  EXPECT_FALSE(decode_gate_word(word_bytes(large)));
  Take huge = sample_take();
  const Body most = std::make_shared<const bus::Bytes>(2 * sessions::kPartBytes);
  huge.window.acked = 0;
  huge.window.next = 9;
  huge.window.packets.clear();
  for (std::uint64_t c = 1; c < 9; ++c) {
    huge.window.packets.push_back({c, PacketKind::call, 0, most, {}, {}});
  }
  bus::Bytes bytes;
  EXPECT_FALSE(encode(huge, bytes));  // kTakeBytes
  EXPECT_TRUE(bytes.empty());
  EXPECT_FALSE(decode_gate_word(bus::Bytes(kTakeBytes + 1)));
  const auto refused = [](auto change) {
    Take take = sample_take();
    change(take);
    return !decode_gate_word(word_bytes(take));
  };
  EXPECT_TRUE(refused([](Take& t) { t.reentry = bus::Bytes(kReentryBytes + 1); }));
  EXPECT_TRUE(refused([](Take& t) { t.hand.givers.resize(kGivers + 1); }));
  EXPECT_TRUE(refused([](Take& t) { t.window.acked = 0; }));
  EXPECT_TRUE(refused([](Take& t) { t.order.held[0].n = 9; }));
  EXPECT_TRUE(refused([](Take& t) { t.requests.seen = 5; }));
  EXPECT_TRUE(refused([](Take& t) { t.hand.secret = {}; }));
  Give give{{1, 2}, {3, 4}, {5, 6}, {"gate/a", {1, 2, 3}}, std::string(kAddressBytes + 1, 'a'), 6};
  EXPECT_FALSE(decode_gate_word(word_bytes(give)));
  Forwarded far{{1, 2}, static_cast<std::uint8_t>(kForwardHops + 1), sessions::Bound{}};
  EXPECT_FALSE(decode_gate_word(word_bytes(far)));
}

}  // namespace
}  // namespace starbus::nodes::gate
