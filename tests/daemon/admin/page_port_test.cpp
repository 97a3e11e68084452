/// A port with a page for operators, and who else may ask what there.
#include "daemon/admin/page_port.hpp"

#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/daemon/admin/admin_fixture.hpp"
#include "tests/daemon/support.hpp"

namespace starbus::daemon {
namespace {

using test::lines_of;
using test::LogCapture;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kKey = "0123456789abcdef0123456789abcdef";

class PagePortTest : public testing::Test {
 protected:
  void serve() {
    auto listening = PagePort::listen(loop_, {.listen = "127.0.0.1:0", .max_body = 100}, kKey);
    ASSERT_TRUE(listening) << listening.error().to_string();
    port_ = std::move(*listening);
    port_->file("/page", [](const Request&) { return Response::text("hi"); });
    port_->get("/state", [](const Request& request) {
      return Response::text("gold, for " + std::string(name_of(request.role)));
    });
    port_->post("/kill", [this](const Request&) {
      ++killed_;
      return Response::text("killed");
    });
    own_ = port_->address();
    thread_ = std::thread([this] { loop_.run(); });
  }
  void TearDown() override {
    if (!thread_.joinable()) return;
    boost::asio::post(loop_, [this] { port_.reset(); });
    work_.reset();
    thread_.join();  // ends only if the port leaves nothing on the loop
  }
  std::string exchange(const std::string& request) const {
    const std::string port = own_.substr(own_.find(':') + 1);
    test::RawClient raw(static_cast<std::uint16_t>(std::stoi(port)));
    raw.send(request);
    return raw.receive_all();
  }
  /// One request at the port; `fields` are lines with their ends.
  std::string ask(const std::string& what, const std::string& fields = {},
                  const std::string& host = {}) {
    const bool post = what.starts_with("POST");
    return exchange(what + " HTTP/1.1\r\nHost: " + (host.empty() ? own_ : host) + "\r\n" +
                    (post ? "Content-Length: 0\r\n" : "") + fields + "Connection: close\r\n\r\n");
  }
  static std::string with_key(const std::string& key) {
    return "Authorization: Bearer " + key + "\r\n";
  }
  static std::string status_of(const std::string& answer) { return answer.substr(9, 3); }

