// The client's side of a WebSocket: the upgrade, frames both ways, and what is refused.
#include "clients/cpp/web_socket.hpp"

#include <gmock/gmock.h>
#include <openssl/evp.h>

#include "clients/cpp/frame_stream.hpp"
#include "clients/cpp/limits.hpp"

namespace starbus::game {
namespace {

using testing::HasSubstr;

/// The other side, by hand.
class WebSocketTest : public ::testing::Test {
 protected:
  std::string request() { return std::string(text_of(stream.output())); }
  static std::string accept_of(const std::string& request) {
    const std::string field = "Sec-WebSocket-Key: ";
    const std::size_t at = request.find(field) + field.size();
    const std::string text =
        request.substr(at, request.find("\r\n", at) - at) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    unsigned char hash[20];
    EVP_Digest(text.data(), text.size(), hash, nullptr, EVP_sha1(), nullptr);
    char accept[32];
    EVP_EncodeBlock(reinterpret_cast<unsigned char*>(accept), hash, sizeof hash);
    return accept;
  }
  static std::string answer_to(const std::string& request) {
    return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\n"
           "sec-websocket-accept:  " +
           accept_of(request) + "\r\n\r\n";
  }
  bool take(const std::string& text) {
    Bytes whole;
    const bool good = stream.take(bytes_of(text), whole);
    frames.append(whole);
    return good;
  }
  void upgrade() {
    ASSERT_TRUE(take(answer_to(request())));
    ASSERT_TRUE(stream.ready());
  }
  std::optional<std::string> next() {
    const auto frame = frames.next();
    return frame ? std::optional(std::string(text_of(*frame))) : std::nullopt;
  }

  WebSocketStream stream{"gate:7000", "/play"};
  FrameStream frames;
};

TEST_F(WebSocketTest, AsksForTheUpgradeAndTakesFramesInAnyPieces) {
  const std::string asked = request();
  EXPECT_TRUE(asked.starts_with("GET /play HTTP/1.1\r\nHost: gate:7000\r\n"));
  EXPECT_FALSE(stream.ready());
  const std::string all =
      answer_to(asked) + std::string("\x82\x03one\x02\x02tw\x80\x01o\x82\x00", 15);
  for (const char each : all) ASSERT_TRUE(take(std::string(1, each)));
  EXPECT_EQ(next(), "one");
  EXPECT_EQ(next(), "two");
  EXPECT_EQ(next(), "");
  EXPECT_EQ(next(), std::nullopt);
}

TEST_F(WebSocketTest, SaysMaskedMessagesOfEachLength) {
  upgrade();
  for (const std::size_t size : {0u, 125u, 126u, 65'535u, 65'536u}) {
    const std::string text(size, 'x');
    Bytes out;
    stream.put(bytes_of(text), out);
    const std::string_view said = text_of(out);
    const std::size_t head = size < 126 ? 2 : size < 65'536 ? 4 : 10;
    ASSERT_EQ(said.size(), head + 4 + size);
    EXPECT_EQ(said[0], '\x82');
    EXPECT_NE(said[1] & 0x80, 0);
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_EQ(said[head + 4 + i] ^ said[head + i % 4], 'x');
    }
  }
}

TEST_F(WebSocketTest, AnswersPingsAndEndsWithAClose) {
  upgrade();
  ASSERT_TRUE(take(std::string("\x89\x02hi\x8a\x00", 6)));
  EXPECT_EQ(stream.output().size(), 2u + 4 + 2);
  EXPECT_TRUE(stream.output().empty());
  EXPECT_FALSE(take(std::string("\x88\x00", 2)));
  EXPECT_THAT(stream.why(), HasSubstr("closed by the gate"));
  EXPECT_FALSE(take("x")) << "it stays failed";
}

TEST_F(WebSocketTest, AnotherAnswerIsRefused) {
  const std::string asked = request();
  const std::string good = answer_to(asked);
  for (const std::string& bad :
       {std::string("HTTP/1.1 404 Not Found\r\n\r\n"), std::string("SSH-2.0-x\r\n\r\n"),
        std::string("HTTP/1.1 101 x\r\nUpgrade: websocket\r\n\r\n"),
        std::string(kUpgradeBytes + 1, 'x')}) {
    WebSocketStream other("gate:7000", "/play");
    Bytes whole;
    EXPECT_FALSE(other.take(bytes_of(bad), whole)) << bad.substr(0, 40);
    EXPECT_FALSE(other.why().empty());
  }
  WebSocketStream other("gate:7000", "/play");
  Bytes whole;
  EXPECT_FALSE(other.take(bytes_of(good), whole)) << "the answer to another key";
}

TEST_F(WebSocketTest, MalformedFramesAreRefused) {
  const std::string huge = std::string("\x82\x7f", 2) + std::string(8, '\x7f');
  for (const std::string& bad :
       {std::string("\xc2\x00", 2), std::string("\x82\x80", 2), std::string("\x81\x00", 2),
        std::string("\x80\x00", 2), std::string("\x09\x00", 2), std::string("\x89\x7e\x00\x80", 4),
        std::string("\x8b\x00", 2), std::string("\x02\x00\x82\x00", 4), huge}) {
    WebSocketStream other("gate:7000", "/play");
    const std::string asked(text_of(other.output()));
    Bytes whole;
    ASSERT_TRUE(other.take(bytes_of(answer_to(asked)), whole));
    EXPECT_FALSE(other.take(bytes_of(bad + std::string(200, 'x')), whole));
    EXPECT_FALSE(other.why().empty());
  }
}

}  // namespace
}  // namespace starbus::game
