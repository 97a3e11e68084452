#include "nodes/manager/shutdown_report.hpp"

namespace starbus::nodes::manager {

std::string_view name_of(ShutdownPhase phase) {
  switch (phase) {
    case ShutdownPhase::idle:
      return "idle";
    case ShutdownPhase::running:
      return "running";
    case ShutdownPhase::done:
      return "done";
    case ShutdownPhase::abandoned:
      return "abandoned";
  }
  return "unknown";
}

std::string_view name_of(StageState state) {
  switch (state) {
    case StageState::waiting:
      return "waiting";
    case StageState::running:
      return "running";
    case StageState::done:
      return "done";
    case StageState::late:
      return "late";
  }
  return "unknown";
}

}  // namespace starbus::nodes::manager
