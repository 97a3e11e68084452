/// The receiving side of a watch: what one prefix holds, as snapshots and deltas say.
///
/// Owned and used by one thread; owns its rows. Bounded by kMaxWatchRows: rows beyond are not taken
/// and `overflowed` says so; whoever watches then gives the watch up as watch_too_large.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bus/core/wire/record.hpp"

namespace starbus::bus {

class RowSet {
 public:
  using Rows = std::map<std::string, WatchRow, std::less<>>;  // by name; every row is present

  /// Takes a piece of a snapshot or a delta. Returns what changed for the subscriber, a row that is
  /// gone with present = false. A snapshot changes nothing before its last piece; then it is
  /// compared with what was known before. A delta that comes while a snapshot is being collected
  /// takes effect with it.
  std::vector<WatchRow> apply(WatchRows&& update);

  /// A whole snapshot was seen at least once.
  bool complete() const { return complete_; }
  bool overflowed() const { return overflowed_; }
  const Rows& rows() const { return rows_; }

 private:
  bool merge(Rows& into, WatchRow&& row);
  std::vector<WatchRow> finish_snapshot();

  Rows rows_;
  Rows collected_;  // the snapshot that is under way
  bool collecting_ = false;
  bool complete_ = false;
  bool overflowed_ = false;
};

/// `rows` as records for one subscriber, in pieces that do not hold up other control records. With
/// `snapshot` the pieces are flagged first and last, and there is at least one. `tell` takes each.
template <class Rows, class Tell>
void send_rows(const std::string& prefix, const Rows& rows, bool snapshot, Tell&& tell) {
  constexpr std::size_t kRowsPerPiece = 256;
  WatchRows piece;
  piece.prefix = prefix;
  piece.first = snapshot;
  for (const auto& item : rows) {
    if (piece.rows.size() == kRowsPerPiece) {
      tell(piece);
      piece.first = false;
      piece.rows.clear();
    }
    if constexpr (requires { item.second; }) {
      piece.rows.push_back(item.second);
    } else {
      piece.rows.push_back(item);
    }
  }
  piece.last = snapshot;
  if (snapshot || !piece.rows.empty()) tell(piece);
}

}  // namespace starbus::bus
