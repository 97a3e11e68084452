/// A game of real processes that keeps its entities in a database: who lives where, who plays, and
/// whether all that was answered was kept. For the tests of this folder and for the benchmark of
/// shutdowns, so nothing here is an assertion: what is wrong is a list of texts.
///
/// Blocks; one thread. Processes end with it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/cluster/cluster_harness.hpp"

namespace starbus::cluster_test {

struct GameOptions {
  std::uint64_t heroes = 60;  // of each node that has some
  std::string pace = "2ms";   // of those who play
  std::string manager_keys{};
};

class Game {
 public:
  explicit Game(GameOptions options);

  // --- who there is: each is started ---
  /// The database on host b, and the manager on a.
  void start_storage();
  Daemon& realm(const std::string& host, const std::string& name, const std::string& role,
                const std::string& keys);
  /// One where heroes live, from the database.
  Daemon& home(const std::string& host, const std::string& name, const std::string& role);
  /// One that calls the heroes of all homes that there are by now.
  Daemon& gate(const std::string& host, const std::string& name);
  /// All homes have their heroes, and all who play have begun.
  bool is_open();
  /// Twelve nodes: 4 gates, 3 of a role of their own, 4 spaces and the database; and the manager.
  void start_twelve();

  // --- what they have left, when all have ended ---
  /// Heroes that have less than was answered to those who played, or more than they asked for.
  /// Without those of `except`.
  std::vector<std::string> unsaved(const std::set<std::string>& except = {});
  /// Calls that were answered.
  std::uint64_t answered() const;
  /// Those that began to drain before all of an earlier stage had.
  std::vector<std::string> out_of_order(const std::vector<std::vector<std::string>>& stages) const;

  Cluster cluster;
  std::vector<std::unique_ptr<Daemon>> daemons;
  std::vector<Daemon*> gates;
  std::map<std::string, Daemon*> homes;
  Daemon* base = nullptr;
  Daemon* manager = nullptr;

 private:
  struct Played {
    std::uint64_t answered = 0;
    std::uint64_t asked = 0;
  };
  Daemon& started(std::unique_ptr<Daemon> daemon);
  std::map<std::string, Played> played() const;
  std::map<std::string, std::uint64_t> kept() const;
  std::string notes() const { return (cluster.folder() / "notes").string(); }

  const GameOptions options_;
};

}  // namespace starbus::cluster_test
