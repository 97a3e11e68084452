#include "entity/events/board_listener.hpp"

#include <algorithm>

namespace starbus::entity {

bool BoardListener::remove(KeyedListenerId id) {
  if (!callbacks_.contains(id)) return false;
  if (callbacks_.size_beside(id) == 1) entries_[id.list]->listed.reset();
  return callbacks_.remove(id);
}

EventResult<std::uint64_t> BoardListener::attach(EventBoard& board) {
  detach();
  state_ = board.state_;
  const auto seen = seen_.of(state_->place);
  floor_ = seen.value_or(0);
  heard_ = 0;
  for (const auto& entry : entries_) {
    if (!entry || callbacks_.size_beside(entry->any) == 0) continue;
    if (const auto entered = entry->enter(*state_->lists); !entered) {
      leave_lists();  // and what it has seen there is what it had
      return entered.error();
    }
  }
  return seen && *seen < state_->number ? state_->number - *seen : 0;
}

void BoardListener::detach() {
  if (!state_) return;
  seen_.note(state_->place, seen_here());
  leave_lists();
}

void BoardListener::leave_lists() {
  for (const auto& entry : entries_) {
    if (entry) entry->listed.reset();
  }
  state_ = nullptr;
}

/// Events that it did not listen to count as heard, a round that has not reached it yet does not.
std::uint64_t BoardListener::seen_here() const {
  return std::max({floor_, heard_, state_->told()});
}

void BoardListener::save(Encoder& out) const {
  SeenNumbers all = seen_;
  if (state_) all.note(state_->place, seen_here());
  all.save(out);
}

DataResult<> BoardListener::restore(Decoder& in) {
  if (const auto restored = seen_.restore(in); !restored) return restored.error();
  if (state_) floor_ = std::max(floor_, seen_.of(state_->place).value_or(0));
  return {};
}

}  // namespace starbus::entity
