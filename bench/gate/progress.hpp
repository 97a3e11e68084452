// Progress: how far a case is that counts to a number, and how long it may take. A line on standard
// error every few seconds. One thread uses it.
#pragma once

#include <cstdint>
#include <string>

#include "bench/harness/clock.hpp"

namespace starbus::bench::gate {

class Progress {
 public:
  // `seconds`: it fails to reach `wanted` within this time, and is ended.
  Progress(std::string what, double wanted, double seconds);

  // Says so, if it is time to; `more`: what else there is to say.
  void reached(double count, const std::string& more);
  bool late() const { return now_ns() > end_; }
  // What a case says that is too late, with how far it came.
  std::string lateness() const;

 private:
  std::string line(const std::string& more) const;

  std::string what_;
  double wanted_;
  std::int64_t begin_;
  std::int64_t end_;
  std::int64_t next_;
  double count_ = 0;
};

}  // namespace starbus::bench::gate
