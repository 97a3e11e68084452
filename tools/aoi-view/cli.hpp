// The command line of aoi-view.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace starbus::aoi_view {

/// 0; 1: a file cannot be read or written, or is no recording; 2: a wrong command line, also one
/// that asks for what the recording does not have.
int run_aoi_view(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace starbus::aoi_view
