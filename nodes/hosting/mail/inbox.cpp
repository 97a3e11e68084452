#include "nodes/hosting/mail/inbox.hpp"

#include <algorithm>
#include <utility>

#include "entity/objects/entity.hpp"

namespace starbus::nodes::entities {

/// A state that was loaded is stored. One that arrives says itself how far it is.
entity::EntityResult<> Inbox::on_activate() {
  if (entity().start_reason() == entity::StartReason::loaded) keep(cursor());
  return {};
}

void Inbox::read_from(const std::string& channel) {
  InboxState& mine = state();
  if (mine.box.get() == channel) return;
  mine.box = channel;
  mine.cursor = 0;
  mine.kept = 0;
  mine.aside.clear().value();
  clear_failures();
}

std::uint64_t Inbox::open_after() const {
  const auto& waiting = aside();
  const std::uint64_t after = state().kept;
  return waiting.empty() ? after : std::min(after, waiting.begin()->first - 1);
}

void Inbox::keep(std::uint64_t cursor) {
  state().kept = std::max(state().kept.get(), cursor);
}

std::uint32_t Inbox::fail(std::uint64_t number, std::uint64_t before) {
  InboxState& mine = state();
  mine.cursor = before;
  if (mine.failing != number) {
    mine.failing = number;
    mine.failures = 0;
  }
  mine.failures += 1U;
  return mine.failures;
}

void Inbox::clear_failures() {
  state().failing = 0;
  state().failures = 0;
}

void Inbox::put_aside(std::uint64_t number, std::string reason) {
  state().aside.put(number, std::move(reason)).value();
  advance(number);
  clear_failures();
}

void Inbox::forget_aside(std::uint64_t upto) {
  while (!aside().empty() && aside().begin()->first <= upto) {
    state().aside.erase(std::uint64_t{aside().begin()->first}).value();
  }
}

}  // namespace starbus::nodes::entities
