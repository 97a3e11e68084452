/// The pages docs/reference/errors.md and limits.md, from the tables that are linked into the
/// program. Pure functions; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.hpp"

namespace starbus::catalogue {

/// The limits of one library or part, under the name that the page has for it.
struct LimitTable {
  std::string_view part;
  std::string_view header;  ///< where the table stands
  std::span<const LimitInfo> limits;
};
std::vector<LimitTable> limit_tables();

std::string errors_page();
std::string limits_page();

}  // namespace starbus::catalogue
