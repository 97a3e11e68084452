#include "tools/bots/checks/violations.hpp"

#include <utility>

namespace starbus::bots {

std::string_view name_of(Broken kind) {
  constexpr std::array<std::string_view, kBrokenKinds> kNames{
      "gap", "double", "foreign", "answer", "count",  "fate", "malformed",
      "end", "order",  "letter",  "state",  "differ", "jump"};
  return kNames[static_cast<std::size_t>(kind)];
}

void Violations::add(Violation violation) {
  const std::lock_guard lock(mutex_);
  ++seen_.count;
  ++seen_.kinds[static_cast<std::size_t>(violation.kind)];
  if (seen_.told.size() < told_most_) seen_.told.push_back(std::move(violation));
}

Violations::Seen Violations::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

std::uint64_t Violations::count() const {
  const std::lock_guard lock(mutex_);
  return seen_.count;
}

}  // namespace starbus::bots
