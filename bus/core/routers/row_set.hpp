/// The receiving side of a watch: the rows of one prefix, built from snapshots and deltas.
///
/// Owned and used by one thread; owns its rows. Bounded by kMaxWatchRows: further rows are not
/// taken, and `overflowed` returns true; the watcher then ends the watch as watch_too_large.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bus/core/wire/record.hpp"

namespace starbus::bus {

class RowSet {
 public:
  using Rows = std::map<std::string, WatchRow, std::less<>>;  // by name; every row is present

  /// Takes a piece of a snapshot or a delta. Returns the changes for the subscriber; a removed row
  /// has present = false. A snapshot changes nothing before its last piece; then it is compared
  /// with the present rows. A delta that comes while a snapshot is collected takes effect with it.
  std::vector<WatchRow> apply(WatchRows&& update);

  /// True after the first whole snapshot.
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

/// Sends `rows` to one subscriber by `tell`, in pieces that do not delay other control records.
/// With `snapshot` the pieces are flagged first and last, and there is at least one.
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
