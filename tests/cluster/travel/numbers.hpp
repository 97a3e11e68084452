/// A stream of numbers, 1, 2, 3, ..., as one of its readers has had it: how many have come twice,
/// how many behind a later one, and which are missing still. A value; any thread.
#pragma once

#include <cstdint>
#include <set>

namespace starbus::cluster_test {

class Numbers {
 public:
  void take(std::uint64_t number) {
    if (number > last_) {
      for (std::uint64_t each = last_ + 1; each < number; ++each) missing_.insert(each);
      last_ = number;
    } else if (missing_.erase(number) > 0) {
      ++disordered_;
    } else {
      ++doubled_;
    }
  }
  std::uint64_t last() const { return last_; }
  std::uint64_t doubled() const { return doubled_; }
  std::uint64_t disordered() const { return disordered_; }
  /// Of `said`, which were said in all.
  std::uint64_t lost(std::uint64_t said) const {
    return missing_.size() + (said > last_ ? said - last_ : 0);
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(last_, doubled_, disordered_, missing_);
  }

 private:
  std::uint64_t last_ = 0;
  std::uint64_t doubled_ = 0;
  std::uint64_t disordered_ = 0;
  std::set<std::uint64_t> missing_;
};

}  // namespace starbus::cluster_test
