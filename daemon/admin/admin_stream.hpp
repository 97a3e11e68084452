/// The part of a stream that its route and its connection share; only the admin server includes it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include "base/loop_thread.hpp"

#include "daemon/admin/admin_http.hpp"

namespace starbus::daemon {

struct Stream::State {
  LoopThread thread;
  std::string buffer;  // complete lines that the connection has not taken yet
  std::uint64_t skipped = 0;
  std::uint64_t skipped_since_note = 0;
  bool ended = false;              // by the route
  bool gone = false;               // the client
  std::function<void()> on_close;  // of the route
  std::function<void()> wake = [] {};

  bool is_open() const { return !ended && !gone; }
  bool write(std::string_view line);
  void note_skipped();
  void end();
  void client_left();
};

}  // namespace starbus::daemon
