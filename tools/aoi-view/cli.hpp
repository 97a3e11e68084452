// The command line of aoi-view. Pure functions but for the files.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace starbus::aoi_view {

/// Returns the exit code. 1: a file cannot be read or written, or is not a recording. 2: the
/// command line is wrong, or asks for something that the recording does not have.
int run_aoi_view(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace starbus::aoi_view
