/// What the program of the process target does; the payload of the step is a name or a body.
#pragma once

#include <cstdint>

namespace starbus::bus::fuzz {

enum class Program : std::uint8_t {
  bind,
  unbind,
  move,
  send_from,
  send,
  watch,
  unwatch,
  reconnect,
};

}  // namespace starbus::bus::fuzz
