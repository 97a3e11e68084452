// The verifier over HTTP: what it asks, what it makes of answers, and servers that fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdlib>
#include <filesystem>

#include "nodes/login/verify/http_verifier.hpp"
#include "tests/nodes/login/verify/local_server.hpp"
#include "tests/nodes/test_loop.hpp"

namespace starbus::nodes::login {
namespace {

using namespace std::chrono_literals;
using fixture::LocalServer;
using fixture::response;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Kind = Verdict::Kind;

bus::Bytes bytes_of(std::string_view text) {
  const bus::ByteView view = bus::as_bytes(text);
  return {view.begin(), view.end()};
}
HttpMapping open_id(const std::string& url) {
  return {.url = url,
          .headers = {{"Authorization", "Bearer {ticket}"}},
          .account = "sub",
          .prefix = "oidc:"};
}
HttpMapping steam(const std::string& url) {
  return {.url = url + "?key=K&appid=480&ticket={ticket_hex}",
          .get = true,
          .account = "response.params.steamid",
          .prefix = "steam:",
          .required = {{"response.params.result", "OK"}}};
}

TEST(BreakerTest, OpensAfterFailuresAndTriesOne) {
  Breaker breaker;
  for (std::size_t i = 0; i < kBreakerFailures; ++i) {
    EXPECT_TRUE(breaker.may_ask(1s));
    breaker.failed(1s);
  }
  EXPECT_TRUE(breaker.open());
  EXPECT_FALSE(breaker.may_ask(1s + kBreakerRest - 1ms));
  EXPECT_TRUE(breaker.may_ask(1s + kBreakerRest));
  EXPECT_FALSE(breaker.may_ask(1s + kBreakerRest));  // one tries
  breaker.failed(2s + kBreakerRest);
  EXPECT_FALSE(breaker.may_ask(2s + 2 * kBreakerRest - 1ms));
  EXPECT_TRUE(breaker.may_ask(2s + 2 * kBreakerRest));
  breaker.succeeded();
  EXPECT_TRUE(breaker.may_ask(2s + 2 * kBreakerRest));
  EXPECT_FALSE(breaker.open());
}

TEST(HttpMappingTest, TicketsAreEscapedAndNeverBreakALine) {
  const HttpUrl url = parse_url("http://h/a?t={ticket_url}").value();
  HttpMapping mapping = open_id("http://h/a?t={ticket_url}");
  mapping.body = "hex={ticket_hex}&{other}";
  const auto question = question_of(mapping, url, bytes_of("a+b/{ticket}"));
  ASSERT_TRUE(question) << question.error().to_string();
  EXPECT_EQ(question->target, "/a?t=a%2Bb%2F%7Bticket%7D");
  EXPECT_EQ(question->body, "hex=612b622f7b7469636b65747d&{other}");
  EXPECT_EQ(question->headers[0].second, "Bearer a+b/{ticket}");
  for (const char* ticket : {"", "a\r\nHost: evil", "a\nb", "\x80"}) {
    EXPECT_EQ(question_of(mapping, url, bytes_of(ticket)).error(), Errc::malformed) << ticket;
  }
}

TEST(HttpMappingTest, NamesOfAccountsAreSafeAndDistinct) {
  const HttpMapping mapping = open_id("http://h/");
  const auto name = [&](const std::string& sub) {
    const Verdict verdict = verdict_of(mapping, {200, R"({"sub":)" + sub + "}"});
    return verdict.kind == Kind::right ? verdict.account : "none";
  };
  EXPECT_EQ(name(R"("auth0|Ada/1")"), "oidc:auth0%7CAda%2F1");
  EXPECT_EQ(name(R"("auth0%7CAda")"), "oidc:auth0%257CAda");
  EXPECT_EQ(name("76561198000000000"), "oidc:76561198000000000");
  EXPECT_EQ(name(R"("")"), "none");
  EXPECT_EQ(name("null"), "none");
  EXPECT_EQ(name("1.5"), "none");
  EXPECT_NE(name('"' + std::string(kExternalName - 5, 'a') + '"'), "none");
  EXPECT_EQ(
      verdict_of(mapping, {200, R"({"sub":")" + std::string(kExternalName - 4, 'a') + "\"}"}).kind,
      Kind::later);
}

TEST(HttpMappingTest, AnswersAreJudged) {
  const HttpMapping mapping = steam("http://h/");
  const auto kind = [&](unsigned status, const std::string& body) {
    return verdict_of(mapping, {status, body}).kind;
  };
  const std::string good = R"({"response":{"params":{"result":"OK","steamid":"7"}}})";
  EXPECT_EQ(kind(200, good), Kind::right);
  EXPECT_EQ(kind(200, R"({"response":{"params":{"result":"NO","steamid":"7"}}})"), Kind::wrong);
  EXPECT_EQ(kind(200, R"({"response":{"error":{"errorcode":101}}})"), Kind::wrong);
  for (const unsigned status : {400U, 401U, 403U}) EXPECT_EQ(kind(status, good), Kind::wrong);
  for (const unsigned status : {204U, 302U, 404U, 429U, 500U, 503U}) {
    EXPECT_EQ(kind(status, good), Kind::later) << status;
  }
  for (const char* body : {"", "[]", "7", "<html>", R"({"response":)"}) {
    EXPECT_EQ(kind(200, body), Kind::later) << body;
  }
}

TEST(HttpMappingTest, ConfigurationsThatCannotWorkAreRefused) {
  EXPECT_TRUE(check_mapping(open_id("https://accounts.example.com/userinfo")));
  EXPECT_TRUE(check_mapping(steam("https://partner.steam-api.com:8443/x")));
  for (const char* url : {"", "ftp://h/", "https://", "https:///x", "https://h:port/",
                          "https://a b/", "https://user@h/", "https://h/ x"}) {
    EXPECT_EQ(check_mapping(open_id(url)).error(), Errc::bad_mapping) << url;
  }
  HttpMapping mapping = open_id("https://h/");
  mapping.prefix = "oidc";  // a typed name could have it
  EXPECT_EQ(check_mapping(mapping).error(), Errc::bad_mapping);
  mapping = open_id("https://h/");
  mapping.account.clear();
  EXPECT_EQ(check_mapping(mapping).error(), Errc::bad_mapping);
  mapping = open_id("https://h/");
  mapping.headers.clear();
  EXPECT_THAT(check_mapping(mapping).error().detail, HasSubstr("the ticket is said nowhere"));
}

class HttpVerifierTest : public ::testing::Test {
 protected:
  std::unique_ptr<HttpVerifier> open(HttpMapping mapping, HttpOptions options = {}) {
    auto opened =
        HttpVerifier::open(loop_, std::move(mapping), std::move(options), [this] { return now_; });
    EXPECT_TRUE(opened) << opened.error().to_string();
    return *std::move(opened);
  }
  void ask(HttpVerifier& verifier, std::string_view ticket) {
    verifier.verify({{}, bytes_of(ticket)},
                    [this](Verdict verdict) { verdicts_.push_back(std::move(verdict)); });
  }
  Verdict verify(HttpVerifier& verifier, std::string_view ticket) {
    verdicts_.clear();
    ask(verifier, ticket);
    EXPECT_TRUE(verdicts_.empty());
    wait(1);
    return verdicts_.front();
  }
  void wait(std::size_t count) {
    ASSERT_TRUE(loop_.run_until([&] { return verdicts_.size() >= count; }));
  }

