/// The operator's view as a program: its page, its key, its orders, and what it refuses.
#include "examples/arena/operator/view_daemon.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <nlohmann/json.hpp>

#include "tests/daemon/admin/admin_fixture.hpp"
#include "tests/examples/arena/run.hpp"

namespace arena::view {
namespace {

using nlohmann::json;
using starbus::daemon::test::LogCapture;
using starbus::daemon::test::RawClient;
using test::wait_for;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

class ArenaView : public testing::Test {
 protected:
  ArenaView() {
    run_.add("one");
    std::filesystem::create_directories(run_.path() / "site/js/operator");
    run_.write("site/operator.html", "<h1>view</h1>");
    run_.write("site/operator.css", "h1 {}");
    run_.write("site/js/operator/main.js", "go();");
    run_.write("site/js/notes.txt", "not for pages");
    run_.write("secret", "keys of the run");
  }
  std::string path(const std::string& name) const { return (run_.path() / name).string(); }

  /// Runs the program; `talk` on a thread of its own, as soon as it serves.
  int run(const std::function<void()>& talk, const std::string& more = {}) {
    std::string text = "state_directory = '" + path("operator") + "'\nrun = '" +
                       run_.path().string() + "'\nsite = '" + path("site") +
                       "'\nlisten = '127.0.0.1:0'\n" + more + "[log]\ntarget = '" + path("log") +
                       "'\n";
    for (const Program& program : run_.programs) {
      text += "[[program]]\nname = '" + program.name + "'\nkind = 'tail'\nhost = 'a'\n";
    }
    run_.write("operator.toml", text);
    client_ = std::thread([this, talk] {
      const bool served = wait_for([&] { return ended_ || find_page(); }) && !ended_;
      if (!served) return;
      talk();
      ::kill(::getpid(), SIGTERM);
    });
    const std::string file = path("operator.toml");
    const char* const arguments[] = {"arena-operator", "--config", file.c_str()};
    const int code = starbus::daemon::run_daemon(
        {.name = "arena-operator", .version = "1", .description = "The view"},
        std::make_unique<ViewDaemon>(), 3, arguments);
    ended_ = true;
    client_.join();
    return code;
  }
  /// http://127.0.0.1:PORT/operator#KEY
  bool find_page() {
    const std::string text = read("operator/page");
    const std::size_t mark = text.find('#');
    if (mark == std::string::npos || !text.ends_with('\n')) return false;
    EXPECT_THAT(text, MatchesRegex("http://127.0.0.1:[0-9]+/operator#[0-9a-f]{32}\n"));
    host_ = text.substr(7, text.find("/operator") - 7);
    key_ = text.substr(mark + 1, 32);
    return true;
  }
  std::string read(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// The whole answer to one request with the key.
  std::string ask(const std::string& what, const std::string& key) const {
    RawClient raw(static_cast<std::uint16_t>(std::stoi(host_.substr(host_.find(':') + 1))));
    raw.send(what + " HTTP/1.1\r\nHost: " + host_ + "\r\nAuthorization: Bearer " + key +
             "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    return raw.receive_all();
  }
  std::string ask(const std::string& what) const { return ask(what, key_); }
  json view(std::uint64_t after = 0) const {
    const std::string answer = ask("GET /view?after=" + std::to_string(after));
    return json::parse(answer.substr(answer.find("\r\n\r\n")));
  }
  json program() const {
    const json shown = view();
    return shown.contains("programs") ? shown["programs"][0] : json{{"up", nullptr}};
  }

  test::Run run_;
  LogCapture former_;
  std::string host_;
  std::string key_;
  std::thread client_;
  std::atomic<bool> ended_ = false;
};

TEST_F(ArenaView, ServesItsPageAndNoOtherFile) {
  EXPECT_EQ(run([this] {
              const std::string page = ask("GET /operator", "");
              EXPECT_THAT(page, HasSubstr("<h1>view</h1>"));
              EXPECT_THAT(page, HasSubstr("Content-Type: text/html"));
              EXPECT_THAT(page, HasSubstr("Content-Security-Policy: default-src 'none'"));
              EXPECT_THAT(ask("GET /operator.css", ""), HasSubstr("h1 {}"));
              EXPECT_THAT(ask("GET /js/operator/main.js", ""), HasSubstr("text/javascript"));
              for (const char* other :
                   {"/secret", "/../secret", "/js/../../secret", "/js/notes.txt", "/operator.html/",
                    "/%2e%2e/secret", "/js/operator/..%2f..%2f..%2fsecret"}) {
                const std::string answer = ask(std::string("GET ") + other);
                EXPECT_THAT(answer, StartsWith("HTTP/1.1 404 ")) << other;
                EXPECT_THAT(answer, Not(HasSubstr("keys of the run"))) << other;
                EXPECT_THAT(ask(std::string("GET ") + other, ""), StartsWith("HTTP/1.1 401 "));
              }
            }),
            0);
}

TEST_F(ArenaView, KillsAndStartsForTheOneWithTheKey) {
  EXPECT_EQ(run([this] {
              EXPECT_THAT(ask("GET /view", "0123456789abcdef0123456789abcdef"),
                          StartsWith("HTTP/1.1 401 "));
              EXPECT_THAT(ask("POST /start?name=one", "x"), StartsWith("HTTP/1.1 401 "));
              ASSERT_TRUE(wait_for([&] { return program()["up"] == false; }));
              EXPECT_THAT(ask("POST /start?name=one"), HasSubstr("{\"done\":\"started\"}"));
              ASSERT_TRUE(wait_for([&] { return program()["up"] == true; }));
              const json up = program();
              const std::string kill = "POST /kill?name=one&pid=" + up["pid"].dump() + "&started=";
              EXPECT_THAT(ask(kill + up["started"].dump(), "x"), StartsWith("HTTP/1.1 401 "));
              EXPECT_THAT(ask(kill + "1"), StartsWith("HTTP/1.1 422 "));
              EXPECT_THAT(ask("POST /start?name=one"), StartsWith("HTTP/1.1 422 "));
              EXPECT_THAT(ask("POST /kill?name=two&pid=1&started=1"), StartsWith("HTTP/1.1 404 "));
              EXPECT_THAT(ask("POST /kill?name=one"), StartsWith("HTTP/1.1 400 "));
              EXPECT_THAT(ask("POST /kill?name=one&pid=-1&started=1"), StartsWith("HTTP/1.1 400 "));
              EXPECT_THAT(ask("GET /view?after=x"), StartsWith("HTTP/1.1 400 "));
              EXPECT_EQ(program()["pid"], up["pid"]) << "it has survived all that";
              EXPECT_THAT(ask(kill + up["started"].dump()), HasSubstr("{\"done\":\"killed\"}"));
              ASSERT_TRUE(wait_for([&] { return program()["up"] == false; }));
              std::vector<std::string> happened;
              const json now = view();
              for (const json& event : now["events"]) happened.push_back(event["what"]);
              EXPECT_THAT(happened, testing::ElementsAre("started", "up", "killed", "down"));
              const std::uint64_t last = now["last"];
              EXPECT_EQ(view(last)["events"], json::array());
              EXPECT_THAT(read("log"), HasSubstr("POST /kill?name=one&pid=" + up["pid"].dump()));
              EXPECT_THAT(read("log"), HasSubstr("audit"));
              EXPECT_THAT(read("log"), Not(HasSubstr(key_)));
            }),
            0);
}

TEST_F(ArenaView, ListsOfProgramsAreBounded) {
  for (std::size_t i = 0; i < ViewDaemon::kMostPrograms; ++i)
    run_.programs.push_back({.name = "x"});
  EXPECT_EQ(run([] { ADD_FAILURE() << "it serves"; }), starbus::daemon::kExitUsage);
}

TEST_F(ArenaView, ANameOfAnotherFolderIsRefused) {
  run_.programs.push_back({.name = "../x"});
  EXPECT_EQ(run([] { ADD_FAILURE() << "it serves"; }), starbus::daemon::kExitUsage);
}

}  // namespace
}  // namespace arena::view
