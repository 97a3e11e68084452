/// The form in which a gate needs what a World tells: per observer and update one batch of leaves
/// and enters, by the observer's own 16-bit indices; and per changed entity the list of those who
/// have to hear of it, each with its index, so that one message per gate carries one payload.
///
/// A client applies a batch in the order reindex, leaves, enters. An index of a leave means nothing
/// from then on, until a later enter gives it again. Indices belong to a numbering, and each
/// numbering of an observer's client has an epoch that is higher than those before it: a new one
/// begins when the observer gets another indexed sensor (its client came back and knows nothing),
/// or has migrated. So what was under way when that happened is told from what follows, whatever
/// overtakes what: a batch or a change with a lower epoch is dropped. wire_view.hpp does it.
/// Bytes: docs/guide/aoi.md.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aoi/observer_state.hpp"
#include "aoi/world.hpp"

namespace starbus::aoi {

struct EnterEntry {
  std::uint16_t index = 0;
  std::uint64_t key = 0;  ///< of the target: EntityOptions::key
  friend bool operator==(const EnterEntry&, const EnterEntry&) = default;
};

struct ObserverBatch {
  std::uint64_t observer = 0;  ///< key of the observer
  std::uint32_t epoch = 0;     ///< of the numbering; never 0
  /// Only in the first batch of a numbering: what remains of the one before. What is not kept is
  /// gone; so a numbering that begins without it begins with nothing.
  ReindexBatch reindex = {};
  std::vector<std::uint16_t> leaves = {};
  std::vector<EnterEntry> enters = {};
  friend bool operator==(const ObserverBatch&, const ObserverBatch&) = default;
};

/// Of the last update, for all indexed sensors whose entity is still there; in the order of
/// sensors. What got no index (kMaxWireIndex are in use) is in no batch.
std::vector<ObserverBatch> batches(const World& world);

/// What the client of an observer that has migrated is told before any other batch of this sensor.
/// `reindex` is what World::import_state gave. unknown_sensor, bad_option: it is not indexed.
Result<ObserverBatch> arrival(const World& world, SensorId sensor, ReindexBatch reindex);

std::string encode(const ObserverBatch& batch);
/// corrupt (also: an epoch or an index that is 0, an index twice in one list), newer_format.
Result<ObserverBatch> decode_batch(std::string_view bytes);

struct Receiver {
  SensorId sensor;
  EntityId observer;
  std::uint16_t index = 0;  ///< under which this observer's client knows the target
  std::uint32_t epoch = 0;  ///< of that numbering: goes with every change that is sent
};

/// Who has to hear of a change of the target: all indexed sensors that see it, in order.
std::vector<Receiver> receivers(const World& world, EntityId target);

}  // namespace starbus::aoi
