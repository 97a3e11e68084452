#include <fcntl.h>
#include <sys/resource.h>

#include "nodes/gate/net/front_metrics.hpp"
#include "tests/nodes/gate/net/one_front.hpp"

namespace starbus::nodes::gate::net {
namespace {

using std::chrono::milliseconds;
using test::Client;
using test::length_frame;

class FrontDefence : public test::OneFront {
 protected:
  FrontDefence() { listen(); }
};

TEST_F(FrontDefence, ConnectionsInAllAreBounded) {
  settings_.limits.connections = 2;
  start();
  connect();
  connect();
  Client& third = connect();
  EXPECT_TRUE(until_refused(third, CloseReason::full));
  EXPECT_EQ(ended(Ending::full), 1U);
  EXPECT_EQ(opened_.size(), 2U);
  for (std::uint64_t i = 1; i < kRefusedAtOnce; ++i) connect();
  ASSERT_TRUE(until([&] { return ended(Ending::full) == kRefusedAtOnce; }));
  EXPECT_EQ(front_->counters().unheard, 0U);
  Client& unheard = connect();
  ASSERT_TRUE(until([&] { return unheard.has_ended(); }));
  EXPECT_EQ(unheard.in(), "");
  EXPECT_EQ(front_->counters().unheard, 1U);
  third.hang_up();
  clients_[0]->hang_up();
  ASSERT_TRUE(until([&] { return closed_.size() == 1; }));
  Client& late = connect();
  late.say(length_frame("there is room"));
  EXPECT_TRUE(until_frame(late, "there is room"));
}

TEST_F(FrontDefence, ConnectionsOfOneAddressAreBounded) {
  settings_.limits.connections_per_address = 1;
  start();
  Client& first = connect();
  Client& second = connect();
  EXPECT_TRUE(until_refused(second, CloseReason::too_many));
  EXPECT_EQ(ended(Ending::too_many_of_address), 1U);
  first.hang_up();
  ASSERT_TRUE(until([&] { return front_->admission().connections() == 0; }));
  Client& third = connect();
  third.say(length_frame("hi"));
  EXPECT_TRUE(until_frame(third, "hi"));
}

TEST_F(FrontDefence, HandshakesAtOnceAreBounded) {
  settings_.limits.handshakes_at_once = 1;
  start();
  Client& first = connect();
  Client& second = connect();
  EXPECT_TRUE(until_refused(second, CloseReason::later));
  first.say(length_frame("hello"));
  EXPECT_TRUE(until_frame(first, "hello"));
  Client& third = connect();
  third.say(length_frame("hello"));
  EXPECT_TRUE(until_frame(third, "hello"));
}

TEST_F(FrontDefence, ASilentConnectionEndsAfterHandshakeTime) {
  settings_.limits.handshake_time = milliseconds(30);
  listen(true);
  listen(false, true);
  start();
  Client& bare = connect();
  Client& secure = connect(1);
  Client& browser = connect(2);
  EXPECT_TRUE(until_refused(bare, CloseReason::idle));
  EXPECT_TRUE(until([&] { return secure.has_ended() && browser.has_ended(); }));
  EXPECT_EQ(secure.in(), "");
  EXPECT_TRUE(browser.in().starts_with("HTTP/1.1 503 "));
  EXPECT_EQ(ended(Ending::slow_handshake), 3U);
  EXPECT_EQ(closed_.size(), 1U);
}

TEST_F(FrontDefence, AFrameByteByByteEndsAfterFrameTime) {
  settings_.limits.frame_time = milliseconds(40);
  start();
  Client& client = connect();
  client.say(length_frame("hello"));
  ASSERT_TRUE(until_frame(client, "hello"));
  client.say(length_frame(std::string(9'000, 'x')).substr(0, 4));
  EXPECT_TRUE(until([&] {
    client.say_now("x");  // a byte at a time, so it is never silent
    return client.has_ended() || !closed_.empty();
  }));
  EXPECT_TRUE(until_refused(client, CloseReason::idle));
  EXPECT_EQ(closed_[last_opened()], Ending::slow_frame);
}

TEST_F(FrontDefence, SilenceEndsAfterThreeHeartbeats) {
  settings_.limits.heartbeat = milliseconds(20);
  start();
  Client& client = connect();
  const auto since = std::chrono::steady_clock::now();
  client.say(length_frame("hello"));
  ASSERT_TRUE(until_frame(client, "hello"));
  EXPECT_TRUE(until_refused(client, CloseReason::idle));
  EXPECT_GE(std::chrono::steady_clock::now() - since, kSilentBeats * milliseconds(20));
  EXPECT_EQ(closed_[last_opened()], Ending::silent);
}

TEST_F(FrontDefence, OversizedFramesAreRefusedByTheirLength) {
  start();
  const auto length_only = [](std::size_t length) {
    return length_frame(std::string(length, 'x')).substr(0, 4);
  };
  Client& first = connect();
  first.say(length_only(kFirstFrameBytes + 1));
  EXPECT_TRUE(until_refused(first, CloseReason::too_large));

  Client& entry = connect();
  entry.say(length_frame(std::string(kFirstFrameBytes, 'h')));
  entry.say(length_frame(std::string(kEntryFrameBytes, 'e')));
  ASSERT_TRUE(until([&] { return frames_ == 2; }));
  const ConnectionId id = last_opened();
  entry.say(length_only(kEntryFrameBytes + 1));
  EXPECT_TRUE(until_refused(entry, CloseReason::too_large));
  EXPECT_EQ(front_->counters().of(Ending::too_large), 2U);

  Client& session = connect();
  session.say(length_frame("hello"));
  ASSERT_TRUE(until([&] { return frames_ == 3; }));
  EXPECT_NE(last_opened(), id);
  front_->allow_frames(last_opened(), kFrameBytes);
  session.say(length_frame(std::string(kFrameBytes, 's')));
  ASSERT_TRUE(until([&] { return frames_ == 4; }));
  session.say(length_only(kFrameBytes + 1));
  EXPECT_TRUE(until_refused(session, CloseReason::too_large));
}

TEST_F(FrontDefence, FramesASecondAreBounded) {
  settings_.limits.frames_per_second = 1;
  settings_.limits.frame_burst = 5;
  start();
  Client& client = connect();
  std::string frames;
  for (int i = 0; i < 7; ++i) frames += length_frame("f");
  client.say(frames);
  EXPECT_TRUE(until_refused(client, CloseReason::too_many));
  EXPECT_EQ(frames_, 5U);
  EXPECT_EQ(closed_[last_opened()], Ending::too_many_frames);
}

TEST_F(FrontDefence, AClientThatDoesNotReadEndsAsTooSlow) {
  settings_.limits.queue_bytes = 1_MiB;
  start();
  Client& client = connect();
  deaf_ = &client;
  client.say(length_frame("hello"));
  ASSERT_TRUE(until([&] { return frames_ == 1; }));
  const Body big = body(std::string(100'000, 'x'));
  while (front_->send(last_opened(), big)) loop_.poll();
  ASSERT_TRUE(until([&] { return !closed_.empty(); }));
  EXPECT_EQ(closed_[last_opened()], Ending::too_slow);
  EXPECT_LE(front_->held_bytes(), 200'000U);  // the frame that has begun, and the reason
  deaf_ = nullptr;
  EXPECT_TRUE(until_refused(client, CloseReason::too_slow));
}

TEST_F(FrontDefence, AboveTheBudgetWhoHoldsMostEnds) {
  settings_.limits.memory_bytes = 1_MiB;
  start();
  Client& slow = connect();
  deaf_ = &slow;
  Client& quick = connect();
  ASSERT_TRUE(until([&] { return opened_.size() == 2; }));
  const Body big = body(std::string(100'000, 'x'));
  while (front_->send(opened_[0], big)) loop_.poll();
  EXPECT_GT(front_->held_bytes(), 1_MiB);
  EXPECT_TRUE(front_->send(opened_[1], body(std::string(kLeastShare / 2, 'y'))));
  EXPECT_TRUE(until_frame(quick, "yyy"));
  ASSERT_TRUE(until([&] { return !closed_.empty(); }));
  EXPECT_EQ(closed_, (std::map<ConnectionId, Ending>{{opened_[0], Ending::too_slow}}));
}

TEST_F(FrontDefence, AClosedConnectionIsCutAfterCloseTime) {
  settings_.limits.close_time = milliseconds(30);
  start();
  connect();
  Client& slow = connect();
  deaf_ = &slow;
  ASSERT_TRUE(until([&] { return opened_.size() == 2; }));
  for (int i = 0; i < 30; ++i) front_->send(opened_[1], body(std::string(100'000, 'x')));
  front_->close(opened_[0], body("last"));  // it does not hang up
  front_->close(opened_[1], body("last"));  // it does not read
  EXPECT_TRUE(until([&] { return front_->admission().connections() == 0; }));
  EXPECT_EQ(front_->held_bytes(), 0U);
}

TEST_F(FrontDefence, AClosedConnectionThatGoesOnSendingIsCut) {
  start();
  Client& client = connect();
  ASSERT_TRUE(until([&] { return opened_.size() == 1; }));
  front_->close(last_opened(), body("last"));
  const std::string piece(16'384, 'x');
  EXPECT_TRUE(until([&] {
    client.say_now(piece);
    return front_->admission().connections() == 0;
  }));
  EXPECT_EQ(frames_, 0U);
}

TEST_F(FrontDefence, MetricsTellReasonsAndKinds) {
  start();
  daemon::Metrics metrics;
  add_front_metrics(metrics, *front_);
  Client& bad = connect();
  Client& good = connect();
  bad.say("\xff\xff\xff\xff");
  good.say(length_frame("hello"));
  EXPECT_TRUE(until_refused(bad, CloseReason::too_large));
  EXPECT_TRUE(until_frame(good, "hello"));
  bad.hang_up();
  ASSERT_TRUE(until([&] { return front_->admission().connections() == 1; }));
  const std::string text = metrics.text();
  for (const char* line : {"starbus_gate_connections{kind=\"tcp\"} 1\n",
                           "starbus_gate_connections_ended_total{reason=\"too_large\"} 1\n",
                           "starbus_gate_frames_received_total 1\n", "starbus_gate_handshakes 0\n",
                           "starbus_gate_certificate_expires_seconds 0\n"}) {
    EXPECT_THAT(text, ::testing::HasSubstr(line));
  }
}

TEST_F(FrontDefence, ResetsAreCountedAsLost) {
  start();
  Client& client = connect();
  client.say(length_frame("hello"));
  ASSERT_TRUE(until_frame(client, "hello"));
  front_->pause(last_opened());
  loop_.poll();
  client.reset();
  ASSERT_TRUE(until([&] { return !closed_.empty(); }));
  EXPECT_EQ(closed_[last_opened()], Ending::lost);
}

TEST_F(FrontDefence, WithoutDescriptorsItPausesAndGoesOn) {
  start();
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  Client& cut = connect();
  const FileDescriptor next_free(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const rlimit tight{static_cast<rlim_t>(next_free.get()), before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &tight);
  EXPECT_TRUE(until([&] { return front_->counters().accept_pauses > 0; }));
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(until([&] { return cut.has_ended(); }));
  Client& late = connect();
  late.say(length_frame("hi"));
  EXPECT_TRUE(until_frame(late, "hi"));
}

}  // namespace
}  // namespace starbus::nodes::gate::net
