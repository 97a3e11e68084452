// The clients of a gate over real sockets, with a core that a test looks into.
#include "nodes/gate/node/client_side.hpp"

#include <gtest/gtest.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include "nodes/gate/node/limits.hpp"

namespace starbus::nodes::gate {
namespace {

using boost::asio::ip::tcp;
using namespace std::chrono_literals;

class ClientSideTest : public ::testing::Test, private CoreDriver, private KeySource {
 protected:
  ClientSideTest() {
    net::FrontSettings settings;
    settings.listeners.push_back({*net::parse_address("127.0.0.1:0")});
    settings.limits.connections_per_address = 2'000;
    clients_.emplace(loop_, settings, limited_, static_cast<CoreDriver&>(*this), 7);
    EXPECT_TRUE(clients_->front().start());
  }
  tcp::socket connect() {
    tcp::socket socket(loop_);
    const std::uint16_t port = clients_->front().addresses().front().port;
    socket.connect({boost::asio::ip::make_address("127.0.0.1"), port});
    return socket;
  }
  static void say(tcp::socket& socket, const FromClient& frame) {
    bus::Bytes body;
    encode(frame, body);
    bus::Bytes bytes(4);
    bus::store(bytes.data(), static_cast<std::uint32_t>(body.size()));
    bytes.insert(bytes.end(), body.begin(), body.end());
    boost::asio::write(socket, boost::asio::buffer(bytes));
  }
  template <class Condition>
  bool until(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      loop_.restart();
      loop_.run_for(1ms);
    }
    return true;
  }
  GateCore& core() override { return core_; }
  void settle() override { static_cast<void>(core_.take()); }
  bool is_full() const override { return full; }
  Key key() override { return {1, ++keys_}; }

  std::uint64_t keys_ = 0;
  bool full = false;
  boost::asio::io_context loop_;
  daemon::RateLimited limited_;
  GateCore core_{GateOptions{{"gate/a.g", {}}, {}, kSessions, {}}, static_cast<KeySource&>(*this)};
  std::optional<ClientSide> clients_;
};

TEST_F(ClientSideTest, PingsGoOutInSlices) {
  std::vector<tcp::socket> sockets;
  for (std::size_t i = 0; i < kPingsTurn + 10; ++i) {
    sockets.push_back(connect());
    say(sockets.back(), Hello{});
  }
  ASSERT_TRUE(until([&] { return clients_->front().counters().frames_out == kPingsTurn + 10; }))
      << "each has its Greeting";
  const auto later = ClientSide::Clock::now() + clients_->front().limits().heartbeat + 1s;
  EXPECT_TRUE(clients_->tick(later)) << "there are more";
  EXPECT_EQ(clients_->front().counters().frames_out, 2 * kPingsTurn + 10);
  EXPECT_FALSE(clients_->tick(later));
  EXPECT_EQ(clients_->front().counters().frames_out, 2 * kPingsTurn + 20);
}

TEST_F(ClientSideTest, WhoAsksIsNotReadWhileTooMuchWaits) {
  tcp::socket socket = connect();
  say(socket, Hello{});
  full = true;
  say(socket, Login{"password", "ada", {}});
  ASSERT_TRUE(until([&] { return clients_->counters().paused == 1; }));
  const std::uint64_t read = clients_->front().counters().frames_in;
  say(socket, Ping{5});
  loop_.restart();
  loop_.run_for(20ms);
  EXPECT_EQ(clients_->front().counters().frames_in, read);
  static_cast<void>(clients_->tick(ClientSide::Clock::now()));
  full = false;
  static_cast<void>(clients_->tick(ClientSide::Clock::now()));
  EXPECT_TRUE(until([&] { return clients_->front().counters().frames_in == read + 1; }));
}

TEST_F(ClientSideTest, WhatIsNoFrameOrNotAtItsPlaceEndsTheConnection) {
  tcp::socket first = connect();
  say(first, Ping{1});  // before Hello
  ASSERT_TRUE(until([&] { return clients_->counters().malformed == 1; }));
  tcp::socket second = connect();
  say(second, Hello{});
  say(second, Hello{});
  ASSERT_TRUE(until([&] { return clients_->counters().malformed == 2; }));
  tcp::socket old = connect();
  say(old, Hello{kClientVersion + 1, kClientVersion + 2, 0, 0, {}});
  ASSERT_TRUE(until([&] { return clients_->counters().versions == 1; }));
  EXPECT_TRUE(until([&] { return clients_->size() == 0; }));
}

}  // namespace
}  // namespace starbus::nodes::gate
