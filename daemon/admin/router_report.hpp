#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "bus/core/routers/router.hpp"
#include "daemon/admin/admin_http.hpp"
#include "daemon/clock_watch.hpp"
#include "daemon/report/link_info.hpp"

namespace starbus::daemon {

class Metrics;

/// The parts of the admin API (docs/operate/admin-api.md) that busd and busroot share. Plain
/// functions for the thread of the loop.

/// `kind`: "process", "busd" or "busroot".
report::LinkInfo link_info(const bus::LinkStatus& link, std::string_view kind);
std::map<std::string, std::uint64_t> counters_of(const bus::RouterCounters& counters);
/// /failures: latest first; of the channel that `name` says, or all.
Response failures_response(const bus::Router& router, const Request& request);
/// {"error","detail"} with the HTTP status of the error.
Response error_response(const Error& error);
/// Seconds since the wall clock was set; nullopt if it was not.
std::optional<double> clock_jump_age(const ClockWatch& clock);
/// starbus_router_*; the router must outlive the metrics' last scrape.
void add_router_metrics(Metrics& metrics, const bus::Router& router);

}  // namespace starbus::daemon
