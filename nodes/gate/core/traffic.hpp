#pragma once

#include <cstddef>
#include <cstdint>

#include "nodes/gate/wire/frames.hpp"

namespace starbus::nodes::gate {

/// What goes between a client and its subject, by kind. Plain counts; a packet that is sent again
/// to a client that came back counts once.
struct Traffic {
  struct Count {
    std::uint64_t number = 0;
    std::uint64_t bytes = 0;  // of bodies
    void add(std::size_t size) {
      ++number;
      bytes += size;
    }
    friend bool operator==(const Count&, const Count&) = default;
  };
  Count calls{};
  Count properties{};  // full states and news
  Count sight{};
  Count replies{};
  Count announcements{};
  Count control{};   // last words
  Count requests{};  // of the client

  /// Where a packet counts.
  Count& of(PacketKind kind) {
    switch (kind) {
      case PacketKind::full:
      case PacketKind::news:
        return properties;
      case PacketKind::call:
        return calls;
      case PacketKind::sight:
        return sight;
      case PacketKind::reply:
        return replies;
      case PacketKind::spoken:
        return announcements;
      case PacketKind::over:
      case PacketKind::ended:
        break;
    }
    return control;
  }
};

}  // namespace starbus::nodes::gate
