/// Queries and counts, on one snapshot of the store. Functions without state; blocks for the disk.
#pragma once

#include "nodes/db/catalogue.hpp"

namespace starbus::nodes::db {

/// bad_request, not_found (no such index), index_building, and errors of the disk.
Result<Page> read_page(const storage::Snapshot& snapshot, const Catalogue& catalogue,
                       const Query& query);
/// Likewise; corrupt if something in the range cannot be read.
Result<Counted> count_rows(const storage::Snapshot& snapshot, const Catalogue& catalogue,
                           const Count& request);

}  // namespace starbus::nodes::db
