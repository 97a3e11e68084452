#include <dirent.h>

#include <random>

#include "tests/nodes/gate/net/one_front.hpp"

namespace starbus::nodes::gate::net {
namespace {

using test::Client;
using test::length_frame;
using test::ws_frame;

class FrontTest : public test::OneFront {
 protected:
  static std::size_t open_files() {
    std::size_t count = 0;
    DIR* folder = ::opendir("/proc/self/fd");
    while (::readdir(folder) != nullptr) ++count;
    ::closedir(folder);
    return count;
  }
};

TEST_F(FrontTest, EveryKindEchoes) {
  for (const bool tls : {false, true}) {
    for (const bool websocket : {false, true}) listen(tls, websocket);
  }
  start();
  const auto context = test::client_context();
  const std::string big(kFirstFrameBytes, 'b');
  for (std::size_t i = 0; i < 4; ++i) {
    const bool websocket = settings_.listeners[i].websocket;
    Client& client = connect(i);
    if (settings_.listeners[i].tls) client.secure(context.get());
    std::string answer;
    if (websocket) {
      client.say(test::upgrade_request());
      ASSERT_TRUE(until([&] { return client.in().ends_with("\r\n\r\n"); }));
      EXPECT_TRUE(client.in().starts_with("HTTP/1.1 101 "));
      client.in().clear();
      client.say(ws_frame("hi") + ws_frame(big));
      const FrameHead head = ws_head(WsOpcode::binary, big.size());
      answer = std::string("\x82\x02hi") +
               std::string(reinterpret_cast<const char*>(head.bytes.data()), head.size) + big;
    } else {
      client.say(length_frame("hi") + length_frame(big));
      answer = length_frame("hi") + length_frame(big);
    }
    EXPECT_TRUE(until([&] { return client.in().size() >= answer.size(); }));
    EXPECT_EQ(client.in(), answer);
    EXPECT_EQ(static_cast<std::size_t>(arrivals_[last_opened()].kind),
              (websocket ? 2U : 0U) + (settings_.listeners[i].tls ? 1U : 0U));
    client.hang_up();
    EXPECT_TRUE(until([&] { return closed_.size() == i + 1; }));
    EXPECT_EQ(closed_[last_opened()], Ending::left);
  }
  EXPECT_EQ(front_->counters().opened, (std::array<std::uint64_t, 4>{1, 1, 1, 1}));
  EXPECT_EQ(front_->counters().open, (std::array<std::uint64_t, 4>{}));
}

TEST_F(FrontTest, FramesAreTheSameHoweverTheyAreCut) {
  listen();
  start();
  Client& client = connect();
  const std::string bytes = length_frame("one") + length_frame("") + length_frame("three");
  for (const char byte : bytes) {
    client.say_now({&byte, 1});
    loop_.poll();
  }
  EXPECT_TRUE(until([&] { return client.in().size() >= bytes.size(); }));
  EXPECT_EQ(client.in(), bytes);
  EXPECT_EQ(frames_, 3U);
}

TEST_F(FrontTest, FramesOfOneTurnGoOutTogether) {
  listen();
  start();
  Client& client = connect();
  ASSERT_TRUE(until([&] { return !opened_.empty(); }));
  std::string all;
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(front_->send(last_opened(), body(std::to_string(i))));
    all += length_frame(std::to_string(i));
  }
  EXPECT_EQ(front_->queued_bytes(last_opened()), all.size());
  loop_.poll();
  EXPECT_EQ(front_->queued_bytes(last_opened()), 0U);
  std::string got(all.size(), '\0');
  EXPECT_EQ(::recv(client.descriptor(), got.data(), got.size(), 0),
            static_cast<ssize_t>(all.size()));
  EXPECT_EQ(got, all);
}

TEST_F(FrontTest, OneBodyGoesToAll) {
  echoes_ = false;
  listen();
  start();
  constexpr std::size_t kClients = kFlushTurn + 44;
  for (std::size_t i = 0; i < kClients; ++i) connect();
  ASSERT_TRUE(until([&] { return opened_.size() == kClients; }));
  const Body one = body("the world ends at noon");
  for (const ConnectionId id : opened_) {
    const std::string number = std::to_string(id % 10);  // what is its own
    EXPECT_TRUE(front_->send(id, one, bus::as_bytes(number)));
  }
  EXPECT_EQ(one.use_count(), static_cast<long>(kClients + 1));
  for (std::size_t i = 0; i < kClients; ++i) {
    const std::string number = std::to_string(opened_[i] % 10);
    EXPECT_TRUE(until_frame(*clients_[i], number + "the world ends at noon"));
  }
  EXPECT_EQ(one.use_count(), 1);
}

TEST_F(FrontTest, ManyConnectionsLeaveNothingBehind) {
  listen();
  settings_.limits.connections_per_address = 4'000;
  start();
  const auto round = [&] {
    std::vector<std::unique_ptr<Client>> many;
    const std::size_t before = closed_.size();
    for (int i = 0; i < 250; ++i) {
      many.push_back(std::make_unique<Client>(front_->addresses()[0]));
      many.back()->say_now(length_frame("hello").substr(0, static_cast<std::size_t>(i) % 10));
      if (i % 50 == 0) loop_.poll();
    }
    for (std::size_t i = 0; i < many.size(); ++i) {
      i % 2 == 0 ? many[i]->hang_up() : many[i]->reset();
    }
    EXPECT_TRUE(until([&] { return closed_.size() == before + many.size(); }));
  };
  round();
  const std::size_t files = open_files();
  for (int i = 0; i < 7; ++i) round();
  EXPECT_TRUE(until([&] { return front_->admission().connections() == 0; }));
  EXPECT_EQ(open_files(), files);
  EXPECT_EQ(front_->admission().handshakes(), 0U);
  EXPECT_EQ(front_->admission().sources(), 0U);
  EXPECT_EQ(front_->held_bytes(), 0U);
  EXPECT_EQ(front_->counters().accepted, 2'000U);
}

TEST_F(FrontTest, ASlowReaderDoesNotDelayOthers) {
  listen();
  settings_.limits.queue_bytes = 32_MiB;
  start();
  echoes_ = false;
  Client& slow = connect();
  deaf_ = &slow;
  ASSERT_TRUE(until([&] { return opened_.size() == 1; }));
  const ConnectionId slow_id = last_opened();
  constexpr std::size_t kPieces = 60;  // more than the system keeps for a connection
  const Body big = body(std::string(kWriteTurn, 'x'));
  for (std::size_t i = 0; i < kPieces; ++i) ASSERT_TRUE(front_->send(slow_id, big));
  Client& quick = connect();
  ASSERT_TRUE(until([&] { return opened_.size() == 2; }));
  EXPECT_GT(front_->queued_bytes(slow_id), 0U);
  front_->send(last_opened(), body("at once"));
  EXPECT_TRUE(until_frame(quick, "at once"));
  EXPECT_GT(front_->queued_bytes(slow_id), 0U);
  deaf_ = nullptr;
  EXPECT_TRUE(until([&] { return slow.in().size() == kPieces * (kWriteTurn + 4); }));
  EXPECT_EQ(front_->held_bytes(), 0U);
}

TEST_F(FrontTest, AFloodOfOneDoesNotDelayAnother) {
  listen();
  settings_.limits.frames_per_second = settings_.limits.frame_burst = 1'000'000;
  start();
  echoes_ = false;
  Client& flood = connect();
  Client& other = connect();
  ASSERT_TRUE(until([&] { return opened_.size() == 2; }));
  std::string frames;
  while (frames.size() < 64 * kReadTurn) frames += length_frame(std::string(100, 'x'));
  flood.say(frames);
  ASSERT_TRUE(until([&] { return frames_ > 0; }));
  flood.go_on();  // as much as the system keeps for it
  other.say_now(length_frame("other"));
  const std::uint64_t at = frames_;
  std::uint64_t before = 0;
  on_each_frame_ = [&](ConnectionId) {
    if (last_frame_ == "other") before = frames_ - at;
  };
  ASSERT_TRUE(until([&] { return before > 0; }));
  EXPECT_LE(before, 3 * kReadTurn / 104);  // not all that waited
}

TEST_F(FrontTest, PausedFramesStayWithTheClient) {
  listen();
  settings_.limits.heartbeat = std::chrono::milliseconds(20);  // silence of a paused one is allowed
  start();
  Client& client = connect();
  on_each_frame_ = [&](ConnectionId id) {
    if (frames_ == 1) front_->pause(id);
  };
  client.say(length_frame("one") + length_frame("two") + length_frame("three").substr(0, 6));
  ASSERT_TRUE(until([&] { return frames_ == 1; }));
  client.say(length_frame("three").substr(6));
  const auto later = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  ASSERT_TRUE(until([&] { return std::chrono::steady_clock::now() > later; }));
  EXPECT_EQ(frames_, 1U);
  EXPECT_TRUE(closed_.empty());
  front_->resume(last_opened());
  for (const char* wanted : {"one", "two", "three"}) EXPECT_TRUE(until_frame(client, wanted));
}

TEST_F(FrontTest, CloseSaysTheLastFrameAfterWhatIsQueued) {
  listen();
  listen(true, true);
  start();
  Client& client = connect();
  Client& browser = connect(1);
  const auto context = test::client_context();
  browser.secure(context.get());
  browser.say(test::upgrade_request());
  ASSERT_TRUE(until([&] { return opened_.size() == 2; }));
  for (const ConnectionId id : opened_) {
    front_->send(id, body("first"));
    front_->close(id, body("last"));
    EXPECT_FALSE(front_->send(id, body("too late")));
  }
  client.say(length_frame("unread"));  // does not keep the last word from coming
  ASSERT_TRUE(until([&] { return client.has_ended() && browser.has_ended(); }));
  EXPECT_EQ(client.in(), length_frame("first") + length_frame("last"));
  EXPECT_TRUE(
      browser.in().ends_with("\x82\x05"
                             "first\x82\x04last\x88\x02\x03\xe8"));
  client.hang_up();
  browser.hang_up();
  EXPECT_TRUE(until([&] { return front_->admission().connections() == 0; }));
  EXPECT_TRUE(closed_.empty());
}

TEST_F(FrontTest, StopSaysWhyToAllAndEnds) {
  listen();
  listen(true);
  start();
  for (int i = 0; i < 20; ++i) connect();
  connect(1);  // shakes hands and never will be done
  ASSERT_TRUE(until([&] { return front_->admission().connections() == 21; }));
  const PeerAddress address = front_->addresses()[0];
  bool done = false;
  front_->stop({CloseReason::leaving, 0, "an upgrade"}, [&] {
    done = true;
    front_.reset();
  });
  EXPECT_FALSE(Client(address).is_connected());
  for (int i = 0; i < 20; ++i) {
    Client& client = *clients_[static_cast<std::size_t>(i)];
    EXPECT_TRUE(until_refused(client, CloseReason::leaving));
    client.hang_up();
  }
  EXPECT_TRUE(until([&] { return done; }));
  EXPECT_EQ(closed_.size(), 20U);
}

TEST_F(FrontTest, AProxyHeaderGivesTheAddress) {
  listen().proxy = true;
  listen(true).proxy = true;
  settings_.limits.connections_per_address = 1;
  start();
  const std::string header = std::string("\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c", 16) +
                             std::string("\xc0\0\2\7\xc6\x33\x64\1\x12\x67\x1b\xb9", 12);
  Client& bare = connect();
  for (const char byte : header) bare.say_now({&byte, 1}), loop_.poll();
  bare.say(length_frame("hi"));
  EXPECT_TRUE(until_frame(bare, "hi"));
  EXPECT_EQ(arrivals_[last_opened()].address.to_string(), "192.0.2.7:4711");
  Client& second = connect();
  second.say(header + length_frame("hi"));
  EXPECT_TRUE(until_refused(second, CloseReason::too_many));
  bare.hang_up();
  second.hang_up();
  ASSERT_TRUE(until([&] { return front_->admission().connections() == 0; }));

  const auto context = test::client_context();
  Client& secure = connect(1);
  secure.say_now(header);
  secure.secure(context.get());
  secure.say(length_frame("hi"));
  EXPECT_TRUE(until_frame(secure, "hi"));
  EXPECT_EQ(arrivals_[last_opened()].address.to_string(), "192.0.2.7:4711");
  Client& none = connect();
  none.say(length_frame("no header at all"));
  EXPECT_TRUE(until([&] { return none.has_ended(); }));
  EXPECT_EQ(ended(Ending::proxy), 1U);
}

TEST_F(FrontTest, ANetworkOfV6IsOneAddress) {
  listen().proxy = true;
  settings_.limits.connections_per_address = 1;
  start();
  const auto from = [](char network, char host) {
    std::string header("\r\n\r\n\0\r\nQUIT\n\x21\x21\0\x24", 16);
    std::string address(16, '\0');
    address[0] = 0x20;
    address[7] = network;
    address[15] = host;
    return header + address + address + "\x12\x67\x1b\xb9" + length_frame("hi");
  };
  Client& first = connect();
  first.say(from(1, 1));
  EXPECT_TRUE(until_frame(first, "hi"));
  Client& neighbour = connect();
  neighbour.say(from(1, 2));
  EXPECT_TRUE(until_refused(neighbour, CloseReason::too_many));
  Client& other = connect();
  other.say(from(2, 1));
  EXPECT_TRUE(until_frame(other, "hi"));
  EXPECT_EQ(arrivals_[last_opened()].address.to_string(), "[2000:0:0:2::1]:4711");
}

TEST_F(FrontTest, AnAddressIsSharedOnlyIfAllSaySo) {
  listen().reuse_port = true;
  start();
  FrontSettings second = settings_;
  second.listeners[0].address = front_->addresses()[0];
  Front shared(loop_, second, *this, limited_);
  EXPECT_TRUE(shared.start());
  second.listeners[0].reuse_port = false;
  Front alone(loop_, second, *this, limited_);
  const auto started = alone.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error(), bus::Errc::io_error);
  EXPECT_THAT(started.error().detail,
              ::testing::HasSubstr(second.listeners[0].address.to_string() + ": bind"));
}

TEST_F(FrontTest, AListenerOfV6TakesBoth) {
  listen().address = *parse_address("[::]:0");
  front_ = std::make_unique<Front>(loop_, settings_, *this, limited_);
  if (!front_->start()) GTEST_SKIP() << "no IPv6 here";
  PeerAddress target = *parse_address("127.0.0.1:0");
  target.port = front_->addresses()[0].port;
  clients_.push_back(std::make_unique<Client>(target));
  clients_.back()->say(length_frame("hi"));
  EXPECT_TRUE(until_frame(*clients_.back(), "hi"));
  EXPECT_EQ(arrivals_[last_opened()].address.host(), "127.0.0.1");
}

TEST_F(FrontTest, HostileBytesEndOneConnectionAndNoMore) {
  listen(false, false);
  listen(false, true);
  settings_.limits.frames_per_second = settings_.limits.frame_burst = 1'000'000;
  start();
  Client& good = connect();
  std::mt19937 random(11);
  std::uniform_int_distribution<int> byte(0, 255);
  std::uniform_int_distribution<int> small(0, 3);
  for (int i = 0; i < 300; ++i) {
    Client& bad = connect(static_cast<std::size_t>(i) % 2);
    std::string bytes = i % 4 == 1 ? test::upgrade_request() : "";
    for (int j = 0; j < 200; ++j) {
      bytes.push_back(static_cast<char>(small(random) == 0 ? 0x82 : byte(random)));
    }
    bad.say_now(bytes);
    loop_.poll();
    bad.hang_up();
  }
  ASSERT_TRUE(until([&] { return front_->admission().connections() == 1; }));
  good.say(length_frame("still here"));
  EXPECT_TRUE(until_frame(good, "still here"));
}

}  // namespace
}  // namespace starbus::nodes::gate::net
