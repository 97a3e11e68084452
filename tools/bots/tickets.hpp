/// Files of tickets: what bots come back with, a line `ACCOUNT BASE64` each. As good as passwords
/// for as long as the login counts them, so they are for their user alone (mode 0600).
#pragma once

#include <string>

#include "base/result.hpp"
#include "tools/bots/ground.hpp"

namespace starbus::bots {

/// Errors: bad_config; it names file and line.
Result<Tickets> read_tickets(const std::string& file);
/// Replaces the file. Errors: io_error.
Result<> write_tickets(const std::string& file, const Tickets& tickets);

}  // namespace starbus::bots
