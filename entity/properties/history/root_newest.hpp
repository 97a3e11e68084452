/// Parts of Root that its sources share.
#pragma once

#include <array>
#include <vector>

#include "entity/properties/root.hpp"

namespace starbus::entity {

/// Of memory for each change of a delta, until all of it is known to be valid: how to take it back,
/// and what observers and other replicas are told. kArchiveMemory so bounds the changes of a delta.
inline constexpr std::size_t kChangeCost = 512;

/// The field at an address.
struct Root::Spot {
  const FieldType* type = nullptr;
  void* field = nullptr;
  Reach reach = kWholeReach;
};

/// What travels of the history of an entity: stamps, each as ticks before another one.
struct Root::History {
  std::array<std::uint64_t, kAudiences> behind_version{};  ///< the floor of an audience
  std::vector<std::uint64_t> behind_stamp;                 ///< the last change of each field

  std::array<std::uint64_t, kAudiences> floors(
      std::array<std::uint64_t, kAudiences> versions) const {
    for (std::size_t i = 0; i < kAudiences; ++i) {
      versions[i] -= std::min(versions[i], behind_version[i]);
    }
    return versions;
  }
  std::vector<std::uint64_t> last(std::uint64_t stamp) const {
    std::vector<std::uint64_t> all;
    for (const std::uint64_t behind : behind_stamp) all.push_back(stamp - std::min(stamp, behind));
    return all;
  }
};

}  // namespace starbus::entity
