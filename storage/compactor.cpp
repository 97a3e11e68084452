#include "storage/compactor.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "storage/internal_keys.hpp"
#include "storage/limits.hpp"

namespace starbus::storage {

Compactor::Compactor(Database& database) : database_(database), thread_([this] { run(); }) {}

Compactor::~Compactor() {
  stop();
}

void Compactor::hint(ErasedPiece piece) {
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  // A mailbox that is read is erased piece by piece.
  const auto before = std::ranges::find(waiting_, piece.from, &ErasedPiece::to);
  if (before != waiting_.end() && before->keys < kCompactKeys) {
    before->to = std::move(piece.to);
    before->keys += piece.keys;
  } else {
    waiting_.push_back(std::move(piece));
  }
  if (waiting_.size() > kCompactHints) {
    waiting_.erase(std::ranges::min_element(waiting_, {}, &ErasedPiece::keys));
  }
  changed_.notify_all();
}

bool Compactor::waits() const {
  const std::lock_guard lock(mutex_);
  return !waiting_.empty() && !all_;
}

std::size_t Compactor::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

void Compactor::idle() {
  const std::lock_guard lock(mutex_);
  all_ = !waiting_.empty();
  changed_.notify_all();
}

void Compactor::everything() {
  const std::lock_guard lock(mutex_);
  everything_ = true;
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

std::optional<ErasedPiece> Compactor::next() {
  if (paused_) return std::nullopt;
  if (everything_) {
    everything_ = all_ = false;
    waiting_.clear();
    return ErasedPiece{std::string(kFirstKey), {}, 0};
  }
  const auto found = std::ranges::find_if(
      waiting_, [this](const ErasedPiece& piece) { return all_ || piece.keys >= kCompactKeys; });
  if (found == waiting_.end()) return std::nullopt;
  std::optional<ErasedPiece> piece(std::move(*found));
  waiting_.erase(found);
  all_ = all_ && !waiting_.empty();
  return piece;
}

void Compactor::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    std::optional<ErasedPiece> piece;
    changed_.wait(lock, [&] { return stopped_ || (piece = next()).has_value(); });
    if (stopped_) return;
    running_ = true;
    lock.unlock();
    if (const auto use = database_.use()) {
      const leveldb::Slice from = to_slice(piece->from);
      const leveldb::Slice to = to_slice(piece->to);
      (*use)->CompactRange(&from, piece->to.empty() ? nullptr : &to);
    }
    lock.lock();
    running_ = false;
    changed_.notify_all();
    changed_.wait_for(lock, kCompactPause, [&] { return stopped_ || all_ || everything_; });
  }
}

}  // namespace starbus::storage
