#include "nodes/hosting/entity_saves.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace starbus::nodes::entities {
namespace {

/// Whether another attempt cannot help. A document that is corrupt may be restored, and a closed
/// database comes back: their saves wait, as the entity is kept meanwhile.
bool is_final(const bus::Error& error) {
  if (error == bus::Errc::corrupt || error == bus::Errc::closed) return false;
  return retry_of(error.code) == Retry::never;
}

}  // namespace

EntitySaves::EntitySaves(entity::TimerWheel& timers, Store store)
    : timers_(timers), store_(std::move(store)) {}

std::string EntitySaves::key_of(const std::string& type, const std::string& persistent_id) {
  return type + '\n' + persistent_id;
}

bool EntitySaves::has(const std::string& type, const std::string& persistent_id) const {
  return entries_.contains(key_of(type, persistent_id));
}

void EntitySaves::add(SavedEntity saved, std::string label, Done done) {
  thread_.check();
  const std::string key = key_of(saved.type, saved.persistent_id);
  const auto [at, fresh] = entries_.try_emplace(key);
  Entry& entry = at->second;
  entry.label = std::move(label);
  if (fresh || entry.attempt == 0) {
    entry.present.saved = std::move(saved);
    entry.present.done.push_back(std::move(done));
    if (fresh) {
      entry.place = ++places_;
      turns_.push_back(key);
    }
    return begin_more();
  }
  if (!entry.next) entry.next = std::make_unique<Next>();
  entry.next->came = timers_.present();
  entry.next->saved = std::move(saved);
  entry.next->done.push_back(std::move(done));
}

/// The store may answer at once, which leads here again: one loop, no recursion.
void EntitySaves::begin_more() {
  if (std::exchange(beginning_, true)) return;
  while (under_way_ < kSavesUnderWay && !turns_.empty()) {
    const std::string key = std::move(turns_.front());
    turns_.pop_front();
    Entry& entry = entries_.at(key);
    ++under_way_;
    const auto late = timers_.after(alarms_, entry.patience, [this, key] {
      end(key, bus::Error(bus::Errc::deadline, "save timed out"));
    });
    if (late) entry.deadline = *late;
    attempt(key, entry);
  }
  beginning_ = false;
}

void EntitySaves::attempt(const std::string& key, Entry& entry) {
  entry.repeat = {};
  entry.attempt = ++attempts_;
  store_(entry.present.saved, [this, weak = std::weak_ptr(alive_), key,
                               number = entry.attempt](const bus::Result<>& result) {
    if (!weak.expired()) answered(key, number, result);
  });
}

/// Once for each attempt: what comes later, or twice, is ignored.
void EntitySaves::answered(const std::string& key, std::uint64_t number,
                           const bus::Result<>& result) {
  const auto found = entries_.find(key);
  if (found == entries_.end() || found->second.attempt != number) return;
  Entry& entry = found->second;
  if (result || is_final(result.error())) return end(key, result);
  entry.attempt = ++attempts_;  // so that this one has ended
  spdlog::warn("entities: {}: save failed, trying again: {}", entry.label,
               result.error().to_string());
  ++counters_.repeated;
  const auto again = timers_.after(alarms_, kSaveRetry, [this, key] {
    const auto waiting = entries_.find(key);
    if (waiting != entries_.end()) attempt(key, waiting->second);
  });
  if (again) {
    entry.repeat = *again;
  } else {
    end(key, result);
  }
}

/// `key` is a copy: the callback that passes it may go with the entry.
void EntitySaves::end(std::string key, const bus::Result<>& result) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  timers_.cancel(entry.deadline);
  timers_.cancel(entry.repeat);
  --under_way_;
  ++(result ? counters_.kept : counters_.failed);
  if (!result) {
    spdlog::error("entities: {} was not saved: {}", entry.label, result.error().to_string());
  }
  const std::vector<Done> done = std::move(entry.present.done);
  if (entry.next) {
    const bool gone = !result && result.error() == bus::Errc::deadline;
    const entity::Time waited = gone ? timers_.present() - entry.next->came : entity::Time{0};
    entry.patience = std::max<entity::Time>(kSaveDeadline - waited, kLeastSaveTime);
    entry.present = std::move(*entry.next);
    entry.next = nullptr;
    entry.attempt = 0;
    turns_.push_back(key);
  } else {
    entries_.erase(found);
  }
  const auto weak = std::weak_ptr(alive_);
  for (const Done& each : done) each(result);
  if (!weak.expired()) begin_more();
}

std::string EntitySaves::waits_for() const {
  if (entries_.empty()) return {};
  std::vector<const Entry*> oldest;
  oldest.reserve(entries_.size());
  for (const auto& [key, entry] : entries_) oldest.push_back(&entry);
  const std::size_t named = std::min<std::size_t>(oldest.size(), kNamedWaiters);
  std::ranges::partial_sort(oldest, oldest.begin() + static_cast<std::ptrdiff_t>(named), {},
                            &Entry::place);
  std::string text = std::to_string(entries_.size()) + " to be saved: ";
  for (std::size_t i = 0; i < named; ++i) {
    text.append(i == 0 ? "" : ", ").append(oldest[i]->label);
  }
  return named < oldest.size() ? text + ", ..." : text;
}

}  // namespace starbus::nodes::entities
