/// Neighbours: who is near whom. Discs are sorted by the cells of a grid that is wound around a
/// torus, so that it takes the memory of the discs, and not that of the ground.
///
/// Owns its memory, and uses it again; one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nav/crowd/orca.hpp"

namespace starbus::nav::crowd {

/// A walker among others.
struct Body {
  Disc disc;
  float z = 0;
  float height = 0;
  std::uint32_t slot = 0;
  std::uint32_t priority = 0;
  bool passive = false;
};

class Neighbours {
 public:
  /// Room for so many bodies.
  explicit Neighbours(std::size_t most);

  /// Begins anew: nobody is there. Others are looked for up to `range` m away.
  void clear(float range);
  void add(const Body& body) { added_.push_back(body); }
  /// Sorts them; bodies() is in the order of cells from now on.
  void sort();
  std::span<const Body> bodies() const { return sorted_; }
  /// The nearest others within the range, whose heights overlap: indices of bodies(), nearest
  /// first, equals in the order of their slots; as many as there is room for. Returns their number.
  std::size_t nearest(std::size_t of, std::span<std::uint32_t> out) const;

 private:
  struct Found;
  std::int32_t cell(float at) const;
  std::size_t bucket(std::int32_t x, std::int32_t y) const;
  void scan(const Body& self, std::size_t of, std::int32_t x, std::int32_t y, std::int32_t around,
            Found& found) const;

  float range_ = 1;
  float per_metre_ = 1;
  std::uint32_t mask_ = 0;  ///< of cells along a side of the torus
  std::uint32_t bits_ = 0;
  std::vector<Body> added_;
  std::vector<Body> sorted_;
  std::vector<Vec> places_;  ///< of those sorted: what most looks need alone
  std::vector<std::uint32_t> buckets_;
  std::vector<std::uint32_t> starts_;
};

}  // namespace starbus::nav::crowd
