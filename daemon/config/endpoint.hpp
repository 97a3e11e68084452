#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bus/core/error.hpp"

namespace starbus::daemon {

/// A TCP address as operators write it: "127.0.0.1:9321", "[::1]:9321", "localhost:9321".
struct Endpoint {
  std::string host;  // without brackets
  std::uint16_t port = 0;

  std::string to_string() const;
  bool operator==(const Endpoint&) const = default;
};

/// Errc::bad_config when there is no port, or it is not 0..65535, or the host is empty. Whether the
/// host exists is another question.
Result<Endpoint> parse_endpoint(std::string_view text);

}  // namespace starbus::daemon
