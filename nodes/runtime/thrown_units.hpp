/// What units of a node have thrown: logged, counted, and, if the node is to, its end.
///
/// Belongs to the loop's thread, whose ThrownSink it is from its construction until its end. One
/// log line for each unit, up to the budget of its place in `limited`, which then says how many it
/// has left out.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/unit_guard.hpp"
#include "daemon/rate_limited.hpp"

namespace starbus::nodes {

/// What a node does when code of the program throws: `[loop] on_exception`.
enum class OnException : std::uint8_t {
  go_on,  // that unit has ended, and nothing else
  stop,   // the process ends at once, without a drain: for development
};

class ThrownUnits final : public ThrownSink {
 public:
  /// The name of the work that runs now, as the stall detector shows it; may be empty.
  using Running = std::function<std::string()>;
  /// Ends the process; tests return from it.
  using End = std::function<void()>;

  ThrownUnits(daemon::RateLimited& limited, OnException policy, Running running,
              End end = end_process);

  void thrown(UnitKind kind, std::string_view place, std::string_view what) noexcept override;

  std::uint64_t of(UnitKind kind) const { return counts_.at(static_cast<std::size_t>(kind)); }
  /// Of all kinds.
  std::uint64_t total() const;

 private:
  /// With exit code kExitFailure, without destructors: what they belong to may be half changed.
  [[noreturn]] static void end_process();

  daemon::RateLimited& limited_;
  const OnException policy_;
  const Running running_;
  const End end_;
  std::array<std::uint64_t, kUnitKinds> counts_{};
};

}  // namespace starbus::nodes
