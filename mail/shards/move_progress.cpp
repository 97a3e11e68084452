#include "mail/shards/move_progress.hpp"

namespace starbus::mail {

std::string_view name_of(MoveProgress::State state) {
  switch (state) {
    case MoveProgress::State::none:
      return "none";
    case MoveProgress::State::running:
      return "running";
    case MoveProgress::State::stopping:
      return "stopping";
    case MoveProgress::State::done:
      return "done";
    case MoveProgress::State::failed:
      return "failed";
  }
  return "unknown";
}

}  // namespace starbus::mail
