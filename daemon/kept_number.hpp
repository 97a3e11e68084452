/// Numbers that a daemon must not forget: each a file of its own in the state folder.
///
/// An fsync takes a millisecond on an idle disk and a third of a second on a busy one, and whoever
/// replaces a running daemon would let everybody wait for it. So what must survive a power cut and
/// what must only survive the daemon are kept apart: NAME holds the durable part; NAME.noted the
/// latest, with the id of the boot for which it is valid, because until the machine stops, its page
/// cache forgets nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bus/core/error.hpp"
#include "daemon/state_directory.hpp"

namespace starbus::bus::daemon {

/// Names this boot of the machine; read once.
const std::string& boot_id();

class KeptNumber {
 public:
  /// `state` must outlive this. Numbers are below `end`.
  KeptNumber(StateDirectory& state, std::string_view name, std::uint64_t end)
      : state_(&state), name_(name), end_(end) {}

  /// The latest that was noted in this boot, or the durable one, whichever is higher; 0 if there is
  /// none. io_error if the durable file holds no number: starting without would break its promise.
  Result<std::uint64_t> read() const;
  /// Survives all but a power cut. Returns at once.
  Result<> note(std::uint64_t value);
  /// Survives a power cut. Waits for the disk.
  Result<> store(std::uint64_t value);
  /// A number above all that this has given out, whatever crashed since, and at least `least`.
  /// Waits for the disk only at the first call of a boot, and when `reserve` numbers have passed
  /// since it last did: so many are given out in advance, and left out after a power cut.
  Result<std::uint64_t> next(std::uint64_t least, std::uint64_t reserve);

 private:
  Result<std::uint64_t> durable() const;
  /// 0 if there is none of this boot.
  std::uint64_t noted() const;

  StateDirectory* state_;
  std::string name_;
  std::uint64_t end_;
};

}  // namespace starbus::bus::daemon
