/// Numbers for the filters that are in use, with reference counts. 0 is the filter that passes
/// everything. Backends keep a bit per number and place, so that a filter costs a scan one AND. One
/// thread; owns its rows.
#pragma once

#include <optional>
#include <vector>

#include "aoi/types.hpp"

namespace starbus::aoi {

using FilterNumber = std::uint8_t;

class FilterTable {
 public:
  FilterTable() : rows_(1, Row{Filter{}, 1}) {}

  struct Acquired {
    FilterNumber number = 0;
    bool fresh = false;  ///< the number stood for another filter, or for none, until now
  };
  /// Returns nullopt if kMaxFilters different ones are in use. Each success needs one release().
  std::optional<Acquired> acquire(const Filter& filter);
  void release(FilterNumber number);

  const Filter& at(FilterNumber number) const { return rows_[number].filter; }
  /// Whether an entity with these flags passes the filter.
  bool passes(FilterNumber number, std::uint64_t flags) const {
    return rows_[number].filter.passes(flags);
  }
  /// One more than the largest number used so far.
  std::size_t size() const { return rows_.size(); }

 private:
  struct Row {
    Filter filter;
    std::uint32_t uses = 0;
  };
  std::vector<Row> rows_;
};

}  // namespace starbus::aoi
