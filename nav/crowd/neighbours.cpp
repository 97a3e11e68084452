#include "nav/crowd/neighbours.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace starbus::nav::crowd {
namespace {

// The range is so many cells: the nearest are mostly in the cells beside one's own.
constexpr std::int32_t kCells = 3;
// Cells around one must be different ones: 2 * kCells + 1 and more.
constexpr std::uint32_t kLeastBits = 4;
constexpr std::uint32_t kMostBits = 8;

}  // namespace

struct Neighbours::Found {
  std::span<std::uint32_t> out;
  std::array<float, kMaxNeighbours> distances;  // squared
  std::size_t count = 0;
  float within = 0;  // squared; farther ones are of no use

  void offer(std::uint32_t index, float distance, std::span<const Body> bodies) {
    const auto after = [&](std::size_t i) {
      return distances[i] > distance ||
             (distances[i] == distance && bodies[out[i]].slot > bodies[index].slot);
    };
    if (count == out.size()) {
      if (!after(count - 1)) return;
      --count;
    }
    std::size_t place = count++;
    for (; place > 0 && after(place - 1); --place) {
      distances[place] = distances[place - 1];
      out[place] = out[place - 1];
    }
    distances[place] = distance;
    out[place] = index;
    if (count == out.size()) within = distances[count - 1];
  }
};

Neighbours::Neighbours(std::size_t most) {
  added_.reserve(most);
  sorted_.reserve(most);
  places_.reserve(most);
  buckets_.reserve(most);
  bits_ = std::clamp<std::uint32_t>(static_cast<std::uint32_t>(std::bit_width(most)) / 2 + 1,
                                    kLeastBits, kMostBits);
  mask_ = (1u << bits_) - 1;
  starts_.resize((std::size_t{1} << (2 * bits_)) + 1);
}

std::int32_t Neighbours::cell(float at) const {
  // Far beyond any ground one cell is as good as another.
  return static_cast<std::int32_t>(std::floor(std::clamp(at * per_metre_, -1e9F, 1e9F)));
}

std::size_t Neighbours::bucket(std::int32_t x, std::int32_t y) const {
  return std::size_t{static_cast<std::uint32_t>(y) & mask_} << bits_ |
         (static_cast<std::uint32_t>(x) & mask_);
}

void Neighbours::clear(float range) {
  range_ = range;
  per_metre_ = kCells / range;
  added_.clear();
}

void Neighbours::sort() {
  std::ranges::fill(starts_, 0u);
  buckets_.clear();
  for (const Body& body : added_) {
    const std::size_t of = bucket(cell(body.disc.at.x), cell(body.disc.at.y));
    buckets_.push_back(static_cast<std::uint32_t>(of));
    ++starts_[of + 1];
  }
  for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  sorted_.resize(added_.size());
  places_.resize(added_.size());
  // Each start moves on to the end of its bucket, which is the start of the next: moved back below.
  for (std::size_t i = 0; i < added_.size(); ++i) {
    const std::uint32_t place = starts_[buckets_[i]]++;
    sorted_[place] = added_[i];
    places_[place] = added_[i].disc.at;
  }
  std::copy_backward(starts_.begin(), starts_.end() - 1, starts_.end());
  starts_[0] = 0;
}

void Neighbours::scan(const Body& self, std::size_t of, std::int32_t x, std::int32_t y,
                      std::int32_t around, Found& found) const {
  const auto run = [&](std::size_t first, std::size_t last) {
    for (std::uint32_t i = starts_[first]; i < starts_[last + 1]; ++i) {
      const float distance = square(places_[i] - self.disc.at);
      if (distance > found.within || i == of) continue;
      const Body& other = sorted_[i];
      const float above = other.z - self.z;
      if (above > self.height || -above > other.height) continue;
      found.offer(i, distance, sorted_);
    }
  };
  // Cells of a row are beside each other, but where the torus closes.
  const std::uint32_t first = static_cast<std::uint32_t>(x - around) & mask_;
  const std::uint32_t last = static_cast<std::uint32_t>(x + around) & mask_;
  for (std::int32_t row = y - around; row <= y + around; ++row) {
    const std::size_t start = bucket(0, row);
    if (first <= last) {
      run(start + first, start + last);
    } else {
      run(start + first, start + mask_);
      run(start, start + last);
    }
  }
}

std::size_t Neighbours::nearest(std::size_t of, std::span<std::uint32_t> out) const {
  if (out.empty()) return 0;
  const Body& self = sorted_[of];
  const float x = self.disc.at.x * per_metre_;
  const float y = self.disc.at.y * per_metre_;
  const std::int32_t column = cell(self.disc.at.x);
  const std::int32_t row = cell(self.disc.at.y);
  Found found;
  found.out = out;
  // What is surely within the cells beside one's own, if there are enough.
  const float in_x = std::min(x - std::floor(x), std::floor(x) + 1 - x);
  const float in_y = std::min(y - std::floor(y), std::floor(y) + 1 - y);
  const float near = (1 + std::max(std::min(in_x, in_y), 0.0F)) / per_metre_;
  found.within = near * near;
  scan(self, of, column, row, 1, found);
  if (found.count == out.size()) return found.count;
  found.count = 0;
  found.within = range_ * range_;
  scan(self, of, column, row, kCells, found);
  return found.count;
}

}  // namespace starbus::nav::crowd
