/// Which writes a request has, in 64 bits: so that a request id that is used for another request is
/// noticed, and that request not taken for done. Kept on disk: it changes with a layout alone.
/// Against mistakes, not against malice. Pure; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "nodes/db/database.hpp"

namespace starbus::nodes::db {

/// Equal for equal writes in one order; values as the types that they have, so 1 is not 1.0.
std::uint64_t fingerprint(const std::vector<Write>& writes);

}  // namespace starbus::nodes::db
