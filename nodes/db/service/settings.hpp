#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "daemon/config/config.hpp"
#include "nodes/db/database.hpp"

namespace starbus::nodes::db {

/// The keys of starbus-db, beside those of every node. A plain value.
struct DbSettings {
  std::string database;               // its name: the node owns db/NAME
  std::filesystem::path folder;       // of the store; empty: documents in the state folder
  std::set<std::string> collections;  // that are here; empty: all
  std::vector<DeclareIndex> indexes;
  std::uint64_t headroom = 0;  // as of storage::StoreOptions
  bool check_identity = true;  // against the cluster's: store_identity.hpp
  std::string replaces;        // identity of the store that this one replaces; empty: none

  friend bool operator==(const DbSettings& a, const DbSettings& b);
};

/// Problems are noted at the reader.
DbSettings read_db_settings(daemon::ConfigReader& reader);

}  // namespace starbus::nodes::db