  boost::asio::io_context loop_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      loop_.get_executor()};
  std::unique_ptr<PagePort> port_;
  std::thread thread_;
  std::string own_;
  int killed_ = 0;
};

TEST_F(PagePortTest, WhoShowsTheKeyMayDoAll) {
  serve();
  EXPECT_THAT(ask("GET /state", with_key(kKey)), HasSubstr("gold, for operate"));
  EXPECT_THAT(ask("POST /kill", with_key(kKey)), HasSubstr("killed"));
  EXPECT_EQ(killed_, 1);
  const std::string unknown = ask("GET /nothing", with_key(kKey));
  EXPECT_EQ(status_of(unknown), "404");
  EXPECT_THAT(unknown, HasSubstr("/kill"));
  EXPECT_EQ(status_of(ask("PUT /state", with_key(kKey))), "405");
}

TEST_F(PagePortTest, ThePageNeedsNoKeyAndAllElseDoes) {
  serve();
  EXPECT_EQ(status_of(ask("GET /page")), "200");
  const std::string nearly = "0123456789abcdef0123456789abcdee";
  for (const std::string& fields :
       {std::string(), with_key(""), with_key(nearly), with_key(std::string(kKey) + "0"),
        with_key(std::string(kKey).substr(1)), std::string("Authorization: Basic ") + kKey + "\r\n",
        std::string("Authorization: ") + kKey + "\r\n", "X-Key: " + std::string(kKey) + "\r\n"}) {
    const std::string answer = ask("GET /state", fields);
    EXPECT_EQ(status_of(answer), "401") << fields;
    EXPECT_THAT(answer, HasSubstr("WWW-Authenticate: Bearer\r\n"));
    EXPECT_THAT(answer, HasSubstr("\"error\":\"unauthorized\""));
    EXPECT_EQ(status_of(ask("POST /kill", fields)), "401") << fields;
    EXPECT_EQ(status_of(ask("POST /page", fields)), "401") << fields;
    const std::string unknown = ask("GET /nothing", fields);
    EXPECT_EQ(status_of(unknown), "401") << "paths are told to nobody";
    EXPECT_THAT(unknown, Not(HasSubstr("/kill")));
  }
  EXPECT_EQ(killed_, 0);
}

/// A site that resolves its name to 127.0.0.1, one that posts here, and one on another port.
TEST_F(PagePortTest, OtherSitesAreRefusedAlsoWithTheKey) {
  serve();
  const std::string port = own_.substr(own_.find(':'));
  for (const std::string host : {"evil.example", "127.0.0.1", "127.0.0.1:1", "127.0.0.2", "[::1]",
                                 "localhost", "localhost:1", "evil.example:7681"}) {
    for (const char* what : {"GET /page", "GET /state", "POST /kill"}) {
      const std::string answer = ask(what, with_key(kKey), host);
      EXPECT_EQ(status_of(answer), "403") << what << " as " << host;
      EXPECT_THAT(answer, HasSubstr("Host: not the address of this port, " + own_));
    }
  }
  const std::vector<std::string> origins = {"http://evil.example",     "https://" + own_,
                                            "http://127.0.0.1:1",      "null",
                                            "http://localhost" + port, "http://" + own_ + "/"};
  for (const std::string& origin : origins) {
    const std::string fields = with_key(kKey) + "Origin: " + origin + "\r\n";
    EXPECT_EQ(status_of(ask("POST /kill", fields)), "403") << origin;
    EXPECT_EQ(status_of(ask("GET /state", fields)), "403") << origin;
  }
  EXPECT_EQ(killed_, 0);
  EXPECT_EQ(status_of(ask("POST /kill", with_key(kKey) + "Origin: http://" + own_ + "\r\n")),
            "200");
  EXPECT_EQ(status_of(ask("POST /kill", with_key(kKey) + "Origin: http://localhost" + port + "\r\n",
                          "localhost" + port)),
            "200");
  EXPECT_EQ(killed_, 2);
  EXPECT_EQ(status_of(exchange("GET /page HTTP/1.0\r\n\r\n")), "403") << "no Host";
}

TEST_F(PagePortTest, HugeBodiesAndGarbageAreRefused) {
  serve();
  EXPECT_EQ(status_of(exchange("POST /kill HTTP/1.1\r\nHost: " + own_ + "\r\n" + with_key(kKey) +
                               "Content-Length: 101\r\n\r\n" + std::string(101, 'x'))),
            "413");
  EXPECT_EQ(status_of(ask("GET /state?" + std::string(9000, 'x'))), "431");
  EXPECT_EQ(status_of(ask("GET /%zz", with_key(kKey))), "400");
  EXPECT_EQ(killed_, 0);
}

TEST_F(PagePortTest, ARefusalIsLoggedAndAnOrderIsAudited) {
  const LogCapture log;
  serve();
  ask("GET /state", with_key("wrong"));
  ask("GET /state", with_key("wrong"));  // within the same second: no line
  EXPECT_THAT(lines_of(log.text()),
              ElementsAre(StartsWith("warning: admin server: refused GET /state of 127.0.0.1: 401: "
                                     "{\"detail\":\"Authorization: no key, or a wrong one")));
  EXPECT_THAT(log.text(), Not(HasSubstr(kKey)));
}

TEST_F(PagePortTest, EndsWithAllThatItHas) {
  serve();
  test::RawClient idle(static_cast<std::uint16_t>(std::stoi(own_.substr(own_.find(':') + 1))));
  idle.send("GET /page HTTP/1.1\r\nHost: " + own_ + "\r\n\r\n");
  EXPECT_THAT(idle.receive_until("hi"), StartsWith("HTTP/1.1 200 "));
  TearDown();
  EXPECT_EQ(idle.receive_all(), "");
}

TEST(PagePortListen, OnlyOnLoopbackAndOnlyWithAKey) {
  boost::asio::io_context loop;
  EXPECT_EQ(PagePort::listen(loop, {}, "").error(), bus::Errc::bad_config);
  for (const char* address : {"0.0.0.0:0", "[::]:0", "192.0.2.1:0", "nonsense"}) {
    EXPECT_EQ(PagePort::listen(loop, {.listen = address}, kKey).error(), bus::Errc::bad_config);
  }
  const auto first = PagePort::listen(loop, {}, kKey);
  ASSERT_TRUE(first);
  EXPECT_EQ(PagePort::listen(loop, {.listen = (*first)->address()}, kKey).error(),
            bus::Errc::io_error);
}

}  // namespace
}  // namespace starbus::daemon
