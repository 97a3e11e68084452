#include "nodes/hosting/entity_saves.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace starbus::nodes::entities {
namespace {

/// Whether another attempt cannot help. A document that is corrupt may be restored, and a closed
/// database comes back: their saves wait, as the entity is kept meanwhile. The last save of an
/// entity also outlasts a configuration that an operator corrects.
bool is_final(const bus::Error& error, bool last) {
  if (error == bus::Errc::corrupt || error == bus::Errc::closed) return false;
  if (last && (error == bus::Errc::denied || error == bus::Errc::bad_config)) return false;
  return retry_of(error.code) == Retry::never;
}

entity::Time pause_after(std::uint64_t failures) {
  const auto doublings = std::min<std::uint64_t>(failures - 1, 16);
  return std::min<entity::Time>(kSaveRetry * (1U << doublings), kSaveRetryMost);
}

}  // namespace

EntitySaves::EntitySaves(entity::TimerWheel& timers, Store store)
    : timers_(timers), store_(std::move(store)) {
  // One timer for all saves that wait, from the beginning: a wheel that is full takes none later.
  if (store_) look_for_due();
}

void EntitySaves::look_for_due() {
  if (looking_) return;
  const auto set = timers_.every(alarms_, kSaveRetry, kSaveRetry, entity::CatchUp::once,
                                 [this] { queue_due(); });
  looking_ = set.has_value();
  if (!set) spdlog::error("entities: saves are not repeated: {}", set.error().to_string());
}

std::string EntitySaves::key_of(const std::string& type, const std::string& persistent_id) {
  return type + '\n' + persistent_id;
}

bool EntitySaves::has(const std::string& type, const std::string& persistent_id) const {
  return entries_.contains(key_of(type, persistent_id));
}

void EntitySaves::add(SavedEntity saved, std::string label, Done done) {
  add_to(std::move(saved), std::move(label), std::move(done), false);
}

void EntitySaves::add_last(SavedEntity saved, std::string label, Done done) {
  add_to(std::move(saved), std::move(label), std::move(done), true);
}

void EntitySaves::add_to(SavedEntity saved, std::string label, Done done, bool last) {
  thread_.check();
  const std::string key = key_of(saved.type, saved.persistent_id);
  const auto [at, fresh] = entries_.try_emplace(key);
  Entry& entry = at->second;
  entry.label = std::move(label);
  if (fresh) entry.place = ++places_;
  if (last && !entry.ended()) ++ended_;
  const bool waits = entry.attempt == 0;
  if (!waits && !entry.next) entry.next = std::make_unique<Next>();
  Next& to = waits ? entry.present : *entry.next;
  to.saved = std::move(saved);
  to.done.push_back(std::move(done));
  to.last |= last;
  to.came = timers_.present();
  if (!waits) return;
  entry.lapsed = 0;  // that attempt had an older state
  if (fresh) queue(key, entry);
  begin_more();
}

void EntitySaves::queue(const std::string& key, Entry& entry) {
  if (!std::exchange(entry.queued, true)) turns_.push_back(key);
}

/// The store may answer at once, which leads here again: one loop, no recursion.
void EntitySaves::begin_more() {
  if (std::exchange(beginning_, true)) return;
  while (under_way_ < kSavesUnderWay && !turns_.empty()) {
    const std::string key = std::move(turns_.front());
    turns_.pop_front();
    const auto found = entries_.find(key);
    if (found != entries_.end() && std::exchange(found->second.queued, false)) {
      begin(key, found->second);
    }
  }
  beginning_ = false;
}

void EntitySaves::begin(const std::string& key, Entry& entry) {
  if (!entry.begun) entry.begun = timers_.present();
  const entity::Time patience = entry.present.last ? entity::Time(kSaveDeadline) : entry.patience;
  const auto late = timers_.after(alarms_, patience, [this, key] { out_of_time(key); });
  if (!late) return put_off(key, entry, late.error());
  ++under_way_;
  entry.under_way = true;
  entry.deadline = *late;
  attempt(key, entry);
}

/// Without a deadline the store does not get it: an answer that never comes would keep it for ever.
void EntitySaves::put_off(const std::string& key, Entry& entry, const bus::Error& why) {
  const bool over =
      !entry.present.last && timers_.present() - *entry.begun >= entity::Time(entry.patience);
  if (over) return end(key, why);
  ++counters_.repeated;
  back_off(key, entry, why, 0);
}

void EntitySaves::attempt(const std::string& key, Entry& entry) {
  entry.repeat = {};
  entry.attempt = ++attempts_;
  store_(entry.present.saved, [this, weak = std::weak_ptr(alive_), key,
                               number = entry.attempt](const bus::Result<>& result) {
    if (!weak.expired()) answered(key, number, result);
  });
}

/// Once for each attempt: what comes later, or twice, is ignored. But a last save that was stored
/// after all is stored.
void EntitySaves::answered(const std::string& key, std::uint64_t number,
                           const bus::Result<>& result) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  if (result && number == entry.lapsed) return end(key, result);
  if (entry.attempt != number) return;
  if (result || is_final(result.error(), entry.present.last)) return end(key, result);
  ++counters_.repeated;
  if (entry.present.last) return back_off(key, entry, result.error(), 0);
  repeat(key, entry, result.error());
}

