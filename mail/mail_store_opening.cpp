// How a MailStoreThread opens its store, and repairs it.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/wall_clock.hpp"
#include "mail/mail_store_thread.hpp"
#include "mail/repair/backup.hpp"
#include "mail/repair/detach.hpp"
#include "mail/repair/noted_damage.hpp"
#include "mail/repair/repair_log.hpp"

namespace starbus::mail {

/// Returns null if the thread must end, or if the store cannot be opened.
std::unique_ptr<storage::Store> MailStoreThread::open() {
  for (bool said = false;; said = true) {
    {
      const std::lock_guard lock(mutex_);
      if (leaving_) return nullptr;
    }
    // A failed repair is not repeated.
    auto store = unopened_.code == storage::Errc::ok
                     ? try_to_open()
                     : storage::Result<std::unique_ptr<storage::Store>>(unopened_);
    if (store) return std::move(*store);
    if (!wait_to_open(store.error(), said)) return nullptr;
  }
}

/// Returns false if the thread must end.
bool MailStoreThread::wait_to_open(const storage::Error& why, bool said) {
  std::unique_lock lock(mutex_);
  if (leaving_) return false;
  if (why.code != storage::Errc::in_use) {
    unopened_ = why;
    lock.unlock();
    hooks_.stopped(why);
    lock.lock();
    changed_.wait(lock, [this] { return leaving_; });
    return false;
  }
  lock.unlock();
  if (!said) hooks_.trouble(why.to_string() + "; busd tries again every second");
  lock.lock();
  return !changed_.wait_for(lock, kStoreOpenAgain, [this] { return leaving_; });
}

storage::Result<std::unique_ptr<storage::Store>> MailStoreThread::try_to_open() {
  for (;;) {
    if (is_detached(settings_.folder)) {
      return storage::Error(storage::Errc::in_use, "another program holds the store");
    }
    auto store = storage::open_store(options());
    if (store) {
      auto repaired = repair_noted_mail(**store);
      if (!repaired) return repaired.error();
      read_notes(**store);
      return store;
    }
    if (!storage::can_be_repaired(store.error()) || !may_repair()) return store.error();
    if (auto repaired = repair_files(store.error()); !repaired) return repaired.error();
  }
}

/// Called on the store's thread only.
bool MailStoreThread::may_repair() {
  store_thread_.check();
  const auto now = std::chrono::steady_clock::now();
  while (!repairs_.empty() && now - repairs_.front() >= kRepairWindow) repairs_.pop_front();
  return repairs_.size() < kStoreRepairs;
}

/// The store is closed.
storage::Result<> MailStoreThread::repair_files(const storage::Error& why) {
  store_thread_.check();
  repairs_.push_back(std::chrono::steady_clock::now());
  hooks_.trouble("the store is damaged; busd repairs it now: " + why.to_string());
  auto repaired = storage::repair_store(
      options(), {.leave_unreadable_out = false, .most_gone_tables = kGoneTables});
  if (!repaired) return repaired;
  const std::lock_guard lock(mutex_);
  ++damage_.repairs;
  return repaired;
}

/// Writes each step to a file before it is done, with the bodies of messages that are erased again.
storage::Result<> MailStoreThread::repair_noted_mail(storage::Store& store) {
  store_thread_.check();
  const auto lost = settings_.folder / "lost";
  std::error_code ignored;  // the log says so
  std::filesystem::create_directory(lost, ignored);
  RepairLog log(lost / ("repaired-" + std::to_string(wall_ms()) + ".jsonl"));
  const auto tell = [&](const RepairStep& step) {
    if (log.count() < kRepairSteps) hooks_.trouble("damage: " + step.to_string());
    return log.add(step);
  };
  const auto done = repair_noted(store, options(), tell);
  if (!done && !log.good() && log.count() != 0) {
    return storage::Error(storage::Errc::io_error, log.path().string() + " cannot be written");
  }
  if (!done) return done.error();
  if (done->steps > kRepairSteps) {
    hooks_.trouble("damage: and " + std::to_string(done->steps - kRepairSteps) + " more");
  }
  if (done->steps != 0) {
    hooks_.trouble("the mail store is repaired: " + std::to_string(done->lost) +
                   " messages are lost; the steps are in " + log.path().string());
  }
  return {};
}

void MailStoreThread::read_notes(const storage::Store& store) {
  store_thread_.check();
  const auto notes = storage::read_damage(options());
  const auto snapshot = store.snapshot();
  if (!notes || !snapshot) {
    const storage::Error& why = notes ? snapshot.error() : notes.error();
    return hooks_.trouble("the notes of damage cannot be read: " + why.to_string());
  }
  auto sorted = *notes;
  std::stable_partition(sorted.begin(), sorted.end(),
                        [](const storage::DamageNote& note) { return note.lost; });
  DamageFigures figures;
  for (const storage::DamageNote& note : sorted) ++(note.lost ? figures.lost : figures.repaired);
  if (sorted.size() > kDamageShown) sorted.resize(kDamageShown);
  figures.texts = describe(**snapshot, sorted, kDamageBoxes);
  for (const std::string& text : figures.texts) hooks_.trouble("noted damage: " + text);
  const std::lock_guard lock(mutex_);
  figures.repairs = damage_.repairs;
  figures.noted = damage_.noted + figures.lost - std::min(figures.lost, damage_.lost);
  damage_ = std::move(figures);
}

}  // namespace starbus::mail
