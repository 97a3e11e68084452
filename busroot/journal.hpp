#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bus/core/error.hpp"
#include "bus/core/routers/root/grant_bounds.hpp"
#include "daemon/state_directory.hpp"

namespace starbus::busroot {

/// The persistent state of busroot: its term, its hosts, and how many epochs it has granted. Plain
/// files, numbers and one name per line. io_error with the file's name if one cannot be read,
/// written or decoded: a start without them would let two processes own one name.

/// Higher than the term of any earlier start, and stored before it is returned: one more than the
/// last. The first start of a boot skips the terms that may have been in use.
Result<std::uint64_t> next_term(daemon::StateDirectory& state);

/// The hosts that have announced before, in no order; empty at the first start. `store_hosts`
/// replaces the list.
Result<std::vector<std::string>> stored_hosts(const daemon::StateDirectory& state);
Result<> store_hosts(daemon::StateDirectory& state, const std::vector<std::string>& hosts);

/// How many epochs the latest terms may have granted; empty at the first start. `store_bounds`
/// replaces the list.
Result<std::vector<bus::GrantBound>> stored_bounds(const daemon::StateDirectory& state);
Result<> store_bounds(daemon::StateDirectory& state, const std::vector<bus::GrantBound>& bounds);

}  // namespace starbus::busroot
