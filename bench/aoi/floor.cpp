#include "bench/aoi/floor.hpp"

#include <algorithm>

namespace starbus::bench::aoi {

Floor::Floor(float size, float radius)
    : inverse_(1 / radius),
      limit_(radius * radius),
      cells_(std::max(1u, static_cast<std::uint32_t>(size / radius) + 1)),
      starts_(cells_ * cells_ + 1) {}

// The least use of a pair that was found.
void Floor::found(std::uint32_t a, std::uint32_t b) {
  ++pairs_;
  sum_ += std::uint64_t{a} * 31 + b;
}

void Floor::within(std::uint32_t begin, std::uint32_t end) {
  for (std::uint32_t i = begin; i < end; ++i) across(i, i + 1, i + 1, end);
}

void Floor::across(std::uint32_t begin, std::uint32_t end, std::uint32_t other,
                   std::uint32_t other_end) {
  for (std::uint32_t i = begin; i < end; ++i) {
    const float x = x_[i];
    const float y = y_[i];
    for (std::uint32_t j = other; j < other_end; ++j) {
      const float dx = x_[j] - x;
      const float dy = y_[j] - y;
      if (dx * dx + dy * dy <= limit_) found(id_[i], id_[j]);
    }
  }
}

std::uint64_t Floor::sweep(const std::vector<float>& x, const std::vector<float>& y) {
  const std::size_t count = x.size();
  cell_of_.resize(count);
  x_.resize(count);
  y_.resize(count);
  id_.resize(count);
  std::fill(starts_.begin(), starts_.end(), 0);
  for (std::size_t i = 0; i < count; ++i) {
    const auto column = std::min(static_cast<std::uint32_t>(x[i] * inverse_), cells_ - 1);
    const auto row = std::min(static_cast<std::uint32_t>(y[i] * inverse_), cells_ - 1);
    cell_of_[i] = row * cells_ + column;
    ++starts_[cell_of_[i] + 1];
  }
  for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t at = starts_[cell_of_[i]]++;
    x_[at] = x[i];
    y_[at] = y[i];
    id_[at] = static_cast<std::uint32_t>(i);
  }
  // starts_ has moved up by one cell: starts_[c] is where c ends.
  const auto begin = [&](std::uint32_t cell) { return cell == 0 ? 0 : starts_[cell - 1]; };
  for (std::uint32_t row = 0; row < cells_; ++row) {
    for (std::uint32_t column = 0; column < cells_; ++column) {
      const std::uint32_t cell = row * cells_ + column;
      const std::uint32_t from = begin(cell);
      const std::uint32_t to = starts_[cell];
      if (from == to) continue;
      within(from, to);
      if (column + 1 < cells_) across(from, to, to, starts_[cell + 1]);
      if (row + 1 == cells_) continue;
      // The three cells below lie side by side.
      const std::uint32_t left = cell + cells_ - (column > 0 ? 1 : 0);
      const std::uint32_t right = cell + cells_ + (column + 1 < cells_ ? 1 : 0);
      across(from, to, begin(left), starts_[right]);
    }
  }
  return sum_;
}

}  // namespace starbus::bench::aoi
