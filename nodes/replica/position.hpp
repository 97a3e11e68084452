/// Where a publisher is, and what it tells its mirrors: plain values that travel.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "entity/archive/error.hpp"

namespace starbus::nodes::replica {

/// One life of a publisher. Ordered: the owner's epoch first, so that a later owner of the channel
/// is later; then the moment at which its process made it.
struct Stream {
  std::uint64_t epoch = 0;
  std::uint64_t life = 0;

  auto operator<=>(const Stream&) const = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(epoch, life);
  }
};

/// The state after so many changes of one stream.
struct Position {
  Stream stream;
  std::uint64_t seq = 0;

  auto operator<=>(const Position&) const = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(stream, seq);
  }
};

/// The process of a publisher, in its own words.
struct Home {
  std::uint32_t host = 0;  // as in bus::Process
  std::uint32_t slot = 0;
  std::uint64_t incarnation = 0;
  std::string node;  // HOST.NODE

  template <class Archive>
  void serialize(Archive& archive) {
    archive(host, slot, incarnation, node);
  }
};
/// The answer to one who follows.
struct Followed {
  Position at;
  Home home;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(at, home);
  }
};

/// A state, of which position it is, and where.
struct Snapshot {
  Position at;
  std::string state;  // bytes
  Home home = {};
};
/// As one text: within a class of its own an archive would count each byte as an element. Errors as
/// of entity::encode and decode_all.
entity::DataResult<std::string> pack(const Snapshot& snapshot);
entity::DataResult<Snapshot> unpack_snapshot(std::string_view bytes);

}  // namespace starbus::nodes::replica
