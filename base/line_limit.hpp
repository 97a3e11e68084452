#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace starbus {

/// A budget of log lines for each key: so many in an interval, then none; what is left out is
/// counted, and reported when the time of the report has come, by sweep() or by the next line. The
/// clock is the caller's. Keeps an entry for each key that had a line since the last report; who
/// cannot know how many there are bounds them by size(). One thread.
template <class Key, class Time>
class LineLimit {
 public:
  using Duration = decltype(std::declval<Time>() - std::declval<Time>());

  /// `report_after` is at least as long as `interval`.
  LineLimit(std::uint32_t lines, Duration interval, Duration report_after)
      : lines_(lines), interval_(interval), report_after_(report_after) {}

  /// True if the line may be written now. Calls `left_out(key, count)` if a report is due.
  template <class K, class LeftOut>
  bool allow(const K& key, Time now, LeftOut&& left_out) {
    auto at = budgets_.find(key);
    if (at == budgets_.end()) at = budgets_.emplace(Key(key), Budget{now, now}).first;
    Budget& budget = at->second;
    if (now - budget.since >= report_after_) {
      report(at->first, budget, left_out);
      budget = {now, now};
    } else if (now - budget.begin >= interval_) {
      budget.begin = now;
      budget.used = 0;
    }
    if (budget.used < lines_) {
      ++budget.used;
      return true;
    }
    ++budget.left_out;
    return false;
  }
  /// Calls `left_out(key, count)` for each key whose report is due, and forgets it. Call it about
  /// once a second.
  template <class LeftOut>
  void sweep(Time now, LeftOut&& left_out) {
    std::erase_if(budgets_, [&](const auto& entry) {
      if (now - entry.second.since < report_after_) return false;
      report(entry.first, entry.second, left_out);
      return true;
    });
  }

  template <class K>
  bool contains(const K& key) const {
    return budgets_.find(key) != budgets_.end();
  }
  std::size_t size() const { return budgets_.size(); }

 private:
  struct Budget {
    Time since;  // the last report, or the first line
    Time begin;  // of the present interval
    std::uint32_t used = 0;
    std::uint64_t left_out = 0;
  };
  template <class LeftOut>
  static void report(const Key& key, const Budget& budget, LeftOut& left_out) {
    if (budget.left_out != 0) left_out(key, budget.left_out);
  }

  std::uint32_t lines_;
  Duration interval_;
  Duration report_after_;
  std::map<Key, Budget, std::less<>> budgets_;
};

}  // namespace starbus
