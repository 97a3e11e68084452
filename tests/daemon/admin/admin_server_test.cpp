#include "daemon/admin/admin_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/daemon/admin/admin_fixture.hpp"
#include "tests/daemon/support.hpp"

namespace starbus::daemon {
namespace {

using namespace std::chrono_literals;
using test::lines_of;
using test::LogCapture;
using testing::AnyOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kCloseLines = "Host: localhost\r\nConnection: close\r\n\r\n";

class AdminServerTest : public test::AdminFixture {
 protected:
  static void routes(AdminServer& server) {
    server.get("/echo", AdminRole::observe, [](const Request& request) {
      nlohmann::json query = nlohmann::json::object();
      for (const auto& [name, value] : request.query) query[name] = value;
      return Response::json({{"method", request.method}, {"query", query}});
    });
    server.post("/purge", [](const Request& request) {
      return Response::text(request.method + " " + std::to_string(request.body.size()));
    });
    server.get("/throws", AdminRole::observe,
               [](const Request&) -> Response { throw std::runtime_error("oops"); });
    server.get("/throws-int", AdminRole::observe, [](const Request&) -> Response { throw 7; });
  }
};

TEST_F(AdminServerTest, AnswersWithDecodedParameters) {
  start(routes);
  const auto body = client().get("/echo?name=" + percent_encode("player/4 2+\xc3\xa9") + "&x=a+b");
  ASSERT_TRUE(body) << body.error().to_string();
  const auto json = nlohmann::json::parse(*body);
  EXPECT_EQ(json["query"]["name"], "player/4 2+\xc3\xa9");
  EXPECT_EQ(json["query"]["x"], "a b");
  EXPECT_EQ(client().post("/purge", "12345").value(), "POST 5");
}

/// What comes over the bus has no connection here.
TEST_F(AdminServerTest, IsLookedAtWithoutAConnection) {
  boost::asio::io_context loop;
  auto listening = AdminServer::listen(loop, {});
  ASSERT_TRUE(listening) << listening.error().to_string();
  AdminServer& server = **listening;
  routes(server);
  server.get("/private", AdminRole::read, [](const Request&) { return Response::text("mail"); });
  server.get_async("/slow", AdminRole::observe, [](const Request&, const Reply&) {});
  for (const char* path : {"/echo", "/private", "/slow", "/throws"}) server.offer(path);
  server.get("/state", AdminRole::observe, [](const Request&) { return Response::text("gold"); });
  EXPECT_EQ(server.look("/state", AdminRole::operate).status, 403U) << "it was not offered";
  const auto json = nlohmann::json::parse(server.look("/echo?x=a%20b", AdminRole::read).body);
  EXPECT_EQ(json["query"]["x"], "a b");
  EXPECT_EQ(server.look("/private", AdminRole::read).body, "mail");
  EXPECT_EQ(server.look("/private", AdminRole::observe).status, 403U);
  EXPECT_EQ(server.look("/nothing", AdminRole::read).status, 404U);
  EXPECT_EQ(server.look("/purge", AdminRole::operate).status, 405U) << "nothing is changed so";
  EXPECT_EQ(server.look("/slow", AdminRole::read).status, 504U);
  EXPECT_EQ(server.look("/throws", AdminRole::read).status, 500U);
  EXPECT_EQ(server.look("no path", AdminRole::read).status, 400U);
}

TEST_F(AdminServerTest, UnknownPathsListTheRoutes) {
  start(routes);
  const std::string answer = exchange("GET /nothing HTTP/1.1\r\n" + kCloseLines);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 404 "));
  const auto json = nlohmann::json::parse(answer.substr(answer.find("\r\n\r\n")));
  EXPECT_EQ(json["error"], "not_found");
  EXPECT_EQ(json["detail"], "no such path: /nothing");
  ASSERT_EQ(json["routes"].size(), 4U);
  EXPECT_EQ(json["routes"][0]["path"], "/echo");
  EXPECT_EQ(json["routes"][1]["methods"], "POST");
}

TEST_F(AdminServerTest, WrongMethodsNameTheRightOnes) {
  start(routes);
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS"}) {
    const std::string answer = exchange(std::string(method) + " /echo HTTP/1.1\r\n" + kCloseLines);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 405 ")) << method;
    EXPECT_THAT(answer, HasSubstr("Allow: GET, HEAD\r\n"));
  }
  EXPECT_THAT(exchange("GET /purge HTTP/1.1\r\n" + kCloseLines), HasSubstr("Allow: POST\r\n"));
}

TEST_F(AdminServerTest, HeadHasTheHeaderOfGetAndNoBody) {
  start(routes);
  const std::string answer = exchange("HEAD /echo HTTP/1.1\r\n" + kCloseLines);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(answer, HasSubstr("Content-Length: 28\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

TEST_F(AdminServerTest, OneConnectionServesManyRequests) {
  start(routes);
  test::RawClient raw(server_->socket());
  for (int i = 0; i < 3; ++i) {
    raw.send("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_THAT(raw.receive_until("}\n"), StartsWith("HTTP/1.1 200 "));
  }
  raw.send("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\nGET /no HTTP/1.1\r\n" + kCloseLines);
  EXPECT_THAT(raw.receive_all(), HasSubstr("404"));  // pipelined requests are answered in order
}

TEST_F(AdminServerTest, RoutesThatThrowAnswer500) {
  const test::LogCapture log;
  start(routes);
  const auto failed = client().get("/throws");
  EXPECT_EQ(failed.error(), bus::Errc::handler_failed);
  EXPECT_EQ(failed.error().detail, "500 Internal Server Error: oops");
  EXPECT_EQ(client().get("/throws-int").error(), bus::Errc::handler_failed);
  EXPECT_TRUE(client().get("/echo"));
  EXPECT_THAT(log.text(), HasSubstr("admin route failed: oops"));
}

TEST_F(AdminServerTest, AHeaderThatIsTooLargeIsRefused) {
  start(routes);
  const std::string answer =
      exchange("GET /echo HTTP/1.1\r\nX: " + std::string(9000, 'x') + "\r\n" + kCloseLines);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(exchange("GET /echo?" + std::string(100'000, 'x')), StartsWith("HTTP/1.1 431 "));
}

TEST_F(AdminServerTest, ABodyThatIsTooLargeIsRefused) {
  start(routes);
  const std::string head = "POST /purge HTTP/1.1\r\nHost: localhost\r\nContent-Length: ";
  EXPECT_THAT(exchange(head + "65537\r\n\r\n" + std::string(65537, 'x')),
              StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(exchange(head + "99999999999\r\n\r\n"), StartsWith("HTTP/1.1 413 "));
  EXPECT_EQ(client().post("/purge", std::string(65536, 'x')).value(), "POST 65536");
  std::string chunks =
      "POST /purge HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 20; ++i) chunks += "1000\r\n" + std::string(4096, 'x') + "\r\n";
  EXPECT_THAT(exchange(chunks), StartsWith("HTTP/1.1 413 "));
}

TEST_F(AdminServerTest, GarbageIsRefused) {
  start(routes);
  std::string noise;
  for (int i = 0; i < 5000; ++i) noise.push_back(static_cast<char>((i * 7919 + 13) % 256));
  for (const std::string& garbage :
       {noise, std::string(4, '\0') + "\r\n\r\n", std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        std::string("GET /echo HTTP/1.1\r\nContent-Length: -5\r\n\r\n"),
        std::string("GET /echo HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"),
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11)}) {
    EXPECT_THAT(exchange(garbage), StartsWith("HTTP/1.1 400 "));
  }
  EXPECT_THAT(exchange("GET /%zz HTTP/1.1\r\n" + kCloseLines), StartsWith("HTTP/1.1 400 "));
  EXPECT_TRUE(client().get("/echo"));
}

TEST_F(AdminServerTest, GarbageIsLoggedOncePerAddress) {
  LogCapture log;
  start(routes);
  EXPECT_THAT(exchange_by_tcp("\x16\x03\x01 not HTTP\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(exchange_by_tcp("neither\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  TearDown();
  EXPECT_THAT(lines_of(log.text()), ElementsAre(StartsWith("warning: admin server: 127.0.0.1 sent "
                                                           "a malformed request: ")));
}

TEST_F(AdminServerTest, WebSitesAreRefused) {
  start(routes);
  const std::string origin = "Origin: http://evil.example\r\nContent-Length: 0\r\n";
  EXPECT_THAT(exchange("POST /purge HTTP/1.1\r\n" + origin + kCloseLines),
              StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(exchange("GET /echo HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 403 "));
  for (const char* host : {"127.0.0.1:80", "localhost:80", "[::1]:80", "[::1]"}) {
    EXPECT_THAT(exchange("GET /echo HTTP/1.1\r\nConnection: close\r\nHost: " + std::string(host) +
                         "\r\n\r\n"),
                StartsWith("HTTP/1.1 200 "))
        << host;
  }
}

TEST_F(AdminServerTest, TheConnectionAfterTheLastIsRefused) {
  start(routes);
  std::vector<std::unique_ptr<test::RawClient>> clients;
  for (int i = 0; i < 64; ++i) {
    clients.push_back(std::make_unique<test::RawClient>(server_->socket()));
    clients.back()->send("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ASSERT_THAT(clients.back()->receive_until("}\n"), StartsWith("HTTP/1.1 200 "));
  }
  test::RawClient refused(server_->socket());
  EXPECT_THAT(refused.receive_all(), StartsWith("HTTP/1.1 503 "));
  clients.back()->send("GET /echo HTTP/1.1\r\n" + kCloseLines);
  clients.back()->receive_all();
  while (on_loop([this] { return server_->connections(); }) >= 64) std::this_thread::yield();
  EXPECT_TRUE(client().get("/echo"));
}

TEST_F(AdminServerTest, IdleAndSlowConnectionsAreClosed) {
  AdminConfig config;
  config.idle_timeout = 50ms;
  start(routes, config);
  test::RawClient silent(server_->socket());
  test::RawClient slow(server_->socket());
  slow.send("GET /echo HTT");
  EXPECT_EQ(silent.receive_all(), "");
  EXPECT_EQ(slow.receive_all(), "");
  EXPECT_TRUE(client().get("/echo"));
}

TEST_F(AdminServerTest, AsynchronousRoutesAnswerWhenTheyCan) {
  AdminConfig config;
  config.idle_timeout = 200ms;
  std::vector<Reply> kept;
  start(
      [&](AdminServer& server) {
        server.get_async("/later", AdminRole::observe, [this](const Request&, const Reply& reply) {
          boost::asio::post(loop_, [reply] {
            reply(Response::text("done"));
            reply(Response::text("twice"));  // without effect
          });
        });
        server.get_async("/never", AdminRole::observe,
                         [&](const Request&, const Reply& reply) { kept.push_back(reply); });
      },
      config);
  EXPECT_EQ(client().get("/later").value(), "done");
  EXPECT_THAT(client().get("/never").error().detail, HasSubstr("504"));
  on_loop([&] { kept.at(0)(Response::text("too late")); });
}

TEST_F(AdminServerTest, CloseEndsEverything) {
  start(routes);
  test::RawClient idle(server_->socket());
  idle.send("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n");
  idle.receive_until("}\n");
  on_loop([this] { server_->close(); });
  EXPECT_EQ(idle.receive_all(), "");
  EXPECT_EQ(client().get("/echo").error(), bus::Errc::unreachable);
}

TEST(AdminServerListen, OnlyLoopbackUnlessAllowed) {
  boost::asio::io_context loop;
  const auto listen = [&](const std::string& address, bool allow_remote) {
    AdminConfig config;
    config.listen = address;
    config.allow_remote = allow_remote;
    return AdminServer::listen(loop, config);
  };
  for (const char* address : {"0.0.0.0:0", "[::]:0", "192.0.2.1:0", "example.com:0", "nonsense"}) {
    EXPECT_EQ(listen(address, false).error(), bus::Errc::bad_config) << address;
  }
  EXPECT_THAT(listen("0.0.0.0:0", false).error().detail, HasSubstr("allow_remote"));
  EXPECT_TRUE(listen("0.0.0.0:0", true));
  const auto first = listen("localhost:0", false);
  ASSERT_TRUE(first);
  EXPECT_THAT((*first)->address(), StartsWith("127.0.0.1:"));
  const auto second = listen((*first)->address(), false);
  EXPECT_EQ(second.error(), bus::Errc::io_error);
  EXPECT_THAT(second.error().detail, HasSubstr((*first)->address()));
}

TEST(AdminServerListen, TwoRoutesForOnePathAreAMistake) {
  boost::asio::io_context loop;
  const auto listening = AdminServer::listen(loop, {});
  ASSERT_TRUE(listening);
  AdminServer& server = **listening;
  const auto route = [](const Request&) { return Response(); };
  server.get("/x", AdminRole::observe, route);
  server.post("/x", route);
  EXPECT_THROW(server.get("/x", AdminRole::observe, route), std::logic_error);
  EXPECT_THROW(server.post("/x", route), std::logic_error);
  EXPECT_THROW(server.stream("/x", AdminRole::observe, nullptr), std::logic_error);
}

TEST(AdminServerListen, ReadsItsTable) {
  auto reader = ConfigReader::parse("[admin]\nlisten = '0.0.0.0:9321'\n", "f").value();
  ConfigReader table = reader.table("admin");
  read_admin_config(table, "127.0.0.1:1");
  EXPECT_THAT(reader.finish().error().detail, StartsWith("f:2:10: '0.0.0.0:9321' is not on"));
  auto good = ConfigReader::parse("", "f").value();
  ConfigReader none = good.table("admin");
  EXPECT_EQ(read_admin_config(none, "127.0.0.1:1").listen, "127.0.0.1:1");
}

}  // namespace
}  // namespace starbus::daemon
