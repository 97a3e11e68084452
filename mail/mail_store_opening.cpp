// How a Node opens its store, and mends it.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "mail/mail_store_thread.hpp"
#include "mail/repair/backup.hpp"
#include "mail/repair/detach.hpp"
#include "mail/repair/noted_damage.hpp"
#include "mail/repair/repair_log.hpp"

namespace starbus::bus::busd::mail {

/// Null: it is to leave, or the store cannot be opened.
std::unique_ptr<storage::Store> Node::open() {
  for (bool said = false;; said = true) {
    {
      const std::lock_guard lock(mutex_);
      if (leaving_) return nullptr;
    }
    // What a repair could not do is not tried again by itself.
    auto store = unopened_.code == storage::Errc::ok
                     ? try_to_open()
                     : storage::Result<std::unique_ptr<storage::Store>>(unopened_);
    if (store) return std::move(*store);
    if (!wait_to_open(store.error(), said)) return nullptr;
  }
}

/// False: it is to leave.
bool Node::wait_to_open(const storage::Error& why, bool said) {
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
  if (!said) hooks_.trouble(why.to_string() + "; it is tried again every second");
  lock.lock();
  return !changed_.wait_for(lock, kOpenAgain, [this] { return leaving_; });
}

storage::Result<std::unique_ptr<storage::Store>> Node::try_to_open() {
  for (;;) {
    if (is_lent(settings_.folder)) {
      return storage::Error(storage::Errc::in_use, "it is lent to another program");
    }
    auto store = storage::open_store(options());
    if (store) {
      auto mended = mend_mail(**store);
      if (!mended) return mended.error();
      read_notes(**store);
      return store;
    }
    if (!storage::can_be_repaired(store.error()) || !may_mend()) return store.error();
    if (auto mended = mend_files(store.error()); !mended) return mended.error();
  }
}

/// Of the node's thread, which runs the store's process, too.
bool Node::may_mend() {
  const auto now = std::chrono::steady_clock::now();
  while (!mends_.empty() && now - mends_.front() >= kMendWindow) mends_.pop_front();
  return mends_.size() < kMends;
}

/// The store is closed.
storage::Result<> Node::mend_files(const storage::Error& why) {
  mends_.push_back(std::chrono::steady_clock::now());
  hooks_.trouble("the store is damaged, and is mended now: " + why.to_string());
  auto mended = storage::repair_store(
      options(), {.leave_unreadable_out = false, .most_gone_tables = kGoneTables});
  if (!mended) return mended;
  const std::lock_guard lock(mutex_);
  ++damage_.repairs;
  return mended;
}

/// Each deed stands in a file before it is done, with the bodies that are erased again.
storage::Result<> Node::mend_mail(storage::Store& store) {
  const auto lost = settings_.folder / "lost";
  std::error_code ignored;  // the diary says so
  std::filesystem::create_directory(lost, ignored);
  Diary diary(lost / ("mended-" + std::to_string(wall_clock_ms()) + ".jsonl"));
  const auto tell = [&](const Mended& mended) {
    if (diary.count() < kToldDeeds) hooks_.trouble("damage: " + mended.to_string());
    return diary.add(mended);
  };
  const auto done = mend_noted(store, options(), tell);
  if (!done && !diary.good() && diary.count() != 0) {
    return storage::Error(storage::Errc::io_error, diary.path().string() + " cannot be written");
  }
  if (!done) return done.error();
  if (done->deeds > kToldDeeds) {
    hooks_.trouble("damage: and " + std::to_string(done->deeds - kToldDeeds) + " more");
  }
  if (done->deeds != 0) {
    hooks_.trouble("the mail is mended: " + std::to_string(done->lost) +
                   " messages are lost; what was done is in " + diary.path().string());
  }
  return {};
}

void Node::read_notes(const storage::Store& store) {
  const auto notes = storage::read_damage(options());
  const auto snapshot = store.snapshot();
  if (!notes || !snapshot) {
    const storage::Error& why = notes ? snapshot.error() : notes.error();
    return hooks_.trouble("what is noted of damage cannot be read: " + why.to_string());
  }
  auto sorted = *notes;
  std::ranges::stable_partition(sorted, &storage::DamageNote::lost);
  DamageFigures figures;
  for (const storage::DamageNote& note : sorted) ++(note.lost ? figures.lost : figures.mended);
  if (sorted.size() > kShown) sorted.resize(kShown);
  figures.texts = describe(**snapshot, sorted, kNamed);
  for (const std::string& text : figures.texts) hooks_.trouble("noted damage: " + text);
  const std::lock_guard lock(mutex_);
  figures.repairs = damage_.repairs;
  figures.noted = damage_.noted + figures.lost - std::min(figures.lost, damage_.lost);
  damage_ = std::move(figures);
}

}  // namespace starbus::bus::busd::mail
