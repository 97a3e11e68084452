#include "entity/properties/observers.hpp"

#include <algorithm>
#include <array>

#include "base/unit_guard.hpp"

namespace starbus::entity {

std::string_view name_of(Cause cause) {
  constexpr std::array<std::string_view, 5> kNames = {"write", "delta", "first", "snapshot",
                                                      "new_life"};
  return kNames.at(static_cast<std::size_t>(cause));
}

bool Observers::covers(const Entry& entry, ByteView address) {
  return bus::as_text(address).starts_with(bus::as_text(entry.address));
}

ObserverId Observers::add(ByteView address, Observer observer) {
  if (entries_.size() >= kMaxObservers) return 0;
  auto entry = std::make_shared<Entry>();
  entry->id = ++last_;
  entry->address.assign(address.begin(), address.end());
  entry->observer = std::move(observer);
  entries_.push_back(std::move(entry));
  return last_;
}

void Observers::remove(ObserverId id) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [id](const auto& entry) { return entry->id == id; });
  if (found == entries_.end()) return;
  (*found)->removed = true;  // its call may be pending
  entries_.erase(found);
}

bool Observers::wanted(ByteView address) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const auto& entry) { return covers(*entry, address); });
}

void Observers::tell(Change change) {
  if (waiting_.size() >= kMaxCascade || (telling_ && told_ >= kMaxCascade)) {
    ++untold_;
    return;
  }
  waiting_.push_back(std::move(change));
  if (telling_) return;
  telling_ = true;
  told_ = 0;
  // An observer that throws ends the round: pending changes are dropped.
  struct Round {
    Observers& all;
    ~Round() {
      all.untold_ += all.waiting_.size();
      all.waiting_.clear();
      all.telling_ = false;
    }
  } const round{*this};
  while (!waiting_.empty()) {
    const Change next = std::move(waiting_.front());
    waiting_.pop_front();
    ++told_;
    tell_all(next);
  }
}

void Observers::tell_all(const Change& change) {
  const auto now = entries_;  // observers come and go meanwhile
  for (const auto& entry : now) {
    if (entry->removed || !covers(*entry, change.address)) continue;
    guarded(
        UnitKind::listener,
        [&]() -> const std::type_info& { return entry->observer.target_type(); },
        [&] { entry->observer(change); });
  }
}

}  // namespace starbus::entity
