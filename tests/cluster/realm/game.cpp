#include "tests/cluster/realm/game.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "nodes/db/store_database.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "storage/recovery/repair.hpp"
#include "storage/store.hpp"
#include "tests/cluster/node_process.hpp"
#include "tests/cluster/realm/realm.hpp"

namespace starbus::cluster_test {
namespace {

ClusterOptions with_store() {
  ClusterOptions options;
  options.more["b"] = "[mail]\nshards = ['0-255']\n";
  return options;
}

}  // namespace

Game::Game(GameOptions options) : cluster(with_store()), options_(std::move(options)) {}

Daemon& Game::started(std::unique_ptr<Daemon> daemon) {
  daemon->start();
  daemons.push_back(std::move(daemon));
  return *daemons.back();
}

void Game::start_storage() {
  base = &started(node_process(cluster, "starbus-db", "b", "db-1", "db", ""));
  manager = &started(
      node_process(cluster, "starbus-manager", "a", "manager-1", "manager", options_.manager_keys));
}

Daemon& Game::realm(const std::string& host, const std::string& name, const std::string& role,
                    const std::string& keys) {
  return started(node_process(cluster, "starbus-test-realm", host, name, role,
                              "notes = '" + notes() + "'\n" + keys));
}

Daemon& Game::home(const std::string& host, const std::string& name, const std::string& role) {
  Daemon& made = realm(host, name, role,
                       "heroes = " + std::to_string(options_.heroes) + "\nneeds = ['service/db']");
  homes[name] = &made;
  return made;
}

Daemon& Game::gate(const std::string& host, const std::string& name) {
  std::string plays;
  for (const auto& [home, daemon] : homes) plays += (plays.empty() ? "'" : ", '") + home + "'";
  gates.push_back(&realm(host, name, "gate",
                         "plays = [" + plays + "]\nper_node = " + std::to_string(options_.heroes) +
                             "\npace = '" + options_.pace + "'"));
  return *gates.back();
}

bool Game::is_open() {
  const bool lives = std::ranges::all_of(homes, [&](const auto& home) {
    return home.second->serves() && home.second->json("/entities")["published"] == options_.heroes;
  });
  return lives && std::ranges::all_of(gates, [](const Daemon* gate) { return gate->serves(); });
}

void Game::start_twelve() {
  const auto host = [](int i) { return i % 2 == 0 ? "a" : "b"; };
  start_storage();
  for (int i = 1; i <= 4; ++i) home(host(i), "space-" + std::to_string(i), "space");
  for (int i = 1; i <= 3; ++i) home(host(i), "guilds-" + std::to_string(i), "guilds");
  for (int i = 1; i <= 4; ++i) gate(host(i), "gate-" + std::to_string(i));
}

std::map<std::string, Game::Played> Game::played() const {
  std::map<std::string, Played> all;
  for (const Daemon* gate : gates) {
    std::ifstream file(gate->state_folder() / "earned");
    std::string name;
    Played counts;
    while (file >> name >> counts.answered >> counts.asked) {
      all[name].answered += counts.answered;
      all[name].asked += counts.asked;
    }
  }
  return all;
}

std::uint64_t Game::answered() const {
  std::uint64_t sum = 0;
  for (const auto& [name, counts] : played()) sum += counts.answered;
  return sum;
}

/// Of each hero that has a document: its gold.
std::map<std::string, std::uint64_t> Game::kept() const {
  std::map<std::string, std::uint64_t> gold;
  boost::asio::io_context loop;
  nodes::MainLoop main(loop);
  const auto store = storage::open_store(
      {.folder = base->state_folder() / "documents", .repair_logs = storage::repair_logs});
  if (!store) return gold;
  const auto database = nodes::db::StoreDatabase::open(**store, main);
  if (!database) return gold;
  nodes::entities::DbSaver saver(**database);
  std::size_t waiting = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  const auto wait_for_all_but = [&](std::size_t few) {
    while (waiting > few && std::chrono::steady_clock::now() < deadline) {
      loop.restart();  // it stops when it has nothing to do
      loop.run_for(std::chrono::milliseconds(1));
    }
  };
  for (const auto& [home, daemon] : homes) {
    for (std::uint64_t i = 0; i < options_.heroes; ++i) {
      const std::string name = Realm::hero_name(home, i);
      ++waiting;
      saver.load("hero", name.substr(5), [&, name](const auto& loaded) {
        --waiting;
        HeroState state;
        const bool read = loaded && *loaded && state.load_saved(**loaded);
        if (read) gold[name] = static_cast<std::uint64_t>(state.gold.get());
      });
      wait_for_all_but(100);
    }
  }
  wait_for_all_but(0);
  return gold;
}

std::vector<std::string> Game::unsaved(const std::set<std::string>& except) {
  std::vector<std::string> wrong;
  const auto gold = kept();
  for (const auto& [name, counts] : played()) {
    if (except.contains(name.substr(5, name.rfind('.') - 5))) continue;
    const auto found = gold.find(name);
    const std::uint64_t has = found == gold.end() ? 0 : found->second;
    if (has >= counts.answered && has <= counts.asked) continue;
    wrong.push_back(name + " has " + std::to_string(has) + ", and " +
                    std::to_string(counts.answered) + " of " + std::to_string(counts.asked) +
                    " calls were answered");
  }
  return wrong;
}

std::vector<std::string> Game::out_of_order(
    const std::vector<std::vector<std::string>>& stages) const {
  std::vector<std::string> wrong;
  std::ifstream file(notes());
  std::size_t latest = 0;
  for (std::string line; std::getline(file, line);) {
    for (std::size_t i = 0; i < stages.size(); ++i) {
      for (const std::string& role : stages[i]) {
        if (line.find(" " + role + " ") == std::string::npos) continue;
        if (i < latest) wrong.push_back(line);
        latest = std::max(latest, i);
      }
    }
  }
  return wrong;
}

}  // namespace starbus::cluster_test
