#include "entity/properties/history/lineage.hpp"

#include <random>

namespace starbus::entity {
namespace {

// The end of MurmurHash3: numbers that differ become numbers that differ, far from one another.
std::uint32_t mix(std::uint32_t number) {
  number = (number ^ number >> 16) * 0x85ebca6bU;
  number = (number ^ number >> 13) * 0xc2b2ae35U;
  return number ^ number >> 16;
}

}  // namespace

std::uint32_t Lineages::draw(std::uint64_t schema_hash) {
  const auto schema = static_cast<std::uint32_t>(schema_hash ^ schema_hash >> 32);
  std::uint32_t lineage = 0;
  while (lineage == 0) lineage = mix(next_.fetch_add(1, std::memory_order_relaxed)) ^ schema;
  return lineage;
}

Lineages& Lineages::of_process() {
  static Lineages lineages(std::random_device{}());
  return lineages;
}

}  // namespace starbus::entity
