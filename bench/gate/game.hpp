// Game: a cluster of a game with clients: busroot, a busd on each host, starbus-manager,
// starbus-db, starbus-login, gates, and the nodes of the game, by default examples/plaza, as real
// processes that end with it. Logins are believed by a server of accounts of the benchmark's own
// (load/shop.hpp), but for those with passwords: a program that starts a Game has its Roles
// (roles.hpp). One thread uses it. Throws std::runtime_error if something does not start.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/harness/process.hpp"
#include "tests/cluster/cluster_harness.hpp"

namespace starbus::bench::gate {

// A program of the game. In its keys {folder} is Game::file(""), without the last slash.
struct GameNode {
  std::string program;
  std::string host;
  std::string name;
  std::string keys = {};
  std::vector<std::string> launcher = {};  // a command that runs it, as taskset; may be empty
};
// With the database, and the keys of the login, as a program with accounts or players wants them.
GameNode playing(GameNode node);

struct GameOptions {
  std::vector<std::string> hosts = {"a"};
  std::vector<std::string> gates = {"a"};  // the host of each
  std::vector<GameNode> nodes = {playing({"plaza", "a", "plaza-1"})};
  std::map<std::string, std::string> files = {};  // of them, by name: written before they start
  bool tls = false;
  std::string gate_limits = {};    // more lines of [gate.limits]
  std::string login_keys = {};     // more lines of [login]
  std::string manager_keys = {};   // more lines of the manager's file
  int per_second = 2'000;          // players that enter
  std::string drain_time = "18s";  // above kHoleTime, below drain_deadline
};

class Game {
 public:
  explicit Game(const GameOptions& options);

  // "tcp://..." or "tls://...", as starbus-bots takes them.
  const std::vector<std::string>& urls() const { return urls_; }
  int port(std::size_t gate) const { return ports_[gate]; }
  std::string certificate() const { return file("gate.pem"); }
  std::string file(const std::string& name) const { return (cluster_.folder() / name).string(); }
  std::string endpoint() const { return cluster_.endpoint("a"); }

  cluster_test::Daemon& gate(std::size_t number) { return *nodes_.at(gate_name(number)); }
  cluster_test::Daemon& node(const std::string& name) { return *nodes_.at(name); }
  cluster_test::Cluster& cluster() { return cluster_; }
  // Waits until a gate that was started again lets clients in.
  void await(cluster_test::Daemon& node);
  // One more of the game; it does not wait for it.
  cluster_test::Daemon& start(const GameNode& node);
  // Of the benchmark's own processes; their logs are in folder().
  ProcessGroup& processes() { return processes_; }

  static std::string gate_name(std::size_t number) { return "gate-" + std::to_string(number + 1); }
  // Processor time of a process so far, and its resident memory in bytes.
  static std::int64_t cpu_ns(const cluster_test::Daemon& node);
  static double resident(pid_t pid);

 private:
  void start_gate(std::size_t number, const GameOptions& options);

  cluster_test::Cluster cluster_;
  ProcessGroup processes_;
  std::map<std::string, std::unique_ptr<cluster_test::Daemon>> nodes_;
  std::vector<std::string> urls_;
  std::vector<int> ports_;
};

}  // namespace starbus::bench::gate
