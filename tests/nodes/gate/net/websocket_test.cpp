#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>

#include "tests/nodes/gate/net/one_front.hpp"

namespace starbus::nodes::gate::net {
namespace {

using test::Client;
using test::ws_frame;

class FrontWebSocket : public test::OneFront {
 protected:
  FrontWebSocket() { listen(false, true); }
  Client& upgrade(const std::string& more = "") {
    Client& client = connect();
    client.say(test::upgrade_request() + more);
    EXPECT_TRUE(until([&] { return client.in().find("\r\n\r\n") != std::string::npos; }));
    EXPECT_TRUE(client.in().starts_with("HTTP/1.1 101 "));
    client.in().erase(0, client.in().find("\r\n\r\n") + 4);
    return client;
  }
  std::string status_of(const std::string& request) {
    Client& client = connect();
    client.say(request);
    EXPECT_TRUE(until([&] { return client.has_ended(); }));
    return client.in().substr(9, 3);
  }
};

TEST_F(FrontWebSocket, UpgradesThatAreNotAllowedHearWhy) {
  start();
  EXPECT_EQ(status_of(test::upgrade_request("/other")), "404");
  EXPECT_EQ(status_of(test::upgrade_request("/", "Origin: https://evil\r\n")), "403");
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "426");
  EXPECT_EQ(status_of("\x16\x03\x01\r\n\r\n"), "400");
  EXPECT_EQ(ended(Ending::upgrade), 4U);
  EXPECT_TRUE(opened_.empty());
}

TEST_F(FrontWebSocket, AnUpgradeThatIsTooLongIsRefused) {
  start();
  const std::string cookie = "Cookie: " + std::string(kUpgradeBytes, 'c') + "\r\n";
  EXPECT_EQ(status_of(test::upgrade_request("/", cookie)), "431");
  EXPECT_EQ(front_->held_bytes(), 0U);
}

TEST_F(FrontWebSocket, WhatComesWithTheRequestIsNotLost) {
  start();
  Client& client = upgrade(ws_frame("early") + ws_frame("p", {WsOpcode::ping}));
  const std::string wanted =
      "\x82\x05"
      "early"
      "\x8a\x01p";
  ASSERT_TRUE(until([&] { return client.in().size() >= wanted.size(); }));
  // An answer of the owner may go before or after that of the protocol.
  EXPECT_NE(client.in().find("early"), std::string::npos);
  EXPECT_NE(client.in().find("\x8a\x01p"), std::string::npos);
}

TEST_F(FrontWebSocket, CutAtEveryByteOfAnUpgrade) {
  start();
  const std::string request = test::upgrade_request();
  for (std::size_t cut = 0; cut <= request.size(); ++cut) {
    Client& client = connect();
    client.say_now(request.substr(0, cut));
    loop_.poll();
    cut % 2 == 0 ? client.reset() : client.hang_up();
    if (cut % 50 == 0) clients_.clear();
  }
  ASSERT_TRUE(until([&] { return front_->admission().connections() == 0; }));
  EXPECT_EQ(opened_.size(), 1U);
  EXPECT_EQ(front_->held_bytes(), 0U);
}

TEST_F(FrontWebSocket, TextIsMalformed) {
  start();
  Client& client = upgrade();
  client.say(ws_frame("hi", {WsOpcode::text}));
  EXPECT_TRUE(until_refused(client, CloseReason::malformed));
  EXPECT_TRUE(client.in().ends_with("\x88\x02\x03\xe8"));
  EXPECT_EQ(closed_[last_opened()], Ending::malformed);
}

TEST_F(FrontWebSocket, ARefusalGoesAfterTheAnswerToTheUpgrade) {
  start();
  Client& client = connect();
  client.say(test::upgrade_request() + ws_frame("hi", {WsOpcode::text}));
  EXPECT_TRUE(until_refused(client, CloseReason::malformed));
  EXPECT_TRUE(client.in().starts_with("HTTP/1.1 101 "));
}

TEST_F(FrontWebSocket, APingFloodEnds) {
  settings_.limits.frames_per_second = 1;
  settings_.limits.frame_burst = 5;
  start();
  Client& client = upgrade();
  std::string pings;
  for (int i = 0; i < 10; ++i) pings += ws_frame("", {WsOpcode::ping});
  client.say(pings);
  EXPECT_TRUE(until_refused(client, CloseReason::too_many));
}

TEST_F(FrontWebSocket, ACloseIsAnswered) {
  start();
  Client& client = upgrade();
  client.say(ws_frame("\x03\xe8", {WsOpcode::close}));
  ASSERT_TRUE(until([&] { return client.has_ended(); }));
  EXPECT_EQ(client.in(), "\x88\x02\x03\xe8");
  EXPECT_EQ(closed_[last_opened()], Ending::left);
}

TEST_F(FrontWebSocket, BeastTalksToIt) {
  namespace beast = boost::beast;
  start();
  beast::websocket::stream<boost::asio::ip::tcp::socket> stream(loop_);
  stream.next_layer().connect(
      {boost::asio::ip::make_address("127.0.0.1"), front_->addresses()[0].port});
  stream.binary(true);
  stream.write_buffer_bytes(16);
  stream.auto_fragment(true);  // a message of some fragments
  const std::string message(300, 'm');
  beast::flat_buffer answer;
  bool done = false;
  stream.async_handshake("127.0.0.1", "/", [&](beast::error_code failed) {
    ASSERT_FALSE(failed);
    stream.async_write(boost::asio::buffer(message), [&](beast::error_code error, std::size_t) {
      ASSERT_FALSE(error);
      stream.async_read(answer, [&](beast::error_code broken, std::size_t) {
        ASSERT_FALSE(broken);
        stream.async_close(beast::websocket::close_code::normal,
                           [&](beast::error_code) { done = true; });
      });
    });
  });
  ASSERT_TRUE(until([&] { return done; }));
  EXPECT_EQ(beast::buffers_to_string(answer.data()), message);
  EXPECT_TRUE(stream.got_binary());
}

}  // namespace
}  // namespace starbus::nodes::gate::net
