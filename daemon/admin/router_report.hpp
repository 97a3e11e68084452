#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "bus/core/routers/router.hpp"
#include "daemon/admin/admin_http.hpp"
#include "daemon/clock_watch.hpp"

namespace starbus::bus::daemon {

class Metrics;

/// The parts of the admin API (docs/admin-api.md) that busd and busroot share. Plain functions;
/// call them in the thread of the loop.

/// LINK; `kind` is "process", "busd" or "busroot".
nlohmann::json link_json(const LinkStatus& link, std::string_view kind);
nlohmann::json counters_json(const RouterCounters& counters);
/// /failures, latest first: of the channel in the parameter `name`, or of all channels.
Response failures_response(const Router& router, const Request& request);
/// {"error","detail"} with the HTTP status of the error.
Response error_response(const Error& error);
/// Seconds since the wall clock was set; null if it has not been set.
nlohmann::json clock_jump_age(const ClockWatch& clock);
/// starbus_router_*; the router must outlive the metrics' last scrape.
void add_router_metrics(Metrics& metrics, const Router& router);

}  // namespace starbus::bus::daemon
