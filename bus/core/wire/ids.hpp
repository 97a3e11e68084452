/// The identities that travel on the wire. Plain values, no ownership, no threads.
#pragma once

#include <boost/container_hash/hash.hpp>
#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace starbus::bus {

/// Lanes overtake each other freely; order holds within a lane.
enum class Lane : std::uint8_t { control = 0, call = 1, sync = 2, bulk = 3 };
inline constexpr std::size_t kLanes = 4;
inline constexpr Lane kDataLanes[] = {Lane::call, Lane::sync, Lane::bulk};
std::string_view name_of(Lane lane);

/// First 128 bits of SHA-256 of a channel's name (players choose names, so it is cryptographic).
/// One exception: `process/HOST.NODE` is {kProcessTag, host << 32 | slot}, so that a reply finds
/// its process without carrying a name.
struct ChannelId {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  /// 32 hexadecimal digits.
  std::string to_string() const;
  friend auto operator<=>(const ChannelId&, const ChannelId&) = default;
};
inline constexpr std::uint64_t kProcessTag = 0x7062'2f73'7365'636f;

/// One life of one node on one host: the origin of records and the owner of names. `host` and
/// `slot` are the first 32 bits of SHA-256 of the host's and the node's name (two living ones that
/// collide are refused), `incarnation` is drawn at each start and grows.
struct Process {
  std::uint32_t host = 0;
  std::uint32_t slot = 0;
  std::uint64_t incarnation = 0;

  ChannelId channel() const {
    return {kProcessTag, (std::uint64_t{host} << 32) | std::uint64_t{slot}};
  }
  friend auto operator<=>(const Process&, const Process&) = default;
};

/// One attempt to move one channel: the process that gives it, and the incarnation that may take
/// it. `number` is drawn by the source and not 0 in a real ticket. A fresh bind's ticket names the
/// binding process on both sides.
struct Ticket {
  Process source;
  Process target;
  std::uint64_t number = 0;

  /// The ticket of a fresh bind by this process.
  static Ticket of_bind(const Process& process, std::uint64_t number) {
    return {process, process, number};
  }
  bool is_bind() const { return source == target; }
  explicit operator bool() const { return number != 0; }
  friend bool operator==(const Ticket&, const Ticket&) = default;
};

/// (term, n), compared in that order: busroot's term is persisted and grows at each of its starts,
/// n grows with each grant. Packed as term << 40 | n: 16 million terms of 10^12 grants.
struct Epoch {
  std::uint64_t value = 0;

  static constexpr Epoch of(std::uint64_t term, std::uint64_t n) { return {term << 40 | n}; }
  constexpr std::uint64_t term() const { return value >> 40; }
  constexpr std::uint64_t n() const { return value & ((std::uint64_t{1} << 40) - 1); }
  constexpr explicit operator bool() const { return value != 0; }
  std::string to_string() const;  // "3.17"
  friend auto operator<=>(const Epoch&, const Epoch&) = default;
};

/// The epoch of a fresh bind; a move keeps it: "the same continuous state". 0: unknown.
using Lineage = Epoch;

/// The first 32 bits of SHA-256 of the name.
std::uint32_t host_id(std::string_view host_name);
std::uint32_t slot_id(std::string_view node_name);

inline std::size_t hash_value(const ChannelId& id) {
  return static_cast<std::size_t>(id.high ^ (id.low * 0x9e37'79b9'7f4a'7c15ULL));
}
inline std::size_t hash_value(const Process& process) {
  std::size_t seed = process.incarnation;
  boost::hash_combine(seed, (std::uint64_t{process.host} << 32) | process.slot);
  return seed;
}

}  // namespace starbus::bus

template <>
struct std::hash<starbus::bus::ChannelId> {
  std::size_t operator()(const starbus::bus::ChannelId& id) const { return hash_value(id); }
};
template <>
struct std::hash<starbus::bus::Process> {
  std::size_t operator()(const starbus::bus::Process& p) const { return hash_value(p); }
};
