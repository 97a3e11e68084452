// The load processes, the same for every peer:
//
//   sender    one message to each of its partners at a steady rate, numbered, until a line comes on
//             its standard input; then prints {"sent": n}, to each
//   receiver  notes how long it hears nothing, and whether the numbers are without a gap. A line on
//             its standard input is a time T: when it has a message that was sent at T or later it
//             prints {"silence": ns}, the longest since the last such line. At the end of the
//             stream it prints {"received": n, "announced": n, "misplaced": n}.
#pragma once

#include <memory>

#include "bench/bus/role.hpp"

namespace starbus::bench::restarts {

std::unique_ptr<Role> make_role(const LoadOptions& options);

}  // namespace starbus::bench::restarts
