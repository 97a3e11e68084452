/// A number that survives restarts of a daemon, in two files of the state folder.
///
/// An fsync takes a millisecond on an idle disk and a third of a second on a busy one, and all
/// processes would wait for it while a daemon is replaced. So a value that must survive a power cut
/// is stored apart from one that must only survive the daemon: NAME holds the durable value;
/// NAME.noted the latest, with the id of the boot for which it is valid, because the page cache
/// keeps it until the machine stops. Used by one thread at a time; errors are io_error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bus/core/error.hpp"
#include "daemon/state_directory.hpp"

namespace starbus::daemon {

/// The id of this boot of the machine; read once.
const std::string& boot_id();

class PersistentCounter {
 public:
  /// `state` must outlive this. Numbers are below `end`.
  PersistentCounter(StateDirectory& state, std::string_view name, std::uint64_t end)
      : state_(&state), name_(name), end_(end) {}

  /// The value noted in this boot or the durable one, whichever is higher; 0 if there is none.
  /// io_error if the durable file does not hold a number: a start from 0 could repeat numbers.
  Result<std::uint64_t> read() const;
  /// Survives everything but a power cut. Returns at once.
  Result<> note(std::uint64_t value);
  /// Survives a power cut. Waits for the disk.
  Result<> store(std::uint64_t value);
  /// Returns a number above all earlier results, through every crash, and at least `least`. Waits
  /// for the disk only at the first call of a boot and after every `reserve` numbers: that many are
  /// reserved in advance and skipped after a power cut.
  Result<std::uint64_t> next(std::uint64_t least, std::uint64_t reserve);

 private:
  Result<std::uint64_t> durable() const;
  /// 0 if there is no note of this boot.
  std::uint64_t noted() const;

  StateDirectory* state_;
  std::string name_;
  std::uint64_t end_;
};

}  // namespace starbus::daemon
