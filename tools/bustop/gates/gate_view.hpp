/// Reports of gates -> text for people, JSON for scripts. Pure functions; every text ends with a
/// newline or is empty.
#pragma once

#include <string>

#include "tools/bustop/gates/gate_link.hpp"
#include "tools/bustop/gates/gate_report.hpp"
#include "tools/terminal/json_text.hpp"
#include "tools/terminal/table.hpp"

namespace starbus::bustop {

std::string render_clients(const ClientList& list, const ClientsQuery& query, const Look& look);
std::string render_client(const ClientFound& found, const Look& look);
/// "would be heard by 12 clients of 2 gates"
std::string render_audience(const Audience& audience, const std::string& group);
std::string render_announced(const Announced& announced, const Heard& heard, const Look& look);

OrderedJson json_of_clients(const ClientList& list);
OrderedJson json_of_client(const ClientFound& found);
OrderedJson json_of_audience(const Audience& audience, const std::string& group);
OrderedJson json_of_announced(const Announced& announced, const Heard& heard);

}  // namespace starbus::bustop
