/// JSON of the admin API -> model.hpp. Pure functions. Missing fields keep their defaults, unknown
/// ones are ignored, values of a wrong type count as missing: daemons of other versions must not
/// break the tool that looks for what is wrong with them. Errc::bad_bytes when the text is no JSON
/// object at all.
#pragma once

#include <string_view>

#include "tools/bustop/model.hpp"

namespace starbus::bustop {

Result<DaemonStatus> parse_status(std::string_view text);
Result<std::vector<LinkInfo>> parse_links(std::string_view text);
Result<HostTopology> parse_host_topology(std::string_view text);
Result<RootTopology> parse_root_topology(std::string_view text);
Result<NamesPage> parse_names(std::string_view text);
Result<RouteInfo> parse_route(std::string_view text);
Result<std::vector<FailureRow>> parse_failures(std::string_view text);
Result<TailLine> parse_tail_line(std::string_view text);

}  // namespace starbus::bustop
