#pragma once

#include <string>
#include <string_view>

#include "bus/core/error.hpp"
#include "bus/daemon/admin_http.hpp"

namespace starbus::bus::daemon {

/// busroot's name wherever a host could be meant, so no host may have it.
inline constexpr std::string_view kRootTarget = "root";

/// /at/TARGET/PATH?QUERY of the admin API: a question for another daemon, carried over the bus.
struct AtRequest {
  std::string target;  // a host, or kRootTarget
  std::string path;    // with its query, encoded again
};

inline constexpr const char* kAtRoute = "/at/";

/// bad_name if it is not of that form, too_large if the path does not fit a query.
Result<AtRequest> parse_at(const Request& request);

}  // namespace starbus::bus::daemon
