/// How many players may enter now: by what was measured of the gates and of the cluster's load.
///
/// Those who were let in and do not show in a measurement yet are counted beside it, so that a
/// burst between two measurements does not overfill the gates. A plain value: one thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "nodes/login/core/address.hpp"
#include "nodes/login/core/limits.hpp"

namespace starbus::nodes::login {

/// What all gates and nodes say together.
struct Measured {
  std::uint64_t sessions = 0;  // that the gates have
  std::uint64_t most = 0;      // that they may have
  std::uint32_t load = 0;      // permille of the busiest node that a player needs
};

struct PlaceOptions {
  std::uint32_t per_second = kAdmitPerSecond;
  std::uint32_t load_full = kLoadFull;  // permille, see limits.hpp
  std::uint32_t load_none = kLoadNone;  // above load_full
};

class Places {
 public:
  explicit Places(const PlaceOptions& options = {}) : options_(options) {}

  void measured(const Measured& measured, Time now);
  /// One enters; false: none may.
  bool take(Time now);
  /// One who was to enter does not.
  void give_back();
  /// When take() may succeed by time alone; nullopt: not before the next measurement.
  std::optional<Time> next(Time now);

 private:
  double rate() const;  // per millisecond
  void refill(Time now);
  bool room(Time now);

  const PlaceOptions options_;
  std::optional<Measured> measured_;
  Time measured_at_{0};
  double tokens_ = 0;
  Time refilled_{0};
  std::deque<std::pair<std::int64_t, std::uint64_t>> entered_;  // second, how many
};

}  // namespace starbus::nodes::login
