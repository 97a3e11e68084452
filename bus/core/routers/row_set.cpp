#include "bus/core/routers/row_set.hpp"

#include <utility>

#include "bus/core/limits.hpp"

namespace starbus::bus {
namespace {

bool same_grant(const WatchRow& a, const WatchRow& b) {
  return a.owner == b.owner && a.epoch == b.epoch && a.lineage == b.lineage &&
         a.owner_name == b.owner_name;
}

}  // namespace

std::vector<WatchRow> RowSet::apply(WatchRows&& update) {
  if (update.first) {
    collected_.clear();
    collecting_ = true;
  }
  if (collecting_ || !complete_) {
    for (WatchRow& row : update.rows) merge(collected_, std::move(row));
    if (!update.last || !collecting_) return {};
    return finish_snapshot();
  }
  std::vector<WatchRow> changes;
  for (WatchRow& row : update.rows) {
    WatchRow copy = row;
    if (merge(rows_, std::move(copy))) changes.push_back(std::move(row));
  }
  return changes;
}

/// True if the row changes `into`.
bool RowSet::merge(Rows& into, WatchRow&& row) {
  const auto found = into.find(row.name);
  if (!row.present) {
    if (found == into.end()) return false;
    into.erase(found);
    return true;
  }
  if (found != into.end()) {
    if (same_grant(found->second, row)) return false;
    found->second = std::move(row);
    return true;
  }
  if (into.size() >= kMaxWatchRows) {
    overflowed_ = true;
    return false;
  }
  std::string name = row.name;
  into.emplace(std::move(name), std::move(row));
  return true;
}

std::vector<WatchRow> RowSet::finish_snapshot() {
  std::vector<WatchRow> changes;
  for (auto& [name, row] : rows_) {
    if (collected_.contains(name)) continue;
    row.present = false;
    changes.push_back(std::move(row));
  }
  for (const auto& [name, row] : collected_) {
    const auto known = rows_.find(name);
    if (known == rows_.end() || !same_grant(known->second, row)) changes.push_back(row);
  }
  rows_ = std::exchange(collected_, {});
  collecting_ = false;
  complete_ = true;
  return changes;
}

WatchRows next_piece(const std::string& prefix, const RowSet::Rows& rows, SnapshotPlace& place,
                     std::size_t most) {
  WatchRows piece;
  piece.prefix = prefix;
  piece.first = !std::exchange(place.begun, true);
  auto row = piece.first ? rows.begin() : rows.upper_bound(place.after);
  for (; row != rows.end() && piece.rows.size() < most; ++row) piece.rows.push_back(row->second);
  piece.last = row == rows.end();
  if (!piece.rows.empty()) place.after = piece.rows.back().name;
  return piece;
}

}  // namespace starbus::bus
