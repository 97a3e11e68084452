/// LinkReach: which components of a layer can be reached from which over its links, as a table, so
/// that "there is no way" is known without a search where links lead one way, too. Owns its table;
/// any number of threads may read while it does not change.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nav/graph/reach.hpp"
#include "nav/grid/cell.hpp"
#include "nav/grid/components.hpp"
#include "nav/grid/links.hpp"

namespace starbus::nav::grid {

class LinkReach {
 public:
  /// Of the links and components as they are. Takes time in proportion to the links.
  void assign(const LayerLinks& links, const Components& components, const Layout& layout);

  /// Whether links lead from one component to another one.
  bool reaches(std::uint32_t from, std::uint32_t to) const {
    const auto a = node(from);
    const auto b = node(to);
    return a && b && reach_.reaches(*a, *b);
  }

 private:
  std::optional<std::uint32_t> node(std::uint32_t component) const;

  std::vector<std::uint32_t> components_;  ///< in which links begin or end, sorted
  graph::Reach reach_;
};

}  // namespace starbus::nav::grid
