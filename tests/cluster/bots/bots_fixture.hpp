/// The plaza with a login, a database and gates, as real processes of one host; and starbus-bots.
/// Blocks; one thread.
#pragma once

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "nodes/login/tickets/keys.hpp"
#include "tests/cluster/cluster_test.hpp"
#include "tests/cluster/node_process.hpp"

namespace starbus::cluster_test {

using nlohmann::json;

inline ClusterOptions one_host() {
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
          "[login]\nkey = '" + file("login.key") + "'\ncreate = true\n" + login_keys());
    start("plaza", "plaza-1",
          "ticket_keys = ['" + file("login.pub") + "']\nnews_per_second = 20\n");
    for (const auto& [name, keys] : gates()) start_gate(name, keys);
    ASSERT_TRUE(wait_for(30s, [&] {
      return std::ranges::all_of(daemons, [](const auto& each) { return each.second->serves(); });
    }));
  }
  /// More of [login].
  virtual std::string login_keys() const { return ""; }
  /// Names, and what their listeners have.
  virtual std::map<std::string, std::string> gates() const { return {{"gate-1", "tls = false\n"}}; }
  std::string file(const std::string& name) const { return (cluster.folder() / name).string(); }
  void start(const std::string& program, const std::string& name, const std::string& keys) {
    daemons[name] = node_process(cluster, program, "a", name, "", keys);
    daemons[name]->start();
  }
  void start_gate(const std::string& name, const std::string& keys) {
    const std::string address = "127.0.0.1:" + std::to_string(free_port());
    start("starbus-gate", name,
          "[gate]\naddress = '" + address +
              "'\ndrain_time = '5s'\n[[gate.listeners]]\naddress = '" + address + "'\n" + keys);
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

}  // namespace starbus::cluster_test
