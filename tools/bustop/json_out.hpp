/// Model -> JSON for scripts: what --json prints. Keys are documented in docs/operate/bustop.md;
/// they are only added, never renamed. Plain units as in the names of the keys: us, ms, s, bytes.
#pragma once

#include <string>

#include "daemon/report/document.hpp"
#include "tools/bustop/render.hpp"
#include "tools/terminal/json_text.hpp"

namespace starbus::bustop {

OrderedJson json_of_tree(const Cluster& cluster);
OrderedJson json_of_hosts(const Cluster& cluster);
OrderedJson json_of_nodes(const Cluster& cluster);
OrderedJson json_of_names(const NamesAnswer& answer);
OrderedJson json_of_route(const RouteView& view);
OrderedJson json_of_why(const WhyView& view);
OrderedJson json_of_rates(const std::vector<DaemonRates>& rates, double seconds);
OrderedJson json_of_doctor(const std::vector<Finding>& findings);

}  // namespace starbus::bustop
