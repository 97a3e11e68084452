/// Names of accounts: what a player types, and the one form under which it is kept.
/// Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "nodes/login/error.hpp"

namespace starbus::nodes::login {

/// Small letters for large ones, blanks around it taken off. kNameLeast to kNameMost letters (a-z),
/// digits, `_`, `-` and `.`, a letter first: in ASCII alone, since names in which letters of two
/// alphabets look alike would let one player pass for another. A shown name is the game's affair.
/// Errors: bad_name.
Result<std::string> normalised_name(std::string_view typed);

}  // namespace starbus::nodes::login
