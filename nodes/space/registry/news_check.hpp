/// Whether what a node says of itself can be true: a broken or hostile node must not break what the
/// registry knows of others. Pure; any thread.
#pragma once

#include "nodes/space/messages.hpp"

namespace starbus::nodes::space {

/// bad_name, bad_request, with what is wrong: a name of another form, counts beyond their limits, a
/// load that is no number, more seats taken than there are. Nothing of such an announcement counts.
Result<> check_news(const Announcement& from);

}  // namespace starbus::nodes::space
