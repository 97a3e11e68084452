/// The arena of examples/ over two hosts, with bots that walk and talk: a node that is killed, and
/// one that drains.
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "nodes/login/tickets/keys.hpp"
#include "tests/cluster/cluster_test.hpp"
#include "tests/cluster/node_process.hpp"

namespace starbus::cluster_test {
namespace {

using nlohmann::json;

constexpr int kBots = 20;

ClusterOptions two_hosts() {
  ClusterOptions options;
  options.more["a"] = "[mail]\nshards = ['0-127']\n";
  options.more["b"] = "[mail]\nshards = ['128-255']\n";
  return options;
}

class ArenaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto key = nodes::login::SigningKey::generate();
    ASSERT_TRUE(key);
    ASSERT_TRUE(key->write(file("login.key"), file("login.pub")));
    const std::string example = source_file("examples/arena");
    start("starbus-manager", "a", "manager-1", "[[service]]\ntype = 'space'\n");
    start("starbus-db", "a", "db-1", "");
    start("starbus-login", "b", "login-1",
          "[login]\nkey = '" + file("login.key") + "'\ncreate = true\n");
    for (const std::string host : {"a", "b"}) {
      start("starbus-spaces", host, "spaces-" + host,
            "[spaces]\nfiles = ['" + example + "/spaces.toml']\n");
      start("arena", host, "arena-" + host,
            "ticket_keys = ['" + file("login.pub") + "']\nscenes = '" + example + "/scenes'\n");
      const std::string address = "127.0.0.1:" + std::to_string(free_port());
      start("starbus-gate", host, "gate-" + host,
            "[gate]\naddress = '" + address + "'\n[[gate.listeners]]\naddress = '" + address +
                "'\ntls = false\n");
      gates_ += (gates_.empty() ? "'tcp://" : ", 'tcp://") + address + "'";
    }
    ASSERT_TRUE(wait_for(30s, [&] {
      return std::ranges::all_of(daemons, [](const auto& each) { return each.second->serves(); });
    }));
  }
  std::string file(const std::string& name) const { return (cluster.folder() / name).string(); }
  void start(const std::string& program, const std::string& host, const std::string& name,
             const std::string& keys) {
    daemons[name] = node_process(cluster, program, host, name, "", keys);
    daemons[name]->start();
  }
  /// Bots that walk, from now on.
  std::unique_ptr<Child> play() {
    std::ofstream(file("bots.toml"))
        << "bots = " << kBots << "\narrive = 0\nduration = '0s'\n[gates]\nurls = [" << gates_
        << "]\nfrom = '127.1.0.0/16'\n[login]\nmethod = 'create'\npassword = 'a secret of "
           "{n}'\n[character]\nname = 'B "
           "{n}'\n"
           "[walk]\nspeed = 5\nrange = 30\nrest = '0s'\n"
           "[[say]]\nname = 'say'\nmethod = 'hero.say'\ntypes = '(str)->!{{u16,u16},{n,bytes}}'\n"
           "arguments = ['hello']\nrate = 1\n"
           "[[hear]]\nname = 'said'\nmethod = 'arena_client.said'\ntypes = '(str,str,str)'\n"
           "fields = ['skip', 'skip', 'skip']\n";
    return std::make_unique<Child>(
        std::vector<std::string>{program("starbus-bots"), file("bots.toml"), "--json"},
        file("bots.log"));
  }
  std::string log() const {
    std::ifstream in(file("bots.log"));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  json summary_of(Child& bots) const {
    bots.signal(SIGTERM);
    EXPECT_EQ(bots.wait(30s), 0) << log();
    const std::string text = log();
    const std::size_t at = text.find("{\n");
    EXPECT_NE(at, std::string::npos) << text;
    return at == std::string::npos ? json() : json::parse(text.substr(at));
  }
  /// In the fields of that host.
  int heroes(const std::string& host) {
    Daemon& node = *daemons["arena-" + host];
    int sum = 0;
    if (!node.serves()) return 0;
    const json page = node.json("/spaces");
    for (const json& each : page["spaces"]) sum += each["players"].get<int>();
    return sum;
  }
  /// Where they all are, once they all are in; "": they are not.
  std::string all_in() {
    std::string host;
    EXPECT_TRUE(wait_for(60s, [&] {
      for (const std::string each : {"a", "b"}) {
        if (heroes(each) == kBots) host = each;
      }
      return !host.empty();
    })) << log();
    return host;
  }
  static std::string other(const std::string& host) { return host == "a" ? "b" : "a"; }

  Cluster cluster{two_hosts()};
  std::map<std::string, std::unique_ptr<Daemon>> daemons;

 private:
  std::string gates_;
};

TEST_F(ArenaTest, HeroesOfANodeThatIsKilledPlayOnElsewhereWithinFiveSeconds) {
  const auto bots = play();
  const std::string host = all_in();
  ASSERT_FALSE(host.empty());
  daemons["arena-" + host]->kill();
  EXPECT_TRUE(wait_for(5s, [&] { return heroes(other(host)) == kBots; })) << log();
  const json summary = summary_of(*bots);
  EXPECT_EQ(summary["violations"]["count"], 0) << summary.dump(1);
  EXPECT_EQ(summary["bots"]["came_in"], kBots);
  EXPECT_EQ(summary["connections"]["lost"], 0) << "of a node the gates are not a part";
  EXPECT_EQ(summary["connections"]["troubles"], json::object());
}

TEST_F(ArenaTest, HeroesOfANodeThatDrainsGoToTheOtherHostAndNobodyNotices) {
  const auto bots = play();
  const std::string host = all_in();
  ASSERT_FALSE(host.empty());
  EXPECT_TRUE(wait_for(20s, [&] { return log().find("2s measured") != std::string::npos; }));
  EXPECT_EQ(daemons["arena-" + host]->terminate(30s), 0);
  EXPECT_EQ(heroes(other(host)), kBots) << log();
  const json summary = summary_of(*bots);
  EXPECT_EQ(summary["violations"]["count"], 0) << summary.dump(1);
  EXPECT_EQ(summary["connections"]["lost"], 0);
  EXPECT_EQ(summary["connections"]["troubles"], json::object());
  EXPECT_EQ(summary["sessions"]["fulls"], 2 * kBots) << "of the account, of the hero: one stretch";
  EXPECT_GT(summary["sight"]["entered"], kBots);
  EXPECT_EQ(summary["sight"]["corrections"], 0);
  EXPECT_EQ(summary["say"][0]["asked"], summary["say"][0]["replied"]);
}

}  // namespace
}  // namespace starbus::cluster_test