  nodes::test::Loop loop_;
  Time now_{1s};
  std::vector<Verdict> verdicts_;
};

TEST_F(HttpVerifierTest, AsksAnOpenIdServer) {
  std::mutex mutex;
  std::string seen;
  LocalServer server([&](const std::string& request) {
    const std::lock_guard lock(mutex);
    seen = request;
    return request.find("Bearer good") != std::string::npos
               ? response("200 OK", R"({"sub":"1234","email":"ada@example.com"})")
               : response("401 Unauthorized", R"({"error":"invalid_token"})");
  });
  const auto verifier = open(open_id(server.url("/userinfo")));
  const Verdict verdict = verify(*verifier, "good");
  EXPECT_EQ(verdict.kind, Kind::right);
  EXPECT_EQ(verdict.account, "oidc:1234");
  {
    const std::lock_guard lock(mutex);
    EXPECT_THAT(seen, AllOf(StartsWith("POST /userinfo HTTP/1.1\r\n"), HasSubstr("Host: localhost"),
                            HasSubstr("Authorization: Bearer good\r\n")));
  }
  EXPECT_EQ(verify(*verifier, "bad").kind, Kind::wrong);
  EXPECT_EQ(verify(*verifier, "bad\r\nX: y").kind, Kind::wrong);  // and nobody is asked
  EXPECT_EQ(verifier->failures(), 0U);
}

TEST_F(HttpVerifierTest, AsksAServerOfTickets) {
  std::mutex mutex;
  std::string seen;
  LocalServer server([&](const std::string& request) {
    const std::lock_guard lock(mutex);
    seen = request;
    return response("200 OK", R"({"response":{"params":{"result":"OK","steamid":"765"}}})");
  });
  const auto verifier = open(steam(server.url("/Auth/v1/")));
  const Verdict verdict = verify(*verifier, "\x01\xff");
  EXPECT_EQ(verdict.account, "steam:765");
  const std::lock_guard lock(mutex);
  EXPECT_THAT(seen, StartsWith("GET /Auth/v1/?key=K&appid=480&ticket=01ff HTTP/1.1\r\n"));
}

TEST_F(HttpVerifierTest, ConnectionsAreUsedAgain) {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t together = 0;  // so many answers wait for each other
  std::size_t here = 0;
  bool hang_up = false;
  LocalServer server([&](const std::string&) {
    std::unique_lock lock(mutex);
    if (std::exchange(hang_up, false)) return std::string();
    if (++here == together) {
      here = 0;
      together = 0;
      changed.notify_all();
    }
    changed.wait(lock, [&] { return together == 0; });
    return response("200 OK", R"({"sub":"1"})");
  });
  const auto verifier = open(open_id(server.url("/")));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(verify(*verifier, "x").kind, Kind::right);
  EXPECT_EQ(server.connections(), 1);
  // The server closes it: asked again over another one, which is no failure.
  {
    const std::lock_guard lock(mutex);
    hang_up = true;
  }
  EXPECT_EQ(verify(*verifier, "x").kind, Kind::right);
  EXPECT_EQ(server.connections(), 2);
  EXPECT_EQ(verifier->failures(), 0U);
  // More at once than are kept: two of them begin anew the next time.
  const auto at_once = [&](std::size_t count) {
    verdicts_.clear();
    {
      const std::lock_guard lock(mutex);
      here = 0;
      together = count;
    }
    for (std::size_t i = 0; i < count; ++i) ask(*verifier, "x");
    wait(count);
  };
  at_once(kHttpKept + 2);
  const int all = server.connections();
  at_once(kHttpKept + 2);
  EXPECT_EQ(server.connections(), all + 2);
  // None is kept for longer than it should be.
  const auto forgetful = open(open_id(server.url("/")), {.idle = 0ms});
  const int before = server.connections();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(verify(*forgetful, "x").kind, Kind::right);
  EXPECT_EQ(server.connections(), before + 3);
  EXPECT_EQ(HttpOptions().idle, kHttpIdle);
}

TEST_F(HttpVerifierTest, AServerThatDoesNotAnswerIsGivenUp) {
  std::mutex mutex;
  std::unique_lock hold(mutex);
  LocalServer server([&](const std::string&) {
    const std::lock_guard wait(mutex);
    return std::string();
  });
  {
    // Time enough to connect on a busy machine; all at once, as each takes that long.
    const auto verifier = open(open_id(server.url("/")), {.deadline = 1s});
    for (std::size_t i = 0; i < kBreakerFailures; ++i) ask(*verifier, "x");
    wait(kBreakerFailures);
    for (const Verdict& verdict : verdicts_) EXPECT_EQ(verdict.kind, Kind::later);
    EXPECT_EQ(server.connections(), static_cast<int>(kBreakerFailures));
    EXPECT_TRUE(verifier->resting());
    EXPECT_EQ(verify(*verifier, "x").kind, Kind::later);  // at once
    EXPECT_EQ(server.connections(), static_cast<int>(kBreakerFailures));
    now_ += kBreakerRest;
    EXPECT_EQ(verify(*verifier, "x").kind, Kind::later);
    EXPECT_EQ(server.connections(), static_cast<int>(kBreakerFailures) + 1);
  }
  EXPECT_EQ(HttpOptions().deadline, kHttpDeadline);
  hold.unlock();
}

TEST_F(HttpVerifierTest, AnswersThatAreNoneAreFailures) {
  std::mutex mutex;
  std::string answer;
  LocalServer server([&](const std::string&) {
    const std::lock_guard lock(mutex);
    return answer;
  });
  const auto answers = [&](const std::string& with) {
    const std::lock_guard lock(mutex);
    answer = with;
  };
  const auto verifier = open(open_id(server.url("/")));
  const std::string large = R"({"sub":"1","x":")" + std::string(kHttpAnswer, 'x') + "\"}";
  const std::string endless = "HTTP/1.1 200 OK\r\nX: " + std::string(2 * kHttpAnswer, 'x');
  std::uint64_t failures = 0;
  for (const std::string& each :
       {response("200 OK", large), endless, std::string("hello\r\n\r\n"), std::string(),
        response("500 Internal Server Error", "{}"), response("200 OK", "<html>")}) {
    answers(each);
    now_ += kBreakerRest;
    EXPECT_EQ(verify(*verifier, "x").kind, Kind::later) << each.substr(0, 60);
    EXPECT_EQ(verifier->failures(), ++failures);
  }
  answers(response("200 OK", R"({"sub":"1"})"));
  now_ += kBreakerRest;
  EXPECT_EQ(verify(*verifier, "x").kind, Kind::right);
  EXPECT_FALSE(verifier->resting());
}

