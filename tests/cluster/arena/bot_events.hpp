/// What starbus-bots tells of its bots while they play (--log): who is where, and what has happened
/// to whom since a moment. One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace starbus::cluster_test {

/// A line.
struct BotEvent {
  std::int64_t at_ms = 0;  // since 1970
  std::uint64_t bot = 0;
  std::string what{};
  std::string gate{};
  std::string space{};  // before it
  std::string detail{};
  bool excused = false;  // the bot had left by itself, and is not back yet
};

class BotEvents {
 public:
  explicit BotEvents(std::filesystem::path file) : in_(std::move(file)) {}

  /// Reads what is new.
  void read();
  /// Those in the spaces that are named.
  std::set<std::uint64_t> in_spaces(const std::set<std::string>& spaces) const;
  /// Those that have told anything.
  std::set<std::uint64_t> known() const;
  std::set<std::uint64_t> at_gate(const std::string& gate) const;
  /// Those that have gone into a portal, and have come out of none since.
  std::set<std::uint64_t> in_portals() const;
  /// Those that have left by themselves.
  std::set<std::uint64_t> away() const;
  /// How many are in a space.
  std::size_t in_game() const;
  /// The first of these for that bot at that moment or later; nullopt: none yet.
  std::optional<std::int64_t> first(std::uint64_t bot, const std::string& what,
                                    std::int64_t since_ms) const;
  /// All of a time.
  std::vector<BotEvent> between(std::int64_t from_ms, std::int64_t to_ms) const;

 private:
  struct Bot {
    std::string gate;
    std::string space;
    bool in_game = false;
    bool in_portal = false;
    bool left = false;
  };
  void take(BotEvent event);

  std::filesystem::path in_;
  std::streamoff at_ = 0;
  std::map<std::uint64_t, Bot> bots_;
  std::vector<BotEvent> all_;
};

/// town-1 of space/town-1.
std::string plain_space(const std::string& name);
std::int64_t now_ms();

}  // namespace starbus::cluster_test
