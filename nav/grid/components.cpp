#include "nav/grid/components.hpp"

#include <algorithm>
#include <bit>

namespace starbus::nav::grid {

void Components::label(const Layout& layout, std::span<const std::uint8_t> passable,
                       std::span<const Mask> moves) {
  layout_ = layout;
  labels_.assign(layout.count(), 0);
  marks_.assign(layout.count(), 0);
  parents_.assign(1, 0);
  ranks_.assign(1, 0);
  flooded_ = 0;
  std::vector<std::uint32_t> pending;
  for (std::uint32_t first = 0; first < layout.count(); ++first) {
    if (passable[first] == 0 || labels_[first] != 0) continue;
    const std::uint32_t label = add_label();
    labels_[first] = label;
    pending.push_back(first);
    while (!pending.empty()) {
      const std::uint32_t cell = pending.back();
      pending.pop_back();
      for (unsigned left = moves[cell]; left != 0; left &= left - 1) {
        const auto direction = static_cast<Direction>(std::countr_zero(left));
        const std::uint32_t next = cell + static_cast<std::uint32_t>(layout.offset(direction));
        if (labels_[next] != 0) continue;
        labels_[next] = label;
        pending.push_back(next);
      }
    }
  }
}

void Components::change(std::span<const Change> changes, std::span<const std::uint8_t> passable,
                        std::span<const Mask> moves) {
  // Labels that no cell has any more are not found again one by one.
  if (parents_.size() > labels_.size() + 1024) return label(layout_, passable, moves);
  appear_and_vanish(changes);
  std::vector<std::uint32_t> seeds;
  for (const Change& one : changes) {
    for (unsigned left = one.after & ~one.before & 0xffu; left != 0; left &= left - 1) {
      const auto direction = static_cast<Direction>(std::countr_zero(left));
      join(labels_[one.cell],
           labels_[one.cell + static_cast<std::uint32_t>(layout_.offset(direction))]);
    }
    if (one.is && one.was && (one.before & ~one.after) != 0) seeds.push_back(one.cell);
  }
  if (seeds.size() > 1) split(std::move(seeds), moves);
}

void Components::appear_and_vanish(std::span<const Change> changes) {
  for (const Change& one : changes) {
    if (one.is == one.was) continue;
    labels_[one.cell] = one.is ? add_label() : 0;
  }
}

std::uint32_t Components::add_label() {
  const auto label = static_cast<std::uint32_t>(parents_.size());
  parents_.push_back(label);
  ranks_.push_back(0);
  return label;
}

void Components::join(std::uint32_t a, std::uint32_t b) {
  a = root(a);
  b = root(b);
  if (a == b) return;
  if (ranks_[a] < ranks_[b]) std::swap(a, b);
  parents_[b] = a;
  if (ranks_[a] == ranks_[b]) ++ranks_[a];
}

// Whatever is cut off has lost a move to the rest, and so has a seed.
void Components::split(std::vector<std::uint32_t> seeds, std::span<const Mask> moves) {
  std::ranges::sort(seeds, [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(of(a), a) < std::pair(of(b), b);
  });
  std::vector<std::uint32_t> of_one;
  for (std::size_t begin = 0; begin < seeds.size();) {
    const std::uint32_t label = of(seeds[begin]);
    of_one.clear();
    std::size_t end = begin;
    // The labels of those that follow are as they were: split_one gives new ones to seeds of this.
    for (; end < seeds.size() && of(seeds[end]) == label; ++end) of_one.push_back(seeds[end]);
    if (of_one.size() > 1) split_one(of_one, moves);
    begin = end;
  }
}

void Components::split_one(std::span<const std::uint32_t> seeds, std::span<const Mask> moves) {
  floods_.clear();
  std::vector<std::uint32_t> open;
  for (const std::uint32_t seed : seeds) {
    const auto number = static_cast<std::uint32_t>(floods_.size());
    floods_.push_back({of(seed), number, {}, {seed}, 0});
    marks_[seed] = number + 1;
    open.push_back(number);
  }
  std::vector<std::uint32_t> still_open;
  while (open.size() > 1) {
    still_open.clear();
    for (std::size_t i = 0; i < open.size(); ++i) {
      const std::uint32_t flood = open[i];
      if (floods_[flood].into != flood) continue;  // it has met another one in this round
      spread(flood, moves);
      if (floods_[flood].into != flood) continue;
      if (floods_[flood].next < floods_[flood].pending.size()) {
        still_open.push_back(flood);
        continue;
      }
      // Full, and has met no other one: cut off, unless it is what is left in the end.
      std::size_t others = still_open.size();
      for (std::size_t j = i + 1; j < open.size(); ++j) others += floods_[open[j]].into == open[j];
      if (others == 0) break;
      const std::uint32_t label = add_label();
      for (const std::uint32_t cell : floods_[flood].filled) labels_[cell] = label;
    }
    std::erase_if(still_open, [&](std::uint32_t one) { return floods_[one].into != one; });
    open.swap(still_open);
  }
  for (const Flood& flood : floods_) {
    for (const std::uint32_t cell : flood.filled) marks_[cell] = 0;
    for (const std::uint32_t cell : flood.pending) marks_[cell] = 0;
  }
}

std::uint32_t Components::leader(std::uint32_t flood) const {
  while (floods_[flood].into != flood) flood = floods_[flood].into;
  return flood;
}

bool Components::spread(std::uint32_t flood, std::span<const Mask> moves) {
  const std::uint32_t cell = floods_[flood].pending[floods_[flood].next++];
  floods_[flood].filled.push_back(cell);
  ++flooded_;
  bool met = false;
  for (unsigned left = moves[cell]; left != 0; left &= left - 1) {
    const auto direction = static_cast<Direction>(std::countr_zero(left));
    const std::uint32_t next = cell + static_cast<std::uint32_t>(layout_.offset(direction));
    const std::uint32_t self = leader(flood);
    if (marks_[next] == 0) {
      marks_[next] = self + 1;
      floods_[self].pending.push_back(next);
      continue;
    }
    const std::uint32_t other = leader(marks_[next] - 1);
    if (other == self) continue;
    met = true;
    const bool larger = floods_[self].pending.size() >= floods_[other].pending.size();
    larger ? merge(other, self) : merge(self, other);
  }
  return met;
}

void Components::merge(std::uint32_t from, std::uint32_t into) {
  Flood& gone = floods_[from];
  Flood& kept = floods_[into];
  gone.into = into;
  kept.filled.insert(kept.filled.end(), gone.filled.begin(), gone.filled.end());
  kept.pending.insert(kept.pending.end(),
                      gone.pending.begin() + static_cast<std::ptrdiff_t>(gone.next),
                      gone.pending.end());
  gone.next = gone.pending.size();
}

}  // namespace starbus::nav::grid
