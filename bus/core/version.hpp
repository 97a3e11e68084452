/// The release that this tree builds: shown to people in hello, logs and admin answers. What peers
/// must agree on is the protocol version, in bundle.hpp.
#pragma once

namespace starbus::bus {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace starbus::bus
