#include "storage/compactor.hpp"

#include <utility>

#include "storage/internal_keys.hpp"
#include "storage/limits.hpp"

namespace starbus::storage {

Compactor::Compactor(Database& database) : database_(database), thread_([this] { run(); }) {}

Compactor::~Compactor() {
  stop();
}

void Compactor::hint(std::string from, std::string to) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || waiting_.size() >= kCompactHints) return;
  waiting_.push_back({std::move(from), std::move(to)});
  changed_.notify_all();
}

void Compactor::pause() {
  std::unique_lock lock(mutex_);
  paused_ = true;
  changed_.wait(lock, [&] { return !running_; });
}

void Compactor::resume() {
  const std::lock_guard lock(mutex_);
  paused_ = false;
  changed_.notify_all();
}

void Compactor::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void Compactor::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stopped_ || (!paused_ && !waiting_.empty()); });
    if (stopped_) return;
    const Range range = std::move(waiting_.front());
    waiting_.pop_front();
    running_ = true;
    lock.unlock();
    if (const auto use = database_.use()) {
      const leveldb::Slice from = to_slice(range.from);
      const leveldb::Slice to = to_slice(range.to);
      (*use)->CompactRange(&from, range.to.empty() ? nullptr : &to);
    }
    lock.lock();
    running_ = false;
    changed_.notify_all();
  }
}

}  // namespace starbus::storage
