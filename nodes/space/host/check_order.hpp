/// What a node takes from orders: a service that is broken, or that somebody else speaks for, makes
/// no node allocate, or count, without bound. Pure function.
#pragma once

#include "nodes/space/error.hpp"
#include "nodes/space/messages.hpp"

namespace starbus::nodes::space {

/// bad_name: a type or a name of another form; bad_request: a value that no data file and no
/// request could have led to. The text names it.
Result<> check(const Order& order);

}  // namespace starbus::nodes::space
