#include "nodes/space/scene/spawn_table.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "nodes/space/scene/limits.hpp"

namespace starbus::nodes::space {

SpawnTable::SpawnTable(std::vector<SpawnRow> rows, entity::RandomStream random)
    : rows_(std::move(rows)), states_(rows_.size()), random_(random) {}

void SpawnTable::begin(Time now) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (std::uint32_t n = 0; n < rows_[i].count; ++n) put(i, now + rows_[i].first);
  }
}

void SpawnTable::put(std::size_t index, Time at) {
  if (!stopped_) queue_.insert({at, ++order_, index});
}

void SpawnTable::stop() {
  stopped_ = true;
  queue_.clear();
}

std::optional<SpawnTable::Birth> SpawnTable::next(Time now) {
  if (queue_.empty() || queue_.begin()->at > now) return std::nullopt;
  const std::size_t index = queue_.begin()->index;
  queue_.erase(queue_.begin());
  ++states_[index].living;
  ++living_;
  return Birth{&rows_[index], place_around(rows_[index])};
}

/// Evenly over the disc: the square root of an even draw is the distance.
aoi::Position SpawnTable::place_around(const SpawnRow& row) {
  if (row.spread <= 0) return row.at;
  const double angle = random_.unit() * 2 * std::numbers::pi;
  const double away = std::sqrt(random_.unit()) * static_cast<double>(row.spread);
  return {row.at.x + static_cast<float>(away * std::cos(angle)),
          row.at.y + static_cast<float>(away * std::sin(angle)), row.at.z};
}

void SpawnTable::born(std::uint32_t row) {
  if (const auto index = index_of(row)) states_[*index].failures = 0;
}

void SpawnTable::failed(std::uint32_t row, Time now) {
  const auto index = index_of(row);
  if (!index || !take(*index)) return;
  const std::uint32_t doublings = std::min(states_[*index].failures++, 16U);
  const Time pause =
      std::min<Time>(Time(kBirthAgain) * (std::int64_t{1} << doublings), kLongestBirthAgain);
  put(*index, now + pause);
}

void SpawnTable::ended(std::uint32_t row, Time now) {
  const auto index = index_of(row);
  if (!index || !take(*index)) return;
  if (rows_[*index].respawn) put(*index, now + *rows_[*index].respawn);
}

bool SpawnTable::take(std::size_t index) {
  if (states_[index].living == 0) return false;
  --states_[index].living;
  --living_;
  return true;
}

std::size_t SpawnTable::living(std::uint32_t row) const {
  const auto index = index_of(row);
  return index ? states_[*index].living : 0;
}

std::optional<SpawnTable::Time> SpawnTable::due() const {
  if (queue_.empty()) return std::nullopt;
  return queue_.begin()->at;
}

std::optional<std::size_t> SpawnTable::index_of(std::uint32_t row) const {
  const SpawnRow* const found = find_row(rows_, row);
  if (found == nullptr) return std::nullopt;
  return static_cast<std::size_t>(found - rows_.data());
}

}  // namespace starbus::nodes::space
