/// Judges the time stamps of a client's reports: they grow, and not faster than the server's time.
/// A value, used by one thread; sans-IO.
#pragma once

#include <cstdint>

namespace starbus::nodes::movement {

/// What a time stamp shows.
enum class Stamp : std::uint8_t {
  good,
  backwards,  ///< not later than the one before
  fast,       ///< the client's time has passed faster than the server's, beyond the allowance
};

class ClientClock {
 public:
  /// Of a report that came at `now`, in ms of the server's steady clock. `allowance` in ms: by how
  /// much the client's time may run ahead when late reports come in one bunch. After a bad stamp
  /// the judgement begins again with it.
  Stamp take(std::uint32_t client_ms, std::int64_t now, double allowance);

 private:
  bool heard_ = false;
  std::uint32_t client_ms_ = 0;
  std::int64_t now_ = 0;
  double lead_ = 0;  ///< ms that the client's time has passed more than the server's
};

}  // namespace starbus::nodes::movement
