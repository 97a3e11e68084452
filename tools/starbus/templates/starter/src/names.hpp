// The namespaces of starbus that the game uses, and the names that it takes from outside.
#pragma once

#include <algorithm>
#include <string_view>

#include "entity/rpc/rpc.hpp"

namespace starbus::daemon {}
namespace starbus::nodes::db {}
namespace starbus::nodes::entities {}
namespace starbus::nodes::login {}
namespace starbus::nodes::players {}
namespace starbus::nodes::service {}
namespace starbus::nodes::replica {}

namespace game {

namespace bus = starbus::bus;
namespace daemon = starbus::daemon;
namespace db = starbus::nodes::db;
namespace entities = starbus::nodes::entities;
namespace entity = starbus::entity;
namespace login = starbus::nodes::login;
namespace nodes = starbus::nodes;
namespace players = starbus::nodes::players;
namespace replica = starbus::nodes::replica;
namespace rpc = starbus::entity::rpc;
namespace service = starbus::nodes::service;

inline constexpr std::size_t kLongestName = 40;  // bytes, of a room or a player

/// 1..40 of a-z 0-9 . _ -. Names from outside become part of names of the bus, and of logs.
inline bool is_name(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  };
  return !text.empty() && text.size() <= kLongestName && std::ranges::all_of(text, allowed);
}

}  // namespace game
