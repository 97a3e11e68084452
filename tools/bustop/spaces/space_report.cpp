#include "tools/bustop/spaces/space_report.hpp"

#include <string_view>
#include <utility>

#include "daemon/admin/admin_http.hpp"

namespace starbus::bustop {
namespace {

using nlohmann::json;

constexpr std::string_view kChannels = "space/";
// Of 1,000 spaces each: more than all nodes together may run.
constexpr int kMostPages = 1'000;

bool wanted(const json& row, std::string_view prefix, const SpacesQuery& query) {
  return text_at(row, "space").starts_with(prefix) &&
         (query.node.empty() || text_at(row, "node") == query.node);
}

/// Adds what each node says of its spaces.
void ask_nodes(SpaceList& list, const NodeLook& look) {
  std::map<std::string, std::map<std::string, json>> by_node;
  for (const SpaceEntry& entry : list.rows) by_node[text_at(entry.placed, "node")];
  by_node.erase("");  // not placed yet
  for (auto& [node, spaces] : by_node) {
    const auto page = look(node, "/spaces");
    if (!page) list.notes.push_back(node_note(node, page.error()));
    if (!page) continue;
    for (const json& row : rows_at(*page, "spaces")) spaces[text_at(row, "space")] = row;
  }
  for (SpaceEntry& entry : list.rows) {
    const auto node = by_node.find(text_at(entry.placed, "node"));
    if (node == by_node.end()) continue;
    const auto row = node->second.find(entry.name);
    if (row != node->second.end()) entry.runs = row->second;
  }
}

}  // namespace

bus::Result<SpaceList> list_spaces(const std::string& service, const NodeLook& look,
                                   const SpacesQuery& query) {
  SpaceList list;
  list.service = service;
  std::string_view prefix = query.prefix;
  if (prefix.starts_with(kChannels)) prefix.remove_prefix(kChannels.size());
  std::string after;
  for (int pages = 0;; ++pages) {
    if (pages == kMostPages) {
      return bus::Error(bus::Errc::bad_bytes, service + ": its answers do not come to an end");
    }
    auto page = look(service, "/spaces?after=" + daemon::percent_encode(after));
    if (!page) return page.error();
    if (!flag_at(*page, "here")) {
      return bus::Error(bus::Errc::no_handler, service + ": the service of spaces has left it");
    }
    for (const json& row : rows_at(*page, "spaces")) {
      after = text_at(row, "space");
      if (!wanted(row, prefix, query)) continue;
      if (query.limit != 0 && list.rows.size() == query.limit) {
        ++list.left_out;
      } else {
        list.rows.push_back({after, row, json::object()});
      }
    }
    const bool more = flag_at(*page, "more") && !rows_at(*page, "spaces").empty();
    if (list.summary.is_null()) list.summary = std::move(*page);
    if (!more) break;
  }
  list.summary.erase("spaces");
  ask_nodes(list, look);
  return list;
}

}  // namespace starbus::bustop
