#include "daemon/admin/http_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <string>
#include <thread>

namespace starbus::daemon {
namespace {

using namespace std::chrono_literals;
using boost::asio::ip::tcp;
using testing::HasSubstr;

/// Answers one request with fixed bytes; then closes, or waits for the client to go.
class FixedServer {
 public:
  enum class Then { close, wait };
  FixedServer(std::string answer, Then then)
      : acceptor_(loop_, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)),
        thread_([this, answer = std::move(answer), then] { serve(answer, then); }) {}
  ~FixedServer() { thread_.join(); }
  HttpClient client(std::chrono::milliseconds timeout = 5s) const {
    const auto port = acceptor_.local_endpoint().port();
    return HttpClient::at("127.0.0.1:" + std::to_string(port), timeout).value();
  }

 private:
  void serve(const std::string& answer, Then then) {
    boost::system::error_code ignored;
    tcp::socket socket(loop_);
    acceptor_.accept(socket, ignored);
    std::string request;
    boost::asio::read_until(socket, boost::asio::dynamic_buffer(request), "\r\n\r\n", ignored);
    boost::asio::write(socket, boost::asio::buffer(answer), ignored);
    char byte = 0;
    if (then == Then::wait) socket.read_some(boost::asio::buffer(&byte, 1), ignored);
  }

  boost::asio::io_context loop_;
  tcp::acceptor acceptor_;
  std::thread thread_;
};

using Then = FixedServer::Then;
const std::string kOk = "HTTP/1.1 200 OK\r\n";

TEST(HttpClient, Endpoints) {
  EXPECT_TRUE(HttpClient::at("http://127.0.0.1:80/"));
  EXPECT_TRUE(HttpClient::at("[::1]:80"));
  EXPECT_TRUE(HttpClient::at("unix:///run/starbus/busd-admin.sock"));
  EXPECT_EQ(HttpClient::at("nonsense").error(), bus::Errc::bad_config);
  EXPECT_EQ(HttpClient::at("unix://relative").error(), bus::Errc::bad_config);
}

TEST(HttpClient, NobodyListensAtTheSocket) {
  const auto failed = HttpClient::at("unix:///nowhere/admin.sock").value().get("/status");
  EXPECT_EQ(failed.error(), bus::Errc::unreachable);
  EXPECT_THAT(failed.error().detail, HasSubstr("unix:///nowhere/admin.sock"));
}

TEST(HttpClient, ReadsABody) {
  const FixedServer server(kOk + "Content-Length: 5\r\n\r\nhello", Then::wait);
  EXPECT_EQ(server.client().get("/").value(), "hello");
}

TEST(HttpClient, NobodyListens) {
  std::uint16_t port = 0;
  {
    boost::asio::io_context loop;
    const tcp::acceptor free(loop, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
    port = free.local_endpoint().port();
  }
  const auto client = HttpClient::at("127.0.0.1:" + std::to_string(port)).value();
  const auto failed = client.get("/");
  EXPECT_EQ(failed.error(), bus::Errc::unreachable);
  EXPECT_THAT(failed.error().detail, HasSubstr("127.0.0.1:" + std::to_string(port)));
}

TEST(HttpClient, NoAnswerInTime) {
  const FixedServer server("", Then::wait);
  EXPECT_EQ(server.client(50ms).get("/").error(), bus::Errc::deadline);
}

TEST(HttpClient, HalfAnAnswerInTime) {
  const FixedServer server(kOk + "Content-Length: 5\r\n\r\nhe", Then::wait);
  EXPECT_EQ(server.client(50ms).get("/").error(), bus::Errc::deadline);
}

TEST(HttpClient, TheServerDies) {
  const FixedServer server("", Then::close);
  EXPECT_EQ(server.client().get("/").error(), bus::Errc::unreachable);
  const FixedServer half(kOk + "Content-Length: 5\r\n\r\nhe", Then::close);
  EXPECT_EQ(half.client().get("/").error(), bus::Errc::unreachable);
}

TEST(HttpClient, NotHttp) {
  const FixedServer server("SSH-2.0-OpenSSH_9.2\r\n\r\n", Then::wait);
  EXPECT_EQ(server.client().get("/").error(), bus::Errc::bad_bytes);
}

TEST(HttpClient, TooLarge) {
  const FixedServer server(kOk + "Content-Length: 99999999999\r\n\r\nx", Then::wait);
  EXPECT_EQ(server.client().get("/").error(), bus::Errc::too_large);
}

TEST(HttpClient, RefusalsKeepTheirReason) {
  const FixedServer json(
      "HTTP/1.1 403 Forbidden\r\nContent-Length: 16\r\n\r\n{\"error\":\"acl\"}\n", Then::wait);
  const auto refused = json.client().get("/");
  EXPECT_EQ(refused.error(), bus::Errc::handler_failed);
  EXPECT_EQ(refused.error().detail, "403 Forbidden: acl");
  const FixedServer detailed(
      "HTTP/1.1 400 Bad Request\r\nContent-Length: 38\r\n\r\n"
      "{\"error\":\"bad_name\",\"detail\":\"no '/'\"}",
      Then::wait);
  EXPECT_EQ(detailed.client().get("/").error().detail, "400 Bad Request: bad_name: no '/'");
  const FixedServer text("HTTP/1.1 500 Broken\r\nContent-Length: 2\r\n\r\n[]", Then::wait);
  EXPECT_EQ(text.client().get("/").error().detail, "500 Broken");
}

TEST(HttpClient, LinesAreCutWhereverTheChunksEnd) {
  const FixedServer server(kOk +
                               "Transfer-Encoding: chunked\r\n\r\n"
                               "3\r\none\r\n5\r\n\ntwo\n\r\n6\r\nthree\n\r\n0\r\n\r\n",
                           Then::close);
  std::string all;
  ASSERT_TRUE(server.client().stream("/", [&](std::string_view line) {
    all.append(line).append("|");
    return true;
  }));
  EXPECT_EQ(all, "one|two|three|");
}

TEST(HttpClient, AStreamThatBreaksOffIsAnError) {
  const FixedServer server(kOk + "Transfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n", Then::close);
  int lines = 0;
  const auto read = server.client().stream("/", [&](std::string_view) { return ++lines > 0; });
  EXPECT_EQ(lines, 1);
  EXPECT_EQ(read.error(), bus::Errc::unreachable);
}

TEST(HttpClient, AnEndlessLineIsRefused) {
  std::string answer = kOk + "Transfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 80; ++i) answer += "4000\r\n" + std::string(0x4000, 'x') + "\r\n";
  const FixedServer server(answer, Then::close);
  const auto read = server.client().stream("/", [](std::string_view) { return true; });
  EXPECT_EQ(read.error(), bus::Errc::too_large);
}

}  // namespace
}  // namespace starbus::daemon
