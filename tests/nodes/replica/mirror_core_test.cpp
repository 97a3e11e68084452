/// What a mirror makes of what it is told: case by case, and of whatever a network does to it.
#include "nodes/replica/mirror_core.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <set>
#include <string>
#include <vector>

namespace starbus::nodes::replica {
namespace {

using namespace std::chrono_literals;

/// A text that grows: each change appends its own.
struct Text final : Replica {
  bool restore(bus::ByteView snapshot) override {
    if (bus::as_text(snapshot) == "bad") return false;
    text = bus::as_text(snapshot);
    return true;
  }
  bool apply(bus::ByteView delta) override {
    if (bus::as_text(delta) == "bad") return false;
    text += bus::as_text(delta);
    return true;
  }
  std::string text;
};

class MirrorCoreTest : public ::testing::Test {
 protected:
  void delta(std::uint64_t seq, const std::string& text, Stream stream = {1, 1}) {
    core.delta({stream, seq}, bus::as_bytes(text), now);
  }
  void snapshot(std::uint64_t seq, const std::string& text, Stream stream = {1, 1}) {
    ASSERT_TRUE(core.should_ask(now));
    core.snapshot(core.asked(), {stream, seq}, bus::as_bytes(text), now);
  }
  Text replica;
  MirrorCore core{replica};
  MirrorCore::Time now = 1s;
};

TEST_F(MirrorCoreTest, IsNotCurrentFromTheEndOfTheOwnerUntilTheNextOneHasAnswered) {
  snapshot(1, "a");
  EXPECT_TRUE(core.is_current());
  core.owner_gone();
  EXPECT_FALSE(core.is_current()) << "at once, whatever was heard a moment ago";
  EXPECT_TRUE(core.has_state());
  core.owner_new(now);
  EXPECT_FALSE(core.is_current()) << "it may have another state";
  delta(2, "b");
  EXPECT_EQ(replica.text, "ab") << "changes of the stream go on meanwhile";
  snapshot(2, "ab");
  EXPECT_TRUE(core.is_current());
}

TEST_F(MirrorCoreTest, AnotherOwnerIsAskedAtOnce) {
  snapshot(1, "a");
  EXPECT_FALSE(core.should_ask(now));
  core.owner_new(now);  // moved: it was never without
  ASSERT_TRUE(core.should_ask(now));
  core.no_snapshot(core.asked(), Errc::unreachable, now);
  EXPECT_FALSE(core.should_ask(now)) << "a pause after each failure";
  core.owner_new(now);
  EXPECT_TRUE(core.should_ask(now)) << "which was another's";
}

TEST_F(MirrorCoreTest, ChangesFollowTheSnapshotThatTheyBelongTo) {
  delta(1, "a");  // sooner than the snapshot: kept
  delta(3, "c");
  delta(2, "b");
  EXPECT_FALSE(core.has_state());
  snapshot(1, "a");
  EXPECT_EQ(replica.text, "abc");
  EXPECT_TRUE(core.is_current());
  delta(3, "c");
  delta(1, "a");
  EXPECT_EQ(replica.text, "abc") << "none is applied twice";
  EXPECT_EQ(core.counters().ignored, 2u);
  EXPECT_EQ(core.fresh_at(), now);
}

TEST_F(MirrorCoreTest, AGapIsMendedByWhatWasLateOrByASnapshot) {
  snapshot(0, "");
  delta(2, "b");
  EXPECT_EQ(core.counters().gaps, 1u);
  EXPECT_FALSE(core.is_current());
  delta(1, "a");
  EXPECT_EQ(replica.text, "ab");
  delta(4, "d");
  snapshot(3, "abc");
  EXPECT_EQ(replica.text, "abcd");
  EXPECT_TRUE(core.is_current());
}

TEST_F(MirrorCoreTest, ALateSnapshotTakesNothingBack) {
  snapshot(0, "");
  delta(2, "b");
  const std::uint64_t question = core.asked();
  delta(1, "a");
  delta(3, "c");
  core.snapshot(question, {{1, 1}, 1}, bus::as_bytes("a"), now);
  EXPECT_EQ(replica.text, "abc");
  EXPECT_TRUE(core.is_current());
}

TEST_F(MirrorCoreTest, ALaterStreamCountsAndAnEarlierOneDoesNot) {
  snapshot(5, "five");
  delta(1, "x", {2, 1});
  EXPECT_FALSE(core.is_current());
  delta(6, "y");
  EXPECT_EQ(replica.text, "five") << "of the owner that is over";
  snapshot(5, "five");  // its snapshot, too
  EXPECT_EQ(core.at().stream.epoch, 1u);
  EXPECT_FALSE(core.should_ask(now));
  now += 1s;
  snapshot(0, "two", {2, 1});
  EXPECT_EQ(replica.text, "twox");
  core.position({{2, 2}, 0}, now);  // the same owner has made another one
  EXPECT_FALSE(core.is_current());
  snapshot(0, "", {2, 2});
  EXPECT_EQ(replica.text, "");
}

TEST_F(MirrorCoreTest, MissingAnnouncedChangesRequestSnapshot) {
  snapshot(0, "");
  core.position({{1, 1}, 2}, now);
  EXPECT_FALSE(core.is_current());
  EXPECT_FALSE(core.should_ask(now)) << "they may be on their way";
  now += kBehind;
  core.position({{1, 1}, 2}, now);
  snapshot(2, "ab");
  EXPECT_TRUE(core.is_current());
}

TEST_F(MirrorCoreTest, WhatTheReplicaRefusesIsAskedForAgainLater) {
  snapshot(0, "bad");
  EXPECT_EQ(core.problem(), Errc::refused);
  EXPECT_FALSE(core.has_state());
  EXPECT_FALSE(core.should_ask(now));
  now += kSnapshotPause;
  snapshot(0, "");
  delta(1, "bad");
  EXPECT_FALSE(core.has_state());
  now += 1s;
  snapshot(1, "good");
  EXPECT_TRUE(core.is_current());
  EXPECT_EQ(core.problem(), Errc::ok);
}

TEST_F(MirrorCoreTest, FailedQuestionsAreRepeatedMoreAndMoreSlowly) {
  MirrorCore::Time pause = kSnapshotPause;
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t question = core.asked();
    core.no_snapshot(question + 1, Errc::unreachable, now);  // of another one
    core.no_snapshot(question, Errc::too_large, now);
    EXPECT_EQ(core.problem(), Errc::too_large);
    EXPECT_FALSE(core.should_ask(now + pause - 1ms));
    now += pause;
    EXPECT_TRUE(core.should_ask(now));
    pause = std::min<MirrorCore::Time>(pause * 2, kSnapshotLongest);
  }
}

TEST_F(MirrorCoreTest, WhatIsKeptIsBounded) {
  for (std::uint64_t i = 2; i < 2 + 2 * kMirrorDeltas; ++i) delta(i, "x");
  EXPECT_EQ(core.counters().overflows, 1u);
  snapshot(1, "");
  EXPECT_EQ(replica.text, "") << "the next one was dropped";
  EXPECT_FALSE(core.is_current());
  now += 1s;
  snapshot(1 + 2 * kMirrorDeltas, "all");
  EXPECT_TRUE(core.is_current());
  EXPECT_EQ(replica.text, "all");
}

// --- the model -----------------------------------------------------------------------------------

/// A publisher, and a network that loses, doubles and reorders.
struct World {
  struct Message {
    enum class Kind { delta, position, question, snapshot, failure } kind;
    Position at;
    std::string text;
    std::uint64_t question = 0;
  };

