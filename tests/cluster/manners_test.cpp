// What operators rely on: checked configuration, signals, metrics, and life without busroot.
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

std::string read_text(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The metrics that docs/operate/operations.md promises: by heading of its tables.
std::map<std::string, std::vector<std::string>> documented_metrics() {
  std::istringstream lines(read_text(source_file("docs/operate/operations.md")));
  const std::regex heading(R"(^\| ([a-z ]+) \| \|$)");
  const std::regex metric(R"(`(starbus|process|\.\.\.)_([a-z0-9_]+)`)");
  std::map<std::string, std::vector<std::string>> found;
  std::string table;
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, heading)) table = match[1];
    if (line.empty()) table.clear();
    if (table.empty()) continue;
    const std::string names = line.substr(0, line.find(" | "));
    for (std::sregex_iterator it(names.begin(), names.end(), metric), end; it != end; ++it) {
      const std::string first = (*it)[1];
      found[table].push_back((first == "..." ? "starbus_router" : first) + "_" +
                             std::string((*it)[2]));
    }
  }
  return found;
}

class MannersTest : public ClusterTest {
 protected:
  /// `program --check-config` on a file: its exit code and what it says.
  std::pair<int, std::string> check(const std::string& name, const std::string& toml) {
    const auto file = cluster.folder() / "checked.toml";
    std::ofstream(file) << toml;
    const std::string log = "check-" + std::to_string(++checks_);
    auto child = cluster.run({program(name), "--check-config", "--config", file.string()}, log);
    const auto status = child->wait(10s);
    EXPECT_TRUE(status.has_value());
    return {status.value_or(-1), cluster.log_of(log)};
  }

  Cluster cluster;

 private:
  int checks_ = 0;
};

TEST_F(MannersTest, ConfigurationIsCheckedWithFileLineAndSuggestion) {
  const std::string busd = cluster.busd_config("a", {});
  const std::string root = cluster.root_config({});
  EXPECT_EQ(check("busd", busd).first, 0);
  EXPECT_EQ(check("busroot", root).first, 0);
  for (const auto& [name, text] : {std::pair{"busd", busd}, {"busroot", root}}) {
    const auto [status, said] = check(name, "drain_deadlin = '1s'\n" + text);
    EXPECT_EQ(status, 2);
    EXPECT_NE(said.find("checked.toml:1"), std::string::npos) << said;
    EXPECT_NE(said.find("drain_deadline"), std::string::npos) << said;
  }
}

TEST_F(MannersTest, SigtermEndsInTimeAndARestartIsSeamless) {
  run([this]() -> Task {
    Bus callee(loop, cluster.node("b", "callee"));
    Bus caller(loop, cluster.node("a", "caller"));
    CO_OK(co_await callee.connect(use_awaitable));
    CO_OK(co_await caller.connect(use_awaitable));
    const auto echo = [](bus::Call& call) { (void)call.reply(call.body()); };
    const bus::Handlers handlers{.on_call = echo};
    CO_OK(co_await callee.bind("entity/1", handlers, use_awaitable));
    for (const std::string name : {"root", "a", "b"}) {
      SCOPED_TRACE(name);
      Daemon& daemon = cluster.daemon(name);
      const auto begin = std::chrono::steady_clock::now();
      daemon.process().signal(SIGTERM);
      CO_TRUE(co_await until(10s, [&] { return daemon.process().ended().has_value(); }));
      EXPECT_LT(std::chrono::steady_clock::now() - begin, 3s);
      EXPECT_EQ(*daemon.process().ended(), 0);
      CO_OK(caller.send("entity/1", "on the way"));
      daemon.start();
      CO_OK(co_await caller.call("entity/1", "hello", {.deadline = 10s}, use_awaitable));
      CO_TRUE(co_await until(10s, [&] { return daemon.serves(); }));
    }
    CO_OK(co_await caller.flush(5s, use_awaitable));
    EXPECT_EQ(caller.counters().failed, 0U);
  });
}

TEST_F(MannersTest, ABrokenFileLeavesTheOldConfigurationInForce) {
  run([this]() -> Task {
    Bus node(loop, cluster.node("a", "node"));
    CO_OK(co_await node.connect(use_awaitable));
    for (const std::string name : {"root", "a"}) {
      SCOPED_TRACE(name);
      Daemon& daemon = cluster.daemon(name);
      const std::string good = read_text(daemon.config_file());
      daemon.configure("hots = 'a'\n" + good);
      daemon.reload();
      CO_TRUE(co_await until(5s, [&] { return daemon.log_lines_with("reload refused") == 1; }));
      EXPECT_EQ(daemon.log_lines_with(name + ".toml:1"), 1U) << daemon.log();
      EXPECT_TRUE(daemon.serves());
      daemon.configure(good);
      daemon.reload();
      CO_TRUE(co_await until(5s, [&] { return daemon.log_lines_with("reloaded") == 1; }));
      EXPECT_TRUE(daemon.serves());
    }
    CO_OK(co_await node.bind("entity/1", bus::kNoHandlers, use_awaitable));
    EXPECT_EQ(node.counters().connects, 1U);
  });
}

TEST_F(MannersTest, TheDocumentedMetricsAreThere) {
  const auto documented = documented_metrics();
  ASSERT_GE(documented.size(), 4U);
  Cluster mail{{.more = {{"a", "[mail]\nshards = ['0-255']\n"}}}};
  const auto expect = [&](Daemon& daemon, const std::vector<std::string>& tables) {
    const std::string text = daemon.get("/metrics").body;
    for (const std::string& which : tables) {
      ASSERT_TRUE(documented.contains(which)) << which;
      for (const std::string& metric : documented.at(which)) {
        const bool there = text.find("\n" + metric + " ") != std::string::npos ||
                           text.find("\n" + metric + "{") != std::string::npos;
        EXPECT_TRUE(there) << which << ": there is no " << metric;
      }
    }
  };
  expect(cluster.daemon("root"), {"both daemons", "busroot"});
  expect(cluster.daemon("a"), {"both daemons", "busd"});
  expect(mail.daemon("a"), {"busd with a mail store"});
}

TEST_F(MannersTest, WithoutBusrootAHostGoesOnByItself) {
  run([this]() -> Task {
    Bus callee(loop, cluster.node("a", "callee"));
    Bus caller(loop, cluster.node("a", "caller"));
    CO_OK(co_await callee.connect(use_awaitable));
    CO_OK(co_await caller.connect(use_awaitable));
    const auto echo = [](bus::Call& call) { (void)call.reply(call.body()); };
    const bus::Handlers handlers{.on_call = echo};
    CO_OK(co_await callee.bind("entity/1", handlers, use_awaitable));
    cluster.root().kill();
    CO_TRUE(co_await until(5s, [&] { return cluster.busd("a").get("/healthz").status == 503; }));
    for (int i = 0; i < 100; ++i) {
      CO_OK(co_await caller.call("entity/1", "hello", {}, use_awaitable));
    }
    // A new stream, whose lineage the sender has to ask for.
    Bus late(loop, cluster.node("a", "late"));
    bool connected = false;
    late.connect([&](const bus::Result<>& end) { connected = end.has_value(); });
    cluster.root().start();
    CO_TRUE(co_await until(10s, [&] { return connected && cluster.busd("a").serves(); }));
    CO_OK(co_await late.call("entity/1", "hello", {}, use_awaitable));
    EXPECT_EQ(caller.counters().connects, 1U);
    EXPECT_EQ(caller.counters().failed, 0U);
  });
}

}  // namespace
}  // namespace starbus::cluster_test
