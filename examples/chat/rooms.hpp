// The rooms of the chat, at its hosts and in the copies that show them: a plain value that takes
// snapshots and changes.
#pragma once

#include <deque>
#include <map>
#include <string>

#include "entity/archive/archive.hpp"
#include "nodes/replica/mirror_core.hpp"

namespace chat {

namespace bus = starbus::bus;
namespace entity = starbus::entity;
namespace replica = starbus::nodes::replica;

inline constexpr const char* kType = "chat";
inline constexpr std::uint32_t kPartitions = 4;  // as in the file of the manager
inline constexpr std::size_t kMostRooms = 1'000;
inline constexpr std::size_t kMostLines = 20;  // of each room: the latest
inline constexpr std::size_t kLongest = 200;   // bytes of a name or a line

struct Rooms final : replica::Replica {
  std::map<std::string, std::deque<std::string>> rooms;

  void add(const std::string& room, std::string line) {
    auto& lines = rooms[room];
    lines.push_back(std::move(line));
    if (lines.size() > kMostLines) lines.pop_front();
  }
  bool restore(bus::ByteView snapshot) override {
    auto read = entity::decode<decltype(rooms)>(snapshot);
    if (read) rooms = *std::move(read);
    return read.has_value();
  }
  bool apply(bus::ByteView delta) override {
    auto read = entity::decode_all<std::string, std::string>(delta);
    if (read) add(std::get<0>(*read), std::get<1>(*read));
    return read.has_value();
  }
};

}  // namespace chat