  Stream stream{1, 1};
  std::uint64_t seq = 0;
  std::string state;
  std::map<Position, std::string> history;
  std::deque<Message> network;
  Text replica;
  MirrorCore core{replica};
  MirrorCore::Time now = 1s;
  Position before;
  int changes = 0;

  World() { note(); }
  void note() { history[{stream, seq}] = state; }
  void publish() {
    const std::string text = std::to_string(++changes) + ";";
    state += text;
    ++seq;
    note();
    network.push_back({Message::Kind::delta, {stream, seq}, text});
  }
  void restart(bool same_owner) {
    if (!same_owner) ++stream.epoch;
    ++stream.life;
    seq = 0;
    // It comes back with what it had saved, which may be older.
    state = history.lower_bound({{stream.epoch - (same_owner ? 0u : 1u), 0}, 0})->second;
    note();
  }
  void ask() {
    if (core.should_ask(now)) {
      network.push_back({Message::Kind::question, {}, {}, core.asked()});
    }
  }
  void deliver(const Message& message) {
    using Kind = Message::Kind;
    switch (message.kind) {
      case Kind::delta:
        core.delta(message.at, bus::as_bytes(message.text), now);
        break;
      case Kind::position:
        core.position(message.at, now);
        break;
      case Kind::question:
        network.push_back({Kind::snapshot, {stream, seq}, state, message.question});
        break;
      case Kind::snapshot:
        core.snapshot(message.question, message.at, bus::as_bytes(message.text), now);
        break;
      case Kind::failure:
        core.no_snapshot(message.question, Errc::unreachable, now);
        break;
    }
    check();
  }
  /// Always a state that the publisher had, and never back to an earlier one.
  void check() {
    if (!core.has_state()) return;
    RC_ASSERT(history.at(core.at()) == replica.text);
    RC_ASSERT(core.at() >= before);
    before = core.at();
  }
  Message take(std::size_t index) {
    Message message = network[index];
    network.erase(network.begin() + static_cast<std::ptrdiff_t>(index));
    return message;
  }
  /// A question that is lost ends as a failure, at its deadline.
  void lose(const Message& message) {
    using Kind = Message::Kind;
    if (message.kind == Kind::question || message.kind == Kind::snapshot) {
      network.push_back({Kind::failure, {}, {}, message.question});
    }
  }
  void step() {
    ask();
    const int what = *rc::gen::inRange(0, 12);
    if (what < 4) return publish();
    if (what == 4 && *rc::gen::inRange(0, 4) == 0) return restart(*rc::gen::arbitrary<bool>());
    if (what == 5) return network.push_back({Message::Kind::position, {stream, seq}, {}});
    if (what == 6) now += std::chrono::milliseconds(*rc::gen::inRange(1, 3'000));
    if (network.empty()) return;
    if (what == 7) return deliver(network[*rc::gen::inRange<std::size_t>(0, network.size())]);
    const Message message = take(what < 10 ? 0 : *rc::gen::inRange<std::size_t>(0, network.size()));
    if (what == 8 && message.kind != Message::Kind::failure) return lose(message);
    deliver(message);
  }
  void heal() {
    for (int i = 0; i < 20 && !(core.is_current() && core.at() == Position{stream, seq}); ++i) {
      network.push_back({Message::Kind::position, {stream, seq}, {}});
      now += kSnapshotLongest;
      ask();
      while (!network.empty()) {
        deliver(take(0));
        ask();
      }
    }
  }
};

RC_GTEST_PROP(MirrorModel, ItsStateIsAlwaysOneThatThePublisherHadAndConverges, ()) {
  World world;
  const int steps = *rc::gen::inRange(1, 200);
  for (int i = 0; i < steps; ++i) world.step();
  world.heal();
  RC_ASSERT(world.core.is_current());
  RC_ASSERT(world.replica.text == world.state);
  world.core.position({world.stream, world.seq}, world.now);
  RC_ASSERT(world.core.fresh_at() == world.now);
}

TEST(ReplicaErrors, HaveNames) {
  EXPECT_EQ(name_of(Errc::ok), "ok");
  EXPECT_EQ(name_of(static_cast<Errc>(99)), "unknown");
}

}  // namespace
}  // namespace starbus::nodes::replica
