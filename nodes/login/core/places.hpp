/// How many players may enter now: by the sessions that gates may have, and by the load of the
/// nodes where players live.
///
/// Those who were let in and do not show in a measurement yet are counted beside it, so that a
/// burst between two measurements overfills neither. A plain value: one thread at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nodes/login/core/address.hpp"
#include "nodes/login/core/limits.hpp"
#include "nodes/login/core/node_loads.hpp"

namespace starbus::nodes::login {

/// What all gates say together.
struct Measured {
  std::uint64_t sessions = 0;  // that the gates have
  std::uint64_t most = 0;      // that they may have
};

/// The rate at which players enter, and at which load it falls.
struct PlaceOptions {
  std::uint32_t per_second = kAdmitPerSecond;
  LoadOptions load{};
};

/// Why the first of the queue does not enter now.
enum class Hold : std::uint8_t {
  nothing,        ///< it may
  rate,           ///< as many as may enter in this second have
  gates_unknown,  ///< no gate has reported for kMeasureAge
  gates_full,     ///< they have as many sessions as they may have
  nodes,          ///< a role has no room: PlacesView::roles says which
};
const char* name_of(Hold hold);

/// What the next admission depends on, for people.
struct PlacesView {
  Hold hold = Hold::nothing;
  std::uint64_t sessions = 0;
  std::uint64_t most = 0;
  std::uint64_t on_their_way = 0;  // let in, and not among the sessions yet
  double rate = 0;                 // players in a second
  std::vector<RoleView> roles{};
};
/// What holds the queue, with the figures: "role space: full, 912 of 900 ms per second". Empty: it
/// moves.
std::string why(const PlacesView& view, const LoadOptions& options);

class Places {
 public:
  explicit Places(const PlaceOptions& options = {}) : options_(options), loads_(options.load) {}

  /// Replaces the measurement before.
  void measured(const Measured& measured, Time now);
  /// The ready nodes of a role where players live.
  void nodes(const std::string& role, const std::vector<NodeBusy>& nodes, Time now);
  /// One enters; false: none may.
  bool take(Time now);
  /// One enters whether or not there is room.
  void enter(Time now);
  /// One who was to enter does not.
  void give_back();
  /// When take() may succeed by time alone; nullopt: not before the next measurement.
  std::optional<Time> next(Time now);
  PlacesView view(Time now);

 private:
  double rate(Time now);  // per millisecond
  void refill(Time now);
  bool known(Time now) const;
  bool room(Time now);
  std::uint64_t on_their_way() const;

  const PlaceOptions options_;
  NodeLoads loads_;
  std::optional<Measured> measured_;
  Time measured_at_{0};
  double tokens_ = 0;
  Time refilled_{0};
  std::deque<std::pair<std::int64_t, std::uint64_t>> entered_;  // second, how many
};

}  // namespace starbus::nodes::login
