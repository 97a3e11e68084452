// starbus-bots on the plaza, as real processes: two gates, a login, a database, the game. Cuts at
// any byte, takeovers and a drained gate break nothing that is numbered.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "nodes/login/tickets/keys.hpp"
#include "tests/cluster/cluster_test.hpp"
#include "tests/cluster/node_process.hpp"

namespace starbus::cluster_test {
namespace {

using nlohmann::json;

ClusterOptions one_host() {
  ClusterOptions options;
  options.hosts = {"a"};
  options.more["a"] = "[mail]\nshards = ['0-255']\n";
  return options;
}

class BotsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto key = nodes::login::SigningKey::generate();
    ASSERT_TRUE(key);
    ASSERT_TRUE(key->write(file("login.key"), file("login.pub")));
    start("starbus-manager", "manager-1", "");
    start("starbus-db", "db-1", "");
    start("starbus-login", "login-1",
          "[login]\nkey = '" + file("login.key") + "'\ncreate = true\n");
    start("plaza", "plaza-1",
          "ticket_keys = ['" + file("login.pub") + "']\nnews_per_second = 20\n");
    start_gate("gate-1", false);
    start_gate("gate-2", false);
    start_gate("gate-3", true);
    ASSERT_TRUE(wait_for(30s, [&] {
      return std::ranges::all_of(daemons, [](const auto& each) { return each.second->serves(); });
    }));
  }
  std::string file(const std::string& name) const { return (cluster.folder() / name).string(); }
  void start(const std::string& program, const std::string& name, const std::string& keys) {
    daemons[name] = node_process(cluster, program, "a", name, "", keys);
    daemons[name]->start();
  }
  void start_gate(const std::string& name, bool web_socket) {
    const std::string address = "127.0.0.1:" + std::to_string(free_port());
    start("starbus-gate", name,
          "[gate]\naddress = '" + address +
              "'\ndrain_time = '5s'\n[[gate.listeners]]\naddress = '" + address +
              "'\ntls = false\n" + (web_socket ? "websocket = true\npath = '/play'\n" : ""));
    addresses[name] = address;
  }
  /// `keys`: the head of the script; what is said and heard is that of the example.
  std::string script(const std::string& name, const std::string& keys) const {
    std::ifstream in(source_file("examples/plaza/bots.toml"));
    const std::string example{std::istreambuf_iterator<char>(in), {}};
    const std::size_t from = example.find("[character]");
    const std::size_t to = example.find("[cut]");
    EXPECT_TRUE(from != std::string::npos && to != std::string::npos);
    std::ofstream(file(name)) << keys << "[login]\nmethod = 'create'\n"
                              << example.substr(from, to - from)
                              << "[cut]\nevery = '1s'\n[takeover]\nevery = '4s'\n";
    return file(name);
  }
  std::unique_ptr<Child> bots(const std::vector<std::string>& arguments, const std::string& log) {
    std::vector<std::string> command{program("starbus-bots")};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return std::make_unique<Child>(command, file(log));
  }
  std::string text_of(const std::string& name) const {
    std::ifstream in(file(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// The summary that follows the progress.
  json summary_of(const std::string& log) const {
    const std::string text = text_of(log);
    const std::size_t at = text.find("{\n");
    EXPECT_NE(at, std::string::npos) << text;
    return at == std::string::npos ? json() : json::parse(text.substr(at));
  }

  Cluster cluster{one_host()};
  std::map<std::string, std::unique_ptr<Daemon>> daemons;
  std::map<std::string, std::string> addresses;
};

TEST_F(BotsTest, CutsTakeoversAndADrainBreakNothing) {
  const std::string both =
      script("both.toml", "bots = 80\narrive = 40\nduration = '6s'\n[gates]\nurls = ['tcp://" +
                              addresses["gate-1"] + "', 'tcp://" + addresses["gate-2"] +
                              "']\nfrom = '127.1.0.0/16'\n");
  const auto playing = bots({both, "--json", "--threads", "2", "--seed", "7"}, "both.log");
  ASSERT_TRUE(wait_for(60s, [&] {
    return text_of("both.log").find("1s measured") != std::string::npos;
  })) << text_of("both.log");
  EXPECT_EQ(daemons["gate-2"]->terminate(20s), 0);
  daemons["gate-2"]->start();
  EXPECT_EQ(playing->wait(60s), 0) << text_of("both.log");
  const json summary = summary_of("both.log");
  EXPECT_EQ(summary["violations"]["count"], 0) << summary.dump(1);
  EXPECT_EQ(summary["bots"]["came_in"], 80);
  EXPECT_GT(summary["connections"]["cut"], 80);
  EXPECT_GT(summary["sessions"]["resumed"], 80);
  EXPECT_GT(summary["sessions"]["takeovers"], 10);
  EXPECT_GT(summary["say"][0]["replied"], 500);
  EXPECT_GT(summary["hear"][0]["heard"], 1'000);
  EXPECT_GT(summary["hear"][1]["heard"], 1'000);
  EXPECT_GT(summary["hear"][0]["latency_us"]["p50"], 0);
}

TEST_F(BotsTest, ComeByWebSocketAndEndWithASignal) {
  const std::string web =
      script("web.toml", "bots = 10\narrive = 0\nduration = '0s'\n[gates]\nurls = ['ws://" +
                             addresses["gate-3"] + "/play']\nfrom = '127.2.0.0/16'\n");
  const auto playing = bots({web, "--json"}, "web.log");
  ASSERT_TRUE(wait_for(60s, [&] {
    return text_of("web.log").find("2s measured") != std::string::npos;
  })) << text_of("web.log");
  playing->signal(SIGTERM);
  EXPECT_EQ(playing->wait(30s), 0) << text_of("web.log");
  const json summary = summary_of("web.log");
  EXPECT_EQ(summary["ended"], "signal");
  EXPECT_EQ(summary["violations"]["count"], 0) << summary.dump(1);
  EXPECT_GT(summary["say"][0]["replied"], 20);
}

}  // namespace
}  // namespace starbus::cluster_test
