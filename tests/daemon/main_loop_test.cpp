/// run_daemon with a tiny daemon inside this process.
#include "daemon/main_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "daemon/admin/http_client.hpp"
#include "tests/daemon/support.hpp"

namespace starbus::daemon {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

/// What a test wants the daemon to do, and what it did.
struct Script {
  std::function<Result<>(DaemonContext&)> on_start = [](DaemonContext&) { return Result<>(); };
  std::function<void(const std::string& greeting)> on_reload = [](const std::string&) {};
  bool drains = true;
  std::vector<std::string> calls;
};

/// The smallest daemon: one key, one route, one timer.
class TinyDaemon : public Daemon {
 public:
  explicit TinyDaemon(Script& script) : script_(script) {}
  ~TinyDaemon() override { script_.calls.emplace_back("end"); }

  void configure(ConfigReader& reader) override {
    script_.calls.emplace_back("configure");
    fresh_greeting_ = reader.string("greeting", "hello");
  }
  Result<> start(DaemonContext& context) override {
    script_.calls.emplace_back("start");
    greeting_ = fresh_greeting_;
    timer_.emplace(context.loop);  // a plain member: it ends before the loop does
    timer_->expires_after(1h);
    timer_->async_wait([](boost::system::error_code) {});
    context.admin.get("/greeting", AdminRole::observe,
                      [this](const Request&) { return Response::text(greeting_); });
    return script_.on_start(context);
  }
  Result<> reload() override {
    script_.calls.emplace_back("reload");
    if (fresh_greeting_ == "refused")
      return Error(bus::Errc::bad_config, "greeting needs a restart");
    greeting_ = fresh_greeting_;
    script_.on_reload(greeting_);
    return {};
  }
  void drain(std::function<void()> done) override {
    script_.calls.emplace_back("drain");
    if (script_.drains) done();
  }
  std::string status() const override { return "says " + greeting_; }

 private:
  Script& script_;
  std::string fresh_greeting_;
  std::string greeting_;
  std::optional<boost::asio::steady_timer> timer_;
};

class MainLoop : public testing::Test {
 protected:
  MainLoop() { write_config(""); }
  ~MainLoop() override {
    if (client_.joinable()) client_.join();
  }

  void write_config(const std::string& keys) const {
    folder_.write("tiny.toml", "state_directory = '" + state() + "'\n" + keys +
                                   "\n[log]\ntarget = '" + (folder_.path() / "log").string() +
                                   "'\n");
  }
  std::string state() const { return (folder_.path() / "state").string(); }
  std::string log() const { return folder_.read("log"); }

  int run(std::vector<const char*> arguments = {}) {
    const std::string file = (folder_.path() / "tiny.toml").string();
    arguments.insert(arguments.begin(), {"tiny", "--config", file.c_str()});
    const DaemonInfo info{.name = "tiny", .version = "1.2.3", .description = "The tiny daemon"};
    return run_daemon(info, std::make_unique<TinyDaemon>(script_),
                      static_cast<int>(arguments.size()), arguments.data());
  }
  /// Runs `talk` on a thread of its own as soon as the daemon serves; then stops the daemon, unless
  /// `talk` has stopped it: it may be gone then.
  void talk_to_it(std::function<void(const HttpClient&)> talk, bool then_stop = true) {
    script_.on_start = [this, talk = std::move(talk), then_stop](DaemonContext& context) {
      client_ =
          std::thread([talk, then_stop, address = context.admin.socket(), stop = context.stop] {
            talk(HttpClient::at(address).value());
            if (then_stop) stop({});
          });
      return Result<>();
    };
  }

