/// How busy the nodes are that players need, role by role, and which share of the rate may enter.
///
/// The load of a role is the mean over its nodes, in permille of a second's time: what each
/// reported, smoothed over kLoadSmooth, at most `none`, so that one node that is overloaded, or
/// says so, closes its own share alone. Those who were let in count `weight` each until reports can
/// show them, and then fade as reports are smoothed. A node that is silent for kLoadStale counts as
/// full, and after kLoadForget not at all; if no node of a role is left that way, a small share
/// enters blindly.
///
/// Plain values: one thread at a time. What a report says is not believed beyond its own node.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nodes/login/core/address.hpp"
#include "nodes/login/core/limits.hpp"

namespace starbus::nodes::login {

/// What one node was measured at.
struct NodeBusy {
  std::string process{};      // HOST.NODE
  double busy_ms_per_s = 0;   // of 1000; less than 0 counts as full
  std::optional<Time> age{};  // of the measurement; none: it was never measured, and is full
};

/// Which nodes count, and at which load the rate falls. limits.hpp has the reasons.
struct LoadOptions {
  std::vector<std::string> roles{};  // where players live; none: loads do not count
  std::uint32_t full = kLoadFull;    // permille
  std::uint32_t none = kLoadNone;    // above `full`
  std::uint32_t weight = kLoadWeight;
};

/// What is known of a role.
enum class RoleState : std::uint8_t {
  measured,  ///< nodes count, though some may be silent
  unknown,   ///< nothing was heard of it for kLoadStale: it counts as full
  missing,   ///< it has no ready node
  blind,     ///< nothing was heard of it for kLoadForget: a small share enters
};

const char* name_of(RoleState state);

/// A role as it counts now, for people.
struct RoleView {
  std::string role{};
  RoleState state = RoleState::unknown;
  std::size_t nodes = 0;   // that count
  std::size_t silent = 0;  // of these, as full
  std::uint32_t load = 0;  // permille, with those who were let in
  double pending = 0;      // players that reports do not show yet
  bool open = false;
};

class RoleLoad {
 public:
  RoleLoad(std::string role, const LoadOptions& options, Time now)
      : role_(std::move(role)), options_(options), heard_(now) {}

  /// All ready nodes of the role, of which kLoadNodes count. Replaces the report before.
  void report(const std::vector<NodeBusy>& nodes, Time now);
  void entered(Time now);
  /// One that entered() has counted does not come.
  void left();
  /// 0 (closed) to 1. Closed from `none` on, until the load is down to `full`.
  double share(Time now);
  /// When it may open by time alone.
  std::optional<Time> next(Time now);
  RoleView view(Time now);
  const std::string& role() const { return role_; }

 private:
  struct Row {
    double busy = 0;  // smoothed
    Time at{0};
    bool measured = false;  // else it is full since it was seen first
  };
  Row row_of(const NodeBusy& node, Time now) const;
  /// Those whom these rows can show fade as the rows are smoothed.
  void fade(const std::map<std::string, Row>& rows, Time now);
  /// The oldest of the fresh ones.
  void settle();
  /// Counts the rows again, if time or a report have changed what they say.
  void count(Time now);
  double load() const;
  double pending() const;

  std::string role_;
  LoadOptions options_;
  std::map<std::string, Row> rows_;
  Time heard_;
  bool known_ = false;                                // there was a report
  std::deque<std::pair<Time, std::uint64_t>> fresh_;  // by second: no report can show them yet
  double settled_ = 0;                                // players, beside these

  std::optional<Time> counted_until_;  // none: to be counted
  RoleState state_ = RoleState::unknown;
  std::size_t nodes_ = 0;
  std::size_t silent_ = 0;
  double sum_ = 0;  // permille of all nodes
  bool open_ = true;
};

/// All roles that players need: the fullest one counts.
class NodeLoads {
 public:
  explicit NodeLoads(const LoadOptions& options) : options_(options) {}

  /// Ignored if the role is none of the options'.
  void report(const std::string& role, const std::vector<NodeBusy>& nodes, Time now);
  void entered(Time now);
  void left();
  /// Of the whole rate.
  double share(Time now);
  std::optional<Time> next(Time now);
  std::vector<RoleView> view(Time now);

 private:
  /// Roles that never report are unknown from the first look on.
  std::vector<RoleLoad>& roles(Time now);

  const LoadOptions options_;
  std::vector<RoleLoad> roles_;
};

}  // namespace starbus::nodes::login
