#include "tools/bustop/live/live_fetcher.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

namespace starbus::bustop {

LiveFetcher::LiveFetcher(const ClusterView& view)
    : view_(view), event_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)), thread_([this] { run(); }) {}

LiveFetcher::~LiveFetcher() {
  stop(std::chrono::hours(1));  // the time-out of the request ends it long before
  if (thread_.joinable()) thread_.join();
}

void LiveFetcher::set(const LiveWant& want, std::chrono::milliseconds interval, bool paused) {
  const std::lock_guard lock(mutex_);
  wanted_now_ = wanted_now_ || want != want_;
  want_ = want;
  interval_ = interval;
  paused_ = paused;
  changed_.notify_all();
}

std::optional<LiveData> LiveFetcher::take() {
  const std::lock_guard lock(mutex_);
  std::uint64_t count = 0;
  // Nothing to read is fine: the data may have been taken with an earlier event.
  [[maybe_unused]] const ssize_t size = ::read(event_.get(), &count, sizeof count);
  return std::exchange(data_, std::nullopt);
}

bool LiveFetcher::stop(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
  return changed_.wait_for(lock, patience, [this] { return ended_; });
}

bool LiveFetcher::due() const {
  return stopping_ || wanted_now_ || (!paused_ && Clock::now() >= last_ + interval_);
}

void LiveFetcher::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    while (!due()) {
      if (paused_) {
        changed_.wait(lock);
      } else {
        changed_.wait_until(lock, last_ + interval_);
      }
    }
    if (stopping_) break;
    wanted_now_ = false;
    last_ = Clock::now();
    const LiveWant want = want_;
    lock.unlock();
    LiveData data = fetch_live(view_, want);
    lock.lock();
    data_ = std::move(data);
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t size = ::write(event_.get(), &one, sizeof one);
  }
  ended_ = true;
  changed_.notify_all();
}

}  // namespace starbus::bustop
