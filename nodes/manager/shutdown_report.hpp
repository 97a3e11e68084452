/// The progress of a cluster shutdown, and the nodes that block it. Plain values that are sent over
/// the bus.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace starbus::nodes::manager {

/// How far the shutdown of the cluster is.
enum class ShutdownPhase : std::uint8_t {
  idle,  // no shutdown was asked for
  running,
  done,       // all stages are over; this manager ends in a moment
  abandoned,  // this manager lost its place meanwhile: ask again
};
/// "idle", "running", "done", "abandoned"; "unknown" for a number that this version does not know.
std::string_view name_of(ShutdownPhase phase);

enum class StageState : std::uint8_t { waiting, running, done, late };
/// "waiting", "running", "done"; "late": nodes were still there at its deadline.
std::string_view name_of(StageState state);

/// One node that a stage waits for.
struct ShutdownNode {
  std::string process;  // HOST.NODE
  std::string role;     // empty: not known
  std::string status;   // its own words, or "does not answer"

  template <class Archive>
  void serialize(Archive& archive) {
    archive(process, role, status);
  }
  friend bool operator==(const ShutdownNode&, const ShutdownNode&) = default;
};

/// One stage, with the nodes that are left in it.
struct StageReport {
  std::string name;
  std::vector<std::string> roles;
  std::uint64_t deadline_ms = 0;
  StageState state = StageState::waiting;
  std::uint64_t elapsed_ms = 0;  // of its own
  std::uint64_t ended = 0;       // nodes that have left within it
  /// Present nodes that the stage waits for, or would wait for; at most kReportRows.
  std::vector<ShutdownNode> nodes;
  std::uint64_t left_out = 0;  // of these

  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, roles, deadline_ms, state, elapsed_ms, ended, nodes, left_out);
  }
};

/// A node that was still there at the deadline of the stage that waited for it.
struct BlockedNode {
  ShutdownNode node;  // as of then
  std::string stage;
  bool gone = false;  // it has left since

  template <class Archive>
  void serialize(Archive& archive) {
    archive(node, stage, gone);
  }
};

struct ShutdownReport {
  ShutdownPhase phase = ShutdownPhase::idle;
  std::string manager;  // HOST.NODE of the manager that reports
  std::string reason;
  std::uint64_t elapsed_ms = 0;
  std::vector<StageReport> stages;
  std::vector<BlockedNode> blocked;  // at most kReportRows
  std::uint64_t blocked_left_out = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(phase, manager, reason, elapsed_ms, stages, blocked, blocked_left_out);
  }
};

}  // namespace starbus::nodes::manager
