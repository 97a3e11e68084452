#include "nodes/gate/core/part_order.hpp"

#include <utility>

#include "nodes/gate/core/limits.hpp"

namespace starbus::nodes::gate {
namespace {

std::size_t bytes_of_part(const HeldPart& part) {
  return part.part.body ? part.part.body->size() : 0;
}

}  // namespace

PartOrder::PartOrder(State state)
    : bind_(state.bind),
      run_(state.run),
      next_(state.next),
      home_(state.home),
      early_(std::move(state.early)) {
  for (const HeldPart& part : early_) bytes_ += bytes_of_part(part);
  for (HeldPart& part : state.held) {
    bytes_ += bytes_of_part(part);
    const std::uint64_t n = part.n;
    held_.emplace(n, std::move(part));
  }
}

std::vector<HeldPart> PartOrder::begin(const Bind& bind) {
  clear();
  bind_ = bind;
  run_ = {};
  next_ = 1;
  std::vector<HeldPart> due;
  std::vector<HeldPart> later;
  for (HeldPart& part : early_) {
    if (part.at.bind == bind) {
      bytes_ -= bytes_of_part(part);
      due.push_back(std::move(part));
    } else if (part.at.bind > bind) {
      later.push_back(std::move(part));
    } else {
      bytes_ -= bytes_of_part(part);
    }
  }
  early_ = std::move(later);
  return due;
}

PartOrder::Put PartOrder::put(HeldPart part) {
  if (part.at.bind < bind_) return Put::late;
  const std::size_t size = bytes_of_part(part);
  if (part.at.bind > bind_) {
    if (early_.size() >= kEarlyParts || bytes_ + size > kHeldBytes) return Put::full;
    bytes_ += size;
    early_.push_back(std::move(part));
    return Put::early;
  }
  if (part.at.run < run_) return Put::late;
  if (part.at.run > run_) {
    clear();
    run_ = part.at.run;
    next_ = 1;
  }
  home_ = part.home;
  if (part.n < next_ || held_.contains(part.n)) return Put::late;
  // The next one always fits: it does not stay.
  if (part.n > next_ && (held_.size() >= kHeldParts || bytes_ + size > kHeldBytes)) {
    return Put::full;
  }
  bytes_ += size;
  const std::uint64_t n = part.n;
  held_.emplace(n, std::move(part));
  return Put::taken;
}

bool PartOrder::pass(const Introduction& at, const bus::Process& home, std::uint64_t n) {
  if (at.bind != bind_ || at.run != run_ || n != next_ || held_.contains(n)) return false;
  home_ = home;
  ++next_;
  return true;
}

std::optional<HeldPart> PartOrder::take() {
  const auto found = held_.find(next_);
  if (found == held_.end()) return {};
  HeldPart part = std::move(found->second);
  held_.erase(found);
  bytes_ -= bytes_of_part(part);
  ++next_;
  return part;
}

void PartOrder::clear() {
  for (const auto& [n, part] : held_) bytes_ -= bytes_of_part(part);
  held_.clear();
}

PartOrder::State PartOrder::state() const {
  State state{bind_, run_, next_, home_, {}, early_};
  for (const auto& [n, part] : held_) state.held.push_back(part);
  return state;
}

}  // namespace starbus::nodes::gate
