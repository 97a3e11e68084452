/// What happened, in order: a fingerprint always, words if somebody reads them. Two runs of one
/// seed have the same fingerprint. One thread.
#pragma once

#include <cstdio>
#include <deque>
#include <string>

#include "bus/core/lanes.hpp"

namespace starbus::sim {

using bus::Time;

class Trace {
 public:
  /// The latest lines that `latest` keeps for the report of a violation.
  static constexpr std::size_t kKept = 2000;

  /// `out` null: no words are made, which is several times faster.
  void print_to(std::FILE* out) { out_ = out; }
  void keep_latest() { keep_ = true; }
  bool wants_words() const { return out_ != nullptr || keep_; }
  const std::deque<std::string>& latest() const { return latest_; }

  void mix(std::uint64_t value) {
    hash_ = (hash_ ^ value) * 0x9e37'79b9'7f4a'7c15ULL;
    hash_ ^= hash_ >> 29;
  }
  std::uint64_t hash() const { return hash_; }

  /// `words` makes the line, and is called only if it is wanted.
  template <class Words>
  void note(Time now, Words&& words) {
    if (!wants_words()) return;
    char stamp[32];
    std::snprintf(stamp, sizeof stamp, "%11.3f ", static_cast<double>(now.count()) / 1e6);
    std::string line = stamp + words();
    if (out_ != nullptr) std::fprintf(out_, "%s\n", line.c_str());
    if (!keep_) return;
    if (latest_.size() == kKept) latest_.pop_front();
    latest_.push_back(std::move(line));
  }

 private:
  std::uint64_t hash_ = 0x5eed;
  std::FILE* out_ = nullptr;
  bool keep_ = false;
  std::deque<std::string> latest_;
};

}  // namespace starbus::sim
