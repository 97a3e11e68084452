/// Filters of the kernel on a listening TCP socket: whose packets it does not hear. What a filter
/// drops costs this process nothing, not even accept(2). Connections that are there stay.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>

namespace starbus::bus::io {

/// Where a connection comes from, as far as a peer cannot choose it at will: an IPv4 address, or
/// the first 64 bits of an IPv6 address.
struct Source {
  bool v6 = false;
  std::array<std::uint32_t, 2> words{};  // in the order of the wire, first word first; IPv4: one
  friend auto operator<=>(const Source&, const Source&) = default;
};

/// The source of a connected TCP socket whose own port is `port`; nullopt for all others.
std::optional<Source> source_of(int fd, std::uint16_t port);

/// From now on the listening socket hears everybody but these. False if the kernel refuses the
/// filter; then it hears as before.
bool shut_out(int fd, std::span<const Source> sources);
/// From now on the listening socket hears nobody. False as above.
bool hear_nobody(int fd);

}  // namespace starbus::bus::io
