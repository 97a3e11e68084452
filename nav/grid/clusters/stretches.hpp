/// What lies along a border, by pairs of parts that it joins: of each pair one is kept in each
/// stretch of a length, the one in the middle. Owns memory that is used again; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace starbus::nav::grid {

/// See above.
template <class Item>
class Stretches {
 public:
  /// Stretches of so many cells.
  explicit Stretches(std::uint32_t spacing) : spacing_(spacing) {}

  void clear() {
    kept_.clear();
    open_ = 0;
  }
  /// In the order of the places, which are cells along the border.
  void add(std::uint64_t pair, std::uint32_t place, Item item) {
    Stretch* stretch = nullptr;
    for (std::size_t i = 0; i < open_; ++i) {
      if (stretches_[i].pair == pair) stretch = &stretches_[i];
    }
    if (stretch == nullptr) {
      if (open_ == stretches_.size()) stretches_.emplace_back();
      stretch = &stretches_[open_++];
      stretch->pair = pair;
      stretch->begin(place);
    } else if (place - stretch->first >= spacing_) {
      keep(*stretch);
      stretch->begin(place);
    }
    stretch->items.push_back(item);
  }
  /// All that are kept, to be sorted as the caller likes. Valid until clear().
  std::vector<Item>& take() {
    for (std::size_t i = 0; i < open_; ++i) keep(stretches_[i]);
    open_ = 0;
    return kept_;
  }

 private:
  struct Stretch {
    std::uint64_t pair = 0;
    std::uint32_t first = 0;  ///< place
    std::vector<Item> items;

    void begin(std::uint32_t place) {
      first = place;
      items.clear();
    }
  };
  void keep(const Stretch& stretch) { kept_.push_back(stretch.items[stretch.items.size() / 2]); }

  std::uint32_t spacing_;
  std::vector<Stretch> stretches_;  ///< the first open_ of them
  std::size_t open_ = 0;
  std::vector<Item> kept_;
};

}  // namespace starbus::nav::grid
