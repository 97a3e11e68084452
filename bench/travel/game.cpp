#include "bench/travel/game.hpp"

#include <nlohmann/json.hpp>

namespace starbus::bench::travel {
namespace {

constexpr int kMostLines = 64;

std::string counting(int count_ms) {
  return "count_every = '" + std::to_string(count_ms) + "ms'\n";
}

std::string types_of(std::size_t capacity) {
  std::string text;
  for (const char* const type : {"low", "high"}) {
    text += std::string("[[space]]\ntype = '") + type +
            "'\ncapacity = " + std::to_string(capacity) +
            "\nsoft_capacity = " + std::to_string(capacity) +
            "\nmax_lines = " + std::to_string(kMostLines) +
            "\nmin = [0, 0]\nmax = [1000, 1000]\nlabels = ['" + type + "']\n";
  }
  return text;
}

}  // namespace

gate::GameNode space_node(const std::string& host, const std::string& name, const std::string& type,
                          int count_ms) {
  return gate::playing({"starbus-test-pilot", host, name,
                        counting(count_ms) + "[spaces]\nlabels = ['" + type + "']\n"});
}

gate::GameOptions game_options(int count_ms, const std::string& enter, std::size_t capacity) {
  gate::GameOptions made;
  made.hosts = made.gates = {"a", "b"};
  made.per_second = 100'000;
  made.manager_keys = "[services]\nhosts = 1\n[[service]]\ntype = 'space'\ninstances = 1\n";
  made.files = {{"types.toml", types_of(capacity)}};
  made.nodes = {{"starbus-spaces", "a", "spaces-1", "[spaces]\nfiles = ['{folder}/types.toml']\n"},
                gate::playing({"starbus-test-pilot", "a", kHome,
                               "accounts = true\nenter = '" + enter + "'\n" + counting(count_ms)})};
  return made;
}

std::size_t players_in(const cluster_test::Daemon& node) {
  std::size_t sum = 0;
  const nlohmann::json page = node.json("/spaces");
  if (!page.contains("spaces")) return 0;
  for (const auto& row : page["spaces"]) sum += row.value("players", std::size_t{0});
  return sum;
}

std::string account_of(std::size_t number) {
  return "b:bot" + std::to_string(number);
}

std::string player_of(std::size_t number) {
  return "player/" + account_of(number) + ".1";
}

}  // namespace starbus::bench::travel
