/// The arena of examples/ over two hosts, a and b, each with a gate, fields and a service of
/// spaces; the manager and the database on a, the login on b. Bots that play it. Blocks; one
/// thread.
#pragma once

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "nodes/login/tickets/keys.hpp"
#include "tests/cluster/cluster_test.hpp"
#include "tests/cluster/node_process.hpp"

namespace starbus::cluster_test {

using nlohmann::json;

inline ClusterOptions two_hosts() {
  ClusterOptions options;
  options.more["a"] = "[mail]\nshards = ['0-127']\n";
  options.more["b"] = "[mail]\nshards = ['128-255']\n";
  return options;
}

class ArenaFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto key = nodes::login::SigningKey::generate();
    ASSERT_TRUE(key);
    ASSERT_TRUE(key->write(file("login.key"), file("login.pub")));
    start("starbus-manager", "a", "manager-1", "[[service]]\ntype = 'space'\n");
    start("starbus-db", "a", "db-1", "");
    start("starbus-login", "b", "login-1",
          "[login]\nkey = '" + file("login.key") + "'\ncreate = true\n");
    for (const std::string host : {"a", "b"}) {
      start("starbus-spaces", host, "spaces-" + host,
            "[spaces]\nfiles = ['" + spaces_file() + "']\n");
      start("arena", host, "arena-" + host,
            "ticket_keys = ['" + file("login.pub") + "']\nscenes = '" + scenes_folder() +
                "'\n[spaces]\nmaps = '" + maps_folder() + "'\n");
      const std::string address = "127.0.0.1:" + std::to_string(free_port());
      start("starbus-gate", host, "gate-" + host,
            "[gate]\naddress = '" + address + "'\n[[gate.listeners]]\naddress = '" + address +
                "'\ntls = false\n");
      gates_ += (gates_.empty() ? "'tcp://" : ", 'tcp://") + address + "'";
    }
    ASSERT_TRUE(wait_for(30s, [&] { return all_serve(); }));
  }
  virtual std::string spaces_file() { return source_file("examples/arena/spaces.toml"); }
  /// The build's: the arena's maps are baked with it.
  virtual std::string maps_folder() { return program("../examples/arena/maps"); }
  virtual std::string scenes_folder() { return source_file("examples/arena/scenes"); }

  bool all_serve() const {
    return std::ranges::all_of(daemons, [](const auto& each) { return each.second->serves(); });
  }
  std::string file(const std::string& name) const { return (cluster.folder() / name).string(); }
  void start(const std::string& program, const std::string& host, const std::string& name,
             const std::string& keys) {
    daemons[name] = node_process(cluster, program, host, name, "", keys);
    daemons[name]->start();
  }
  /// For [gates] of a script.
  std::string gates() const { return "urls = [" + gates_ + "]\nfrom = '127.1.0.0/16'\n"; }
  /// Bots that play this script, from now on.
  std::unique_ptr<Child> play(const std::string& script,
                              const std::vector<std::string>& options = {}) {
    std::ofstream(file("bots.toml")) << script;
    std::vector<std::string> command{program("starbus-bots"), file("bots.toml"), "--json"};
    command.insert(command.end(), options.begin(), options.end());
    return std::make_unique<Child>(command, file("bots.log"));
  }
  std::string log() const {
    std::ifstream in(file("bots.log"));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// Ends them.
  json summary_of(Child& bots, std::chrono::milliseconds limit = 30s) const {
    bots.signal(SIGTERM);
    EXPECT_EQ(bots.wait(limit), 0) << log();
    const std::string text = log();
    const std::size_t at = text.find("{\n");
    EXPECT_NE(at, std::string::npos) << text;
    return at == std::string::npos ? json() : json::parse(text.substr(at));
  }
  /// Of that host; empty if its node does not answer.
  json fields_of(const std::string& host) {
    Daemon& node = *daemons["arena-" + host];
    return node.serves() ? node.json("/spaces")["spaces"] : json::array();
  }
  /// In the fields of that host.
  int heroes(const std::string& host) {
    int sum = 0;
    for (const json& each : fields_of(host)) sum += each["players"].get<int>();
    return sum;
  }
  static std::string other(const std::string& host) { return host == "a" ? "b" : "a"; }

  Cluster cluster{two_hosts()};
  std::map<std::string, std::unique_ptr<Daemon>> daemons;

 private:
  std::string gates_;
};

}  // namespace starbus::cluster_test