void EntitySaves::repeat(const std::string& key, Entry& entry, const bus::Error& why) {
  entry.attempt = ++attempts_;  // so that this one has ended
  spdlog::warn("entities: {}: save failed, trying again: {}", entry.label, why.to_string());
  const auto again = timers_.after(alarms_, kSaveRetry, [this, key] {
    const auto waiting = entries_.find(key);
    if (waiting != entries_.end()) attempt(key, waiting->second);
  });
  if (again) {
    entry.repeat = *again;
  } else {
    end(key, why);
  }
}

/// Of the present attempt of a last save; of all attempts of another one.
void EntitySaves::out_of_time(const std::string& key) {
  const bus::Error late(bus::Errc::deadline, "save timed out");
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  if (!found->second.present.last) return end(key, late);
  ++counters_.repeated;
  back_off(key, found->second, late, found->second.attempt);
}

/// Lets others have the store meanwhile: one that never takes this state must not hold up all.
void EntitySaves::back_off(const std::string& key, Entry& entry, const bus::Error& why,
                           std::uint64_t lapsed) {
  leave_store(entry);
  entry.attempt = 0;
  entry.lapsed = lapsed;
  entry.reason = why.to_string();
  if (++entry.failures == 1 && entry.ended()) warn_unsaved(entry);
  if (entry.next) {  // a later state takes its place
    const auto next = std::exchange(entry.next, nullptr);
    std::ranges::move(next->done, std::back_inserter(entry.present.done));
    entry.present.saved = std::move(next->saved);
    entry.present.came = next->came;
    entry.present.last |= next->last;
    entry.lapsed = 0;
  }
  look_for_due();
  later_.emplace(timers_.present() + pause_after(entry.failures), key);
  begin_more();
}

/// A store that is away is no reason to write a line for each of thousands.
void EntitySaves::warn_unsaved(const Entry& entry) {
  if (++warned_ <= kNamedUnsaved) {
    spdlog::warn("entities: {} has ended and is not saved yet, trying again: {}", entry.label,
                 entry.reason);
  } else if (warned_ == kNamedUnsaved + 1) {
    spdlog::warn("entities: more have ended and are not saved yet; /entities has their number");
  }
}

void EntitySaves::leave_store(Entry& entry) {
  timers_.cancel(entry.deadline);
  timers_.cancel(entry.repeat);
  if (std::exchange(entry.under_way, false)) --under_way_;
}

void EntitySaves::queue_due() {
  while (!later_.empty() && later_.begin()->first <= timers_.present()) {
    const std::string key = std::move(later_.begin()->second);
    later_.erase(later_.begin());
    const auto found = entries_.find(key);
    if (found != entries_.end() && found->second.attempt == 0) queue(key, found->second);
  }
  begin_more();
}

/// `key` is a copy: the callback that passes it may go with the entry.
void EntitySaves::end(std::string key, const bus::Result<>& result) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  leave_store(entry);
  ++(result ? counters_.kept : counters_.failed);
  if (!result) {
    spdlog::error("entities: {} was not saved: {}", entry.label, result.error().to_string());
  } else if (entry.failures > 0) {
    spdlog::info("entities: {} is saved after {} failures", entry.label, entry.failures);
  }
  const std::vector<Done> done = std::move(entry.present.done);
  const bool had_ended = entry.ended();
  if (entry.next) {
    const bool gone = !result && result.error() == bus::Errc::deadline;
    const entity::Time waited = gone ? timers_.present() - entry.next->came : entity::Time{0};
    entry.patience = std::max<entity::Time>(kSaveDeadline - waited, kLeastSaveTime);
    entry.present = std::move(*entry.next);
    entry.next = nullptr;
    entry.attempt = entry.lapsed = entry.failures = 0;
    entry.begun.reset();
    entry.reason.clear();
    if (had_ended && !entry.ended()) --ended_;
    queue(key, entry);
  } else {
    if (had_ended) --ended_;
    entries_.erase(found);
  }
  if (ended_ == 0) warned_ = 0;
  const auto weak = std::weak_ptr(alive_);
  for (const Done& each : done) each(result);
  if (!weak.expired()) begin_more();
}

// --- for people ----------------------------------------------------------------------------------

std::vector<const EntitySaves::Entry*> EntitySaves::oldest(std::size_t most,
                                                           bool ended_only) const {
  std::vector<const Entry*> all;
  for (const auto& [key, entry] : entries_) {
    if (!ended_only || entry.ended()) all.push_back(&entry);
  }
  const std::size_t named = std::min(all.size(), most);
  std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(named), {},
                            &Entry::place);
  all.resize(named);
  return all;
}

std::string EntitySaves::waits_for() const {
  if (entries_.empty()) return {};
  std::string text = std::to_string(entries_.size()) + " to be saved: ";
  std::string_view between;
  for (const Entry* const entry : oldest(kNamedWaiters, false)) {
    text.append(std::exchange(between, ", ")).append(entry->label);
  }
  return entries_.size() > kNamedWaiters ? text + ", ..." : text;
}

std::vector<UnsavedEnd> EntitySaves::unsaved_ends(std::size_t most) const {
  std::vector<UnsavedEnd> ends;
  for (const Entry* const entry : oldest(most, true)) {
    const Next& last = entry->present.last ? entry->present : *entry->next;
    ends.push_back(
        {entry->label, last.saved.persistent_id,
         std::chrono::duration_cast<std::chrono::milliseconds>(timers_.present() - last.came),
         entry->failures, entry->reason});
  }
  return ends;
}

}  // namespace starbus::nodes::entities
