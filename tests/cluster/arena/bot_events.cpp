#include "tests/cluster/arena/bot_events.hpp"

#include <nlohmann/json.hpp>

#include "base/wall_clock.hpp"

namespace starbus::cluster_test {

std::string plain_space(const std::string& name) {
  return name.substr(name.rfind('/') == std::string::npos ? 0 : name.rfind('/') + 1);
}

std::int64_t now_ms() {
  return static_cast<std::int64_t>(wall_ms());
}

void BotEvents::read() {
  std::ifstream in(in_);
  in.seekg(at_);
  std::string line;
  while (std::getline(in, line) && !in.eof()) {  // the last one may not be whole
    at_ += static_cast<std::streamoff>(line.size()) + 1;
    const auto read = nlohmann::json::parse(line);
    take({read["at_ms"], read["bot"], read["what"], read["gate"], read["space"], read["detail"]});
  }
}

void BotEvents::take(BotEvent event) {
  Bot& bot = bots_[event.bot];
  if (event.what == "ended" && event.detail == "bye") bot.left = true;
  event.excused = bot.left;
  bot.gate = event.gate;
  if (event.what == "over" || event.what == "full" || event.what == "ended") bot.in_game = false;
  if (event.what == "portal") bot.in_portal = true;
  if (event.what == "scene") {
    bot.space = plain_space(event.detail);
    bot.in_game = true;
    bot.left = bot.in_portal = false;
  }
  all_.push_back(std::move(event));
}

std::set<std::uint64_t> BotEvents::in_spaces(const std::set<std::string>& spaces) const {
  std::set<std::uint64_t> found;
  for (const auto& [number, bot] : bots_) {
    if (spaces.contains(bot.space)) found.insert(number);
  }
  return found;
}

std::set<std::uint64_t> BotEvents::known() const {
  std::set<std::uint64_t> found;
  for (const auto& [number, bot] : bots_) found.insert(number);
  return found;
}

std::set<std::uint64_t> BotEvents::at_gate(const std::string& gate) const {
  std::set<std::uint64_t> found;
  for (const auto& [number, bot] : bots_) {
    if (bot.gate.find(gate) != std::string::npos) found.insert(number);
  }
  return found;
}

std::set<std::uint64_t> BotEvents::in_portals() const {
  std::set<std::uint64_t> found;
  for (const auto& [number, bot] : bots_) {
    if (bot.in_portal) found.insert(number);
  }
  return found;
}

std::set<std::uint64_t> BotEvents::away() const {
  std::set<std::uint64_t> found;
  for (const auto& [number, bot] : bots_) {
    if (bot.left) found.insert(number);
  }
  return found;
}

std::size_t BotEvents::in_game() const {
  std::size_t sum = 0;
  for (const auto& [number, bot] : bots_) sum += bot.in_game ? 1 : 0;
  return sum;
}

std::optional<std::int64_t> BotEvents::first(std::uint64_t bot, const std::string& what,
                                             std::int64_t since_ms) const {
  for (const BotEvent& each : all_) {
    if (each.bot == bot && each.what == what && each.at_ms >= since_ms) return each.at_ms;
  }
  return std::nullopt;
}

std::vector<BotEvent> BotEvents::between(std::int64_t from_ms, std::int64_t to_ms) const {
  std::vector<BotEvent> found;
  for (const BotEvent& each : all_) {
    if (each.at_ms >= from_ms && each.at_ms < to_ms) found.push_back(each);
  }
  return found;
}

}  // namespace starbus::cluster_test