TEST_F(HttpVerifierTest, QuestionsAtOnceAreBounded) {
  std::mutex mutex;
  std::unique_lock hold(mutex);
  LocalServer server([&](const std::string&) {
    const std::lock_guard wait(mutex);
    return response("200 OK", R"({"sub":"1"})");
  });
  const auto verifier = open(open_id(server.url("/")));
  for (std::size_t i = 0; i < kHttpAtOnce + 1; ++i) ask(*verifier, "x");
  wait(1);
  EXPECT_EQ(verdicts_.front().kind, Kind::later);  // the last one
  hold.unlock();
  wait(kHttpAtOnce + 1);
  for (std::size_t i = 1; i < verdicts_.size(); ++i) EXPECT_EQ(verdicts_[i].kind, Kind::right);
}

TEST_F(HttpVerifierTest, ItsEndDropsWhatIsUnderWay) {
  std::mutex mutex;
  std::unique_lock hold(mutex);
  LocalServer server([&](const std::string&) {
    const std::lock_guard wait(mutex);
    return std::string();
  });
  {
    const auto verifier = open(open_id(server.url("/")));
    ask(*verifier, "x");
    ask(*verifier, "");
  }
  loop_.run_what_is_there();
  EXPECT_TRUE(verdicts_.empty());
  hold.unlock();
}

