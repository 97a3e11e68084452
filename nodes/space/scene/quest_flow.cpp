#include "nodes/space/scene/quest_flow.hpp"

#include <algorithm>
#include <utility>

#include "nodes/space/scene/limits.hpp"

namespace starbus::nodes::space {

void QuestFlow::begin(Time now) {
  if (!rows_.empty()) change_to(rows_.front().id, now);
}

void QuestFlow::change_to(std::uint32_t id, Time now) {
  next_ = id;
  settle(now);
}

void QuestFlow::stop() {
  row_ = nullptr;
  numbers_.clear();
  names_.clear();
  next_.reset();
  due_.reset();
}

/// The present one is over; this one waits from now on.
void QuestFlow::enter(std::uint32_t id) {
  stop();
  row_ = find_row(rows_, id);
  if (row_ == nullptr) return;
  numbers_.insert(row_->monsters.begin(), row_->monsters.end());
  numbers_.insert(row_->traps.begin(), row_->traps.end());
  names_.insert(row_->events.begin(), row_->events.end());
  if (row_->kind == QuestKind::wait) {
    due_ = now_ + row_->after;
  } else if (row_->within) {
    due_ = now_ + *row_->within;
  }
  if (row_->kind != QuestKind::fill_all) return;
  std::erase_if(numbers_, [this](std::uint32_t trap) { return occupied_.contains(trap); });
  if (numbers_.empty()) done();
}

void QuestFlow::mark(std::uint32_t number, bool any) {
  if (numbers_.erase(number) != 0 && (any || numbers_.empty())) done();
}

void QuestFlow::killed(std::uint32_t spawn, Time now) {
  if (row_ == nullptr || next_) return;
  const bool any = row_->kind == QuestKind::kill_one;
  if (any || row_->kind == QuestKind::kill_all) mark(spawn, any);
  settle(now);
}

void QuestFlow::trap(std::uint32_t trap, bool occupied, Time now) {
  const bool changed = occupied ? occupied_.insert(trap).second : occupied_.erase(trap) != 0;
  if (!changed || row_ == nullptr || next_) return;
  const bool any = row_->kind == QuestKind::trap_one;
  if (row_->kind == QuestKind::fill_all && !occupied) {
    if (std::ranges::find(row_->traps, trap) != row_->traps.end()) numbers_.insert(trap);
  } else if (occupied &&
             (any || row_->kind == QuestKind::trap_all || row_->kind == QuestKind::fill_all)) {
    mark(trap, any);
  }
  settle(now);
}

void QuestFlow::event(std::string_view name, Time now) {
  if (row_ == nullptr || next_) return;
  const auto found = names_.find(name);
  if (found == names_.end()) return;
  names_.erase(found);
  if (names_.empty() || row_->kind == QuestKind::event_one) done();
  settle(now);
}

void QuestFlow::advance(Time now) {
  if (row_ == nullptr || next_ || !due_ || now < *due_) return;
  next_ = row_->kind == QuestKind::wait ? row_->next : row_->otherwise;
  settle(now);
}

/// Enters what is to be entered, and tells. What the callback causes is entered here, too.
void QuestFlow::settle(Time now) {
  now_ = now;
  if (settling_) return;
  struct Settling {  // ends also if the callback throws
    bool& on;
    explicit Settling(bool& flag) : on(flag) { on = true; }
    ~Settling() { on = false; }
  } const settling(settling_);
  for (std::size_t steps = 0; next_; ++steps) {
    if (steps == kQuestSteps) {
      runaway_ = true;
      stop();
      return changed_(0);
    }
    enter(*next_);
    changed_(active());
  }
}

}  // namespace starbus::nodes::space
