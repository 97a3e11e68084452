/// Why a connection ends, as the sockets see it. Constants and pure functions; any thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "nodes/gate/wire/frames.hpp"

namespace starbus::nodes::gate::net {

// X(ending, close reason, milliseconds until the client may come again, text for a person)
#define STARBUS_GATE_ENDINGS(X)                                                                \
  X(left, ended, 0, "the client hung up")                                                      \
  X(lost, ended, 0, "the connection broke")                                                    \
  X(owner, ended, 0, "the gate has closed it")                                                 \
  X(malformed, malformed, 0, "not a frame of this protocol")                                   \
  X(too_large, too_large, 0, "a frame is longer than allowed")                                 \
  X(silent, idle, 0, "nothing was heard for three heartbeats")                                 \
  X(slow_handshake, idle, 0, "the first frame took too long")                                  \
  X(slow_frame, idle, 0, "a frame took too long")                                              \
  X(too_many_frames, too_many, 5'000, "too many frames; wait a little")                        \
  X(too_slow, too_slow, 0, "the client does not take what it is sent")                         \
  X(full, full, 5'000, "the gate is full; try again")                                          \
  X(too_many_of_address, too_many, 5'000, "too many connections from this address; try again") \
  X(too_many_handshakes, later, 2'000, "the gate is busy; try again")                          \
  X(no_room, later, 5'000, "the gate has no room; try again")                                  \
  X(proxy, malformed, 0, "no PROXY header of a load balancer")                                 \
  X(tls, malformed, 0, "the TLS handshake failed")                                             \
  X(upgrade, malformed, 0, "not an upgrade to a WebSocket that is allowed")

/// What it is called in metrics and logs is its name.
enum class Ending : std::uint8_t {
#define STARBUS_GATE_ENDING(ending, reason, retry, text) ending,
  STARBUS_GATE_ENDINGS(STARBUS_GATE_ENDING)
#undef STARBUS_GATE_ENDING
};

/// One row of the table above.
struct EndingInfo {
  std::string_view name;
  CloseReason reason;
  std::uint32_t retry_ms;
  std::string_view text;
};
inline constexpr std::array kEndings = {
#define STARBUS_GATE_ENDING(ending, reason, retry, text) \
  EndingInfo{#ending, CloseReason::reason, retry, text},
    STARBUS_GATE_ENDINGS(STARBUS_GATE_ENDING)
#undef STARBUS_GATE_ENDING
};

/// The row of the table above.
constexpr const EndingInfo& info_of(Ending ending) {
  return kEndings[static_cast<std::size_t>(ending)];
}
inline std::string_view name_of(Ending ending) {
  return info_of(ending).name;
}
/// A fault or a limit, and not the will of a side.
constexpr bool is_refusal(Ending ending) {
  return ending > Ending::owner;
}

}  // namespace starbus::nodes::gate::net