  test::TempFolder folder_;
  test::LogCapture former_;
  Script script_;
  std::thread client_;
};

TEST_F(MainLoop, RunsServesAndStops) {
  talk_to_it([this](const HttpClient& client) {
    EXPECT_EQ(client.get("/greeting").value(), "hello");
    const auto health = nlohmann::json::parse(client.get("/healthz").value());
    EXPECT_EQ(health["name"], "tiny");
    EXPECT_EQ(health["version"], "1.2.3");
    EXPECT_EQ(health["state"], "running");
    EXPECT_EQ(health["status"], "says hello");
    const std::string metrics = client.get("/metrics").value();
    EXPECT_THAT(metrics, HasSubstr("starbus_build_info{name=\"tiny\",version=\"1.2.3\"} 1"));
    EXPECT_THAT(metrics, HasSubstr("starbus_loop_lag_seconds "));
    EXPECT_THAT(metrics, HasSubstr("process_resident_memory_bytes "));
    const std::string address = folder_.read("state/admin");
    EXPECT_TRUE(HttpClient::at(address.substr(0, address.size() - 1)).value().get("/healthz"));
  });
  EXPECT_EQ(run(), kExitOk);
  EXPECT_THAT(script_.calls, ElementsAre("configure", "start", "drain", "end"));
  EXPECT_THAT(log(), HasSubstr("tiny 1.2.3 runs: state in " + state()));
  EXPECT_THAT(log(), HasSubstr("stopped with exit code 0"));
}

TEST_F(MainLoop, SignalsStopIt) {
  talk_to_it([](const HttpClient&) { ::kill(::getpid(), SIGTERM); }, false);
  EXPECT_EQ(run(), kExitOk);
  EXPECT_THAT(script_.calls, ElementsAre("configure", "start", "drain", "end"));
}

TEST_F(MainLoop, TheLogLevelChangesAtRunTime) {
  talk_to_it([](const HttpClient& client) {
    EXPECT_EQ(client.get("/log").value(), "{\"level\":\"warning\"}\n");
    EXPECT_EQ(client.post("/log?level=debug", "").value(), "{\"level\":\"debug\"}\n");
    EXPECT_THAT(client.post("/log?level=loud", "").error().detail, HasSubstr("400"));
    EXPECT_THAT(client.post("/log", "").error().detail, HasSubstr("400"));
  });
  EXPECT_EQ(run({"--log-level", "warning"}), kExitOk);
  EXPECT_THAT(log(), Not(HasSubstr("runs:")));
  EXPECT_THAT(log(), HasSubstr("log level is now debug"));
}

TEST_F(MainLoop, HangupReloads) {
  talk_to_it([this](const HttpClient& client) {
    write_config("greeting = 'good day'\ndrain_deadline = '7s'");
    ::kill(::getpid(), SIGHUP);
    while (client.get("/greeting").value() != "good day") std::this_thread::yield();
  });
  EXPECT_EQ(run(), kExitOk);
  EXPECT_THAT(script_.calls,
              ElementsAre("configure", "start", "configure", "reload", "drain", "end"));
  EXPECT_THAT(log(), HasSubstr("drain_deadline has changed in the file: that takes a restart"));
}

TEST_F(MainLoop, AReloadOfAWrongFileChangesNothing) {
  talk_to_it([this](const HttpClient& client) {
    write_config("greeting = 'new'\ngreting = 1");
    ::kill(::getpid(), SIGHUP);
    while (log().find("reload refused") == std::string::npos) std::this_thread::yield();
    EXPECT_EQ(client.get("/greeting").value(), "hello");
    write_config("greeting = 'refused'");
    ::kill(::getpid(), SIGHUP);
    while (log().find("reload failed") == std::string::npos) std::this_thread::yield();
    EXPECT_EQ(client.get("/greeting").value(), "hello");
  });
  EXPECT_EQ(run(), kExitOk);
  EXPECT_THAT(log(), HasSubstr("unknown key 'greting'; did you mean 'greeting'?"));
}

TEST_F(MainLoop, ADrainThatDoesNotEndIsCutOff) {
  write_config("drain_deadline = '20ms'");
  script_.drains = false;
  talk_to_it([](const HttpClient&) {});
  EXPECT_EQ(run(), kExitDeadline);
  EXPECT_THAT(log(), HasSubstr("the drain did not end within 20 ms: says hello"));
}

TEST_F(MainLoop, ItIsUnhealthyWhileItDrains) {
  script_.drains = false;
  write_config("drain_deadline = '300ms'");
  std::string detail;
  script_.on_start = [&](DaemonContext& context) {
    context.stop({});
    client_ = std::thread([&detail, address = context.admin.address()] {
      detail = HttpClient::at(address).value().get("/healthz").error().detail;
    });
    return Result<>();
  };
  EXPECT_EQ(run(), kExitDeadline);
  client_.join();
  EXPECT_THAT(detail, HasSubstr("503"));
}

TEST_F(MainLoop, AFailureAtRunTimeDrainsAndIsReported) {
  script_.on_start = [](DaemonContext& context) {
    context.stop(Error(bus::Errc::io_error, "the disk is gone"));
    return Result<>();
  };
  EXPECT_EQ(run(), kExitFailure);
  EXPECT_THAT(script_.calls, ElementsAre("configure", "start", "drain", "end"));
  EXPECT_THAT(log(), HasSubstr("stops: io_error: the disk is gone"));
}

TEST_F(MainLoop, AFailedStartIsReported) {
  script_.on_start = [](DaemonContext&) -> Result<> {
    return Error(bus::Errc::io_error, "no socket");
  };
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(), kExitFailure);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "tiny: io_error: no socket\n");
  EXPECT_THAT(log(), HasSubstr("cannot start: io_error: no socket"));
}

TEST_F(MainLoop, ASecondDaemonIsRefusedBeforeItStarts) {
  const auto held = StateDirectory::open(state());
  ASSERT_TRUE(held);
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(), kExitFailure);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr(state() + " is in use by process " + std::to_string(::getpid())));
  EXPECT_THAT(script_.calls, ElementsAre("configure", "end"));
}

TEST_F(MainLoop, ConfigurationErrorsArePrintedTogether) {
  write_config("greting = 1\ndrain_deadline = '2d'");
  testing::internal::CaptureStderr();
  EXPECT_EQ(run(), kExitUsage);
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_THAT(printed, MatchesRegex("[^\n]*tiny.toml:2:1: unknown key 'greting'[^\n]*\n"
                                    "[^\n]*tiny.toml:3:18: 'drain_deadline' must be [^\n]*\n"));
  EXPECT_THAT(script_.calls, ElementsAre("configure", "end"));
  EXPECT_FALSE(std::filesystem::exists(state())) << "nothing was touched";
}

TEST_F(MainLoop, CheckConfigOnlyChecks) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(run({"--check-config"}), kExitOk);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), MatchesRegex(".*tiny.toml: ok\n"));
  EXPECT_FALSE(std::filesystem::exists(state()));
}

TEST_F(MainLoop, VersionHelpAndWrongArguments) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(run({"--version"}), kExitOk);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "tiny 1.2.3\n");
  testing::internal::CaptureStdout();
  EXPECT_EQ(run({"--help"}), kExitOk);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("The tiny daemon"));
  testing::internal::CaptureStderr();
  EXPECT_EQ(run({"--nonsense"}), kExitUsage);
  EXPECT_EQ(run({"--log-level", "loud"}), kExitUsage);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("--nonsense"));
}

}  // namespace
}  // namespace starbus::daemon
