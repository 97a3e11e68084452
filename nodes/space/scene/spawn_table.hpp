/// Which entities of a scene are to be made, when and where, and when they come back.
///
///   spawns.begin(now);
///   while (const auto birth = spawns.next(now)) {           // at most kBirthsPerTick in a tick
///     make(*birth) ? spawns.born(birth->row->id) : spawns.failed(birth->row->id, now);
///   }
///   spawns.ended(id, now);                                  // one of that row is gone
///
/// Places around a point are drawn evenly over the area, from a stream of their own. Sans-IO;
/// belongs to the loop's thread; owns its rows. Never fails: what is not known is ignored.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "entity/chance/random_stream.hpp"
#include "nodes/space/scene/scene_data.hpp"

namespace starbus::nodes::space {

class SpawnTable {
 public:
  using Time = std::chrono::nanoseconds;
  struct Birth {
    const SpawnRow* row = nullptr;  // of this table
    aoi::Position at;
  };

  /// The rows of a scene that was read, in the order of their ids.
  SpawnTable(std::vector<SpawnRow> rows, entity::RandomStream random);
  SpawnTable(const SpawnTable&) = delete;
  SpawnTable& operator=(const SpawnTable&) = delete;

  /// All are to be made, each row after its `first`.
  void begin(Time now);
  /// None is made any more.
  void stop();
  /// One that is to be made by now, in the order of the times; it lives until ended() or failed().
  std::optional<Birth> next(Time now);
  void born(std::uint32_t row);
  /// It could not be made: again after a while, longer with each failure in a row.
  void failed(std::uint32_t row, Time now);
  /// It is gone, by whatever: another one comes after `respawn`.
  void ended(std::uint32_t row, Time now);

  /// Of a row; of all rows.
  std::size_t living(std::uint32_t row) const;
  std::size_t living() const { return living_; }
  /// When next() has something; nullopt: it has not.
  std::optional<Time> due() const;

 private:
  struct State {
    std::size_t living = 0;
    std::uint32_t failures = 0;  // in a row
  };
  std::optional<std::size_t> index_of(std::uint32_t row) const;
  struct Due {
    Time at{};
    std::uint64_t order = 0;
    std::size_t index = 0;
    auto operator<=>(const Due&) const = default;
  };
  void put(std::size_t index, Time at);
  aoi::Position place_around(const SpawnRow& row);
  bool take(std::size_t index);

  const std::vector<SpawnRow> rows_;
  std::vector<State> states_;
  std::set<Due> queue_;
  entity::RandomStream random_;
  std::uint64_t order_ = 0;
  std::size_t living_ = 0;
  bool stopped_ = false;
};

}  // namespace starbus::nodes::space
