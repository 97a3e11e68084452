// Tally: how posts have ended, for the loads. Any thread: NATS' client has one of its own.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "base/histogram.hpp"
#include "bench/harness/clock.hpp"

namespace starbus::bench::mail {

class Tally {
 public:
  // What ends in this time is counted, and timed if it was due then.
  void measure(std::int64_t from_ns, std::int64_t to_ns) {
    const std::lock_guard lock(mutex_);
    from_ = from_ns;
    to_ = to_ns;
  }

  void ended(std::int64_t stamp, const std::string* error) {
    const std::lock_guard lock(mutex_);
    const std::int64_t now = now_ns();
    ++ended_;
    if (error != nullptr) {
      if (failed_++ == 0) first_error_ = *error;
      return;
    }
    if (now >= from_ && now < to_) ++measured_;
    // Whatever was due then counts, however late its end: else the slow ones would be missing.
    if (stamp >= from_ && stamp < to_) times_.record(now - stamp);
  }

  struct Figures {
    std::uint64_t ended = 0;
    std::uint64_t measured = 0;
    std::uint64_t failed = 0;
    std::string first_error;
    Histogram times;
  };
  Figures figures() const {
    const std::lock_guard lock(mutex_);
    return {ended_, measured_, failed_, first_error_, times_};
  }
  std::uint64_t ended_count() const {
    const std::lock_guard lock(mutex_);
    return ended_;
  }

 private:
  mutable std::mutex mutex_;
  std::int64_t from_ = 0;
  std::int64_t to_ = INT64_MAX;
  std::uint64_t ended_ = 0;
  std::uint64_t measured_ = 0;
  std::uint64_t failed_ = 0;
  std::string first_error_;
  Histogram times_;
};

}  // namespace starbus::bench::mail
