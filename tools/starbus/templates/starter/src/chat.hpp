// Chat rooms: a service with partitions. The name of the room is the key, so a room is always in
// the one partition that its name says, on whichever host the manager has put that.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "names.hpp"
#include "nodes/service/service.hpp"

namespace game {

inline constexpr const char* kChat = "chat";
inline constexpr std::uint32_t kChatPartitions = 4;  // as in config/manager.toml
inline constexpr std::size_t kMostRooms = 1'000;     // of one partition
inline constexpr std::size_t kMostLines = 50;        // of each room: the latest
inline constexpr std::size_t kLongestLine = 200;     // bytes

/// The rooms of one partition. They are in memory: their lines are forgotten with the host. To keep
/// them, load in start() and save in stop(): see "Next" in README.md. Belongs to the loop's thread;
/// the host that makes it may end it at any time.
class Chat final : public service::Service, public rpc::Callable<Chat> {
 public:
  explicit Chat(service::Instance& instance) : instance_(instance) {}

  /// Answers how many lines the room has now.
  service::Result<std::size_t> say(rpc::Caller&, std::string room, std::string line) {
    if (auto mine = instance_.check(room); !mine) return mine.error();
    if (!is_name(room)) return service::Error(service::Errc::bad_name, "room");
    if (line.size() > kLongestLine) return service::Error(service::Errc::too_many, "bytes");
    if (rooms_.size() == kMostRooms && !rooms_.contains(room)) {
      return service::Error(service::Errc::too_many, "rooms");
    }
    auto& lines = rooms_[room];
    lines.push_back(std::move(line));
    if (lines.size() > kMostLines) lines.pop_front();
    return lines.size();
  }
  /// The latest lines of a room; none if nobody has spoken there.
  service::Result<std::vector<std::string>> history(rpc::Caller&, std::string room) {
    if (auto mine = instance_.check(room); !mine) return mine.error();
    const auto found = rooms_.find(room);
    if (found == rooms_.end()) return std::vector<std::string>();
    return std::vector<std::string>(found->second.begin(), found->second.end());
  }
  static constexpr auto kRpc = rpc::methods<&Chat::say, &Chat::history>();

 private:
  service::Instance& instance_;
  std::map<std::string, std::deque<std::string>> rooms_;
};

}  // namespace game
