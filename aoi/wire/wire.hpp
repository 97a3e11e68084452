/// The bytes that a gate needs of a World: per observer and update one batch of leaves and enters,
/// by the observer's own 16-bit indices; and per changed entity the list of observers that see it,
/// each with its index, so that one message per gate carries one payload. Pure functions; plain
/// values.
///
/// A client applies a batch in the order reindex, leaves, enters. The index of a leave means
/// nothing afterwards, until a later enter gives it again. Indices belong to a numbering, and each
/// numbering of an observer's client has a higher epoch than those before it. A new numbering
/// begins when the observer gets another indexed sensor (its client came back and knows nothing),
/// or has migrated. So messages that were under way when that happened can be told from those that
/// follow, in whatever order they arrive: a batch or a change with a lower epoch is dropped.
/// wire_view.hpp does that. Bytes: docs/guide/aoi.md.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aoi/observer_state.hpp"
#include "aoi/world.hpp"

namespace starbus::aoi {

/// A target that came in view, and its index from now on.
struct EnterEntry {
  std::uint16_t index = 0;
  std::uint64_t key = 0;  ///< of the target: EntityOptions::key
  /// The target, for whoever sends what the client must know of it. Not on the wire, nor compared.
  EntityId entity = {};
  friend bool operator==(const EnterEntry& a, const EnterEntry& b) {
    return a.index == b.index && a.key == b.key;
  }
};

/// The changes of one update for one observer's client.
struct ObserverBatch {
  std::uint64_t observer = 0;  ///< key of the observer
  std::uint32_t epoch = 0;     ///< of the numbering; never 0
  /// Only in the first batch of a numbering: the targets that remain of the numbering before. All
  /// others are gone; so a numbering that begins without it begins with nothing.
  ReindexBatch reindex = {};
  std::vector<std::uint16_t> leaves = {};
  std::vector<EnterEntry> enters = {};
  /// Whose batch it is, and where it goes: SensorOptions::group. Not on the wire, nor compared.
  SensorId sensor = {};
  std::uint32_t group = 0;
  friend bool operator==(const ObserverBatch& a, const ObserverBatch& b) {
    return a.observer == b.observer && a.epoch == b.epoch && a.reindex == b.reindex &&
           a.leaves == b.leaves && a.enters == b.enters;
  }
};

/// The batches of the last update, for all indexed sensors whose entity still exists; by group, and
/// within a group by sensor, so that those of one gate lie side by side. Targets without an index
/// (kMaxWireIndex are in use) are in no batch. Costs what the update has reported.
std::vector<ObserverBatch> batches(const World& world);
/// The same into the caller's buffer, whose memory is used again; what it held is gone.
void batches(const World& world, std::vector<ObserverBatch>& out);

/// The first batch for the client of an observer that has migrated; comes before any other batch of
/// this sensor. `reindex` is the result of World::import_state. unknown_sensor; bad_option: not
/// indexed.
Result<ObserverBatch> arrival(const World& world, SensorId sensor, ReindexBatch reindex);

std::string encode(const ObserverBatch& batch);
/// corrupt (also: an epoch or an index that is 0, an index twice in one list), newer_format.
Result<ObserverBatch> decode_batch(std::string_view bytes);

/// One observer of a changed entity, and the index under which its client knows it.
struct Receiver {
  SensorId sensor;
  EntityId observer;
  std::uint16_t index = 0;  ///< the index of the target in this observer's numbering
  std::uint32_t epoch = 0;  ///< of that numbering; sent with every change
  std::uint32_t group = 0;  ///< SensorOptions::group: the receivers of one gate lie side by side
};

/// The observers that need a change of the target: all indexed sensors that see it, by group and
/// sensor. World::receivers() is the same into the caller's buffer.
std::vector<Receiver> receivers(const World& world, EntityId target);
/// Those of one group, out of the result of either.
std::span<const Receiver> of_group(std::span<const Receiver> receivers, std::uint32_t group);

}  // namespace starbus::aoi
