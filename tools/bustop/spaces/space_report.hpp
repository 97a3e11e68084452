/// Spaces of the whole cluster, as the service of spaces and their nodes tell of them.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/bustop/node_answers.hpp"

namespace starbus::bustop {

struct SpacesQuery {
  std::string prefix;       // of a name such as town-3, with space/ or without
  std::string node;         // of this one only; empty: of all
  std::size_t limit = 100;  // 0: all
};

/// One space: what the service says of it (state, node, seats), and its node (ticks, members,
/// sight); an empty object if that one did not answer, or knows nothing of it yet.
struct SpaceEntry {
  std::string name;
  nlohmann::json placed;
  nlohmann::json runs;
};

/// Rows by name, as the service sorts them.
struct SpaceList {
  std::string service;     // the process that hosts it
  nlohmann::json summary;  // its first page: rebuilding, waiters, nodes
  std::vector<SpaceEntry> rows;
  std::size_t left_out = 0;        // that match too
  std::vector<std::string> notes;  // nodes that did not answer
};

/// Asks the process that hosts the service, page by page, then each node that runs a space that is
/// shown. Errors: those of `look` for the service; no_handler: it is not hosted there any more;
/// bad_bytes: its pages do not come to an end.
bus::Result<SpaceList> list_spaces(const std::string& service, const NodeLook& look,
                                   const SpacesQuery& query);

}  // namespace starbus::bustop
