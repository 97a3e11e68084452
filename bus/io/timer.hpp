#pragma once

#include <boost/asio/steady_timer.hpp>

namespace starbus::bus::io {

/// The timer of the client library. The simulator compiles the library with one that follows its
/// own time (tests/sim/clients/substitutes).
using Timer = boost::asio::steady_timer;

}  // namespace starbus::bus::io