TEST_F(HttpVerifierTest, TheCertificateMustBeThatOfTheServer) {
  std::string pattern = ::testing::TempDir() + "verify.XXXXXX";
  const std::filesystem::path folder = ::mkdtemp(pattern.data());
  const std::string make =
      "cd " + folder.string() +
      " && openssl req -x509 -newkey ed25519 -nodes -keyout key -out cert -days 2 "
      "-subj /CN=localhost -addext subjectAltName=DNS:localhost 2>/dev/null";
  ASSERT_EQ(std::system(make.c_str()), 0);
  fixture::asio::ssl::context tls(fixture::asio::ssl::context::tls_server);
  tls.use_certificate_chain_file((folder / "cert").string());
  tls.use_private_key_file((folder / "key").string(), fixture::asio::ssl::context::pem);
  const auto answer = [](const std::string&) { return response("200 OK", R"({"sub":"1"})"); };
  LocalServer server(answer, &tls);
  const HttpOptions options{.authorities = (folder / "cert").string()};
  const auto good = open(open_id(server.url("/")), options);
  EXPECT_EQ(verify(*good, "x").kind, Kind::right);
  EXPECT_EQ(verify(*good, "x").kind, Kind::right);
  EXPECT_EQ(server.connections(), 1);
  const auto unknown = open(open_id(server.url("/")));  // the system's authorities
  EXPECT_EQ(verify(*unknown, "x").kind, Kind::later);
  std::string other = server.url("/");
  other.replace(other.find("localhost"), 9, "127.0.0.1");
  const auto named = open(open_id(other), options);
  EXPECT_EQ(verify(*named, "x").kind, Kind::later);
  EXPECT_EQ(HttpVerifier::open(loop_, open_id(other), {.authorities = "/nowhere"}).error(),
            Errc::bad_mapping);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace starbus::nodes::login
