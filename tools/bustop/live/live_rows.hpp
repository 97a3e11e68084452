/// The tables of the live view: rows with their sort keys. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tools/bustop/live/live_data.hpp"
#include "tools/bustop/rates.hpp"
#include "tools/terminal/table.hpp"

namespace starbus::bustop {

/// Remembers the latest counters of each link, so that each new reading gives rates.
class LinkMeter {
 public:
  /// Forgets the data of other places when `place` changes.
  void feed(const LiveData& data);
  const LinkRate* find(const std::string& key) const;

 private:
  struct Known {
    LinkInfo link;
    double at_s = 0;
    std::optional<LinkRate> rate;
  };
  void feed_link(const std::string& key, const std::optional<LinkInfo>& link, double at_s,
                 std::map<std::string, Known>& fresh);
  std::map<std::string, Known> known_;
};

struct LiveRow {
  std::string key;  // host, process or name: what is selected, filtered and entered
  std::vector<Cell> cells;
  std::vector<double> numbers;  // per column; of texts 0
};

struct LiveTable {
  std::vector<Table::Column> columns;
  std::vector<bool> numeric;  // per column: sorted by number, largest first
  std::vector<LiveRow> rows;
};

LiveTable live_table(const LiveData& data, const LinkMeter& meter);
/// Rows that hold `filter`, by `column`; equal ones by key.
std::vector<LiveRow> arranged(const LiveTable& table, const std::string& filter, std::size_t column,
                              bool reverse);

}  // namespace starbus::bustop
