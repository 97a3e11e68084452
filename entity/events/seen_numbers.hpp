/// The highest number that one listener has heard at each place that it has left.
///
/// A plain value of the loop's thread; travels with the listener. Bounded: beyond kMaxSeenPlaces
/// the place that was noted first is forgotten. Reading takes all or, of bytes that are not what
/// save() writes, nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "entity/archive/decoder.hpp"
#include "entity/events/limits.hpp"
#include "entity/identity/id_sources.hpp"

namespace starbus::entity {

class SeenNumbers {
 public:
  /// None: not noted, or forgotten.
  std::optional<std::uint64_t> of(OnlineId place) const;
  /// The place is now the last noted. A number never sinks.
  void note(OnlineId place, std::uint64_t number);
  std::size_t size() const { return rows_.size(); }

  /// Appends all numbers.
  void save(Encoder& out) const;
  /// Adds saved numbers. Errors: malformed, truncated, too_large.
  DataResult<> restore(Decoder& in);

 private:
  struct Row {
    OnlineId place;
    std::uint64_t number;
  };
  std::vector<Row> rows_;  // the last noted at the end
};

}  // namespace starbus::entity
