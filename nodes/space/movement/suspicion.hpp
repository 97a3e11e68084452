/// What a player has done that no honest client does, by kind: in all, and lately. A value, used by
/// one thread; sans-IO.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace starbus::nodes::movement {

/// What is wrong with a report.
enum class Violation : std::uint8_t {
  none,
  malformed,  ///< a value that is no number, or too large
  flood,      ///< more than kReportsPerSecond
  forged,     ///< an epoch that the server has not begun
  deaf,       ///< goes on as if there had been no correction, for kCorrectionAgain
  clock,      ///< the client's clock has gone back, or runs faster than time
  bad_mode,   ///< a mode that the rules do not have
  outside,    ///< beyond the bounds of the space
  too_fast,   ///< beyond what its speed allows
  blocked,    ///< the game's hook says that there is no way
};
inline constexpr std::size_t kViolations = 10;
/// "too_fast".
std::string_view name_of(Violation violation);

class Suspicion {
 public:
  /// One point of that kind, at most kMaxSuspicion in all.
  void add(Violation violation, std::int64_t now);
  /// Points that are left: one goes each kSuspicionLeak. `now` in ms of the server's steady clock.
  double level(Violation violation, std::int64_t now) const;
  /// Those of all kinds together.
  double level(std::int64_t now) const;
  /// How often it has happened.
  std::uint64_t count(Violation violation) const { return of(violation).count; }

 private:
  struct Bucket {
    std::uint64_t count = 0;
    double level = 0;
    std::int64_t since = 0;  ///< when the level was that
  };
  const Bucket& of(Violation violation) const {
    return buckets_[static_cast<std::size_t>(violation)];
  }

  std::array<Bucket, kViolations> buckets_;
};

}  // namespace starbus::nodes::movement
