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

/// How far a snapshot is that one subscriber gets in pieces.
struct SnapshotPlace {
  std::string after = {};  // the last name that was sent
  bool begun = false;
};
/// The next piece of a snapshot, of at most so many rows; the pieces are flagged first and last,
/// and there is at least one. The rows may change between two pieces: the subscriber gets the
/// changes, too.
WatchRows next_piece(const std::string& prefix, const RowSet::Rows& rows, SnapshotPlace& place,
                     std::size_t most);

/// Sends changes to subscribers by `tell`, in pieces that do not delay other control records.
template <class Tell>
void send_changes(const std::string& prefix, const std::vector<WatchRow>& changes, Tell&& tell) {
  constexpr std::size_t kRowsPerPiece = 256;
  WatchRows piece;
  piece.prefix = prefix;
  for (const WatchRow& row : changes) {
    if (piece.rows.size() == kRowsPerPiece) {
      tell(piece);
      piece.rows.clear();
    }
    piece.rows.push_back(row);
  }
  if (!piece.rows.empty()) tell(piece);
}

}  // namespace starbus::bus
