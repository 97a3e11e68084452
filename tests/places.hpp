/// Where a test finds what is not in its own program. In one object, since the paths differ from
/// checkout to checkout, and what has them compiled in is found in no compiler cache.
#pragma once

#include <string>

namespace starbus {

/// Of this repository: "docs/reference/limits.md".
std::string source_file(const std::string& path);
/// Of this build: "busd".
std::string program(const std::string& name);
/// scripts/test --long: the full counts. It says STARBUS_LONG=1, and otherwise 0.
bool long_runs();

}  // namespace starbus
