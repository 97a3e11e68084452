#pragma once

#include <atomic>
#include <cstdint>

namespace starbus::entity {

/// The version that a watcher has: a tick of one life of an entity's properties, under one
/// declaration. The stamps of two lineages say nothing of one another, though they may be the same
/// numbers.
struct Version {
  std::uint32_t lineage =
      0;  ///< 0: none; a replica without state, or properties that were never watched
  std::uint64_t stamp = 0;
  bool operator==(const Version&) const = default;
};

/// Draws the lineages of a process: a number for each life, mixed with the hash of its schema. For
/// one schema it draws none twice; two sources that were seeded otherwise draw the same for two
/// lives once in 2^32. May be used by any thread.
class Lineages {
 public:
  explicit Lineages(std::uint32_t seed) : next_(seed) {}
  /// Never 0.
  std::uint32_t draw(std::uint64_t schema_hash);

  /// That of this process: seeded at random, so that no two processes or runs draw alike.
  static Lineages& of_process();

 private:
  std::atomic<std::uint32_t> next_;
};

}  // namespace starbus::entity
