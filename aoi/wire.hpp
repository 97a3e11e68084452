/// The form in which a gate needs what a World tells: per observer and update one batch of leaves
/// and enters, by the observer's own 16-bit indices; and per changed entity the list of those who
/// have to hear of it, each with its index, so that one message per gate carries one payload.
///
/// A client applies a batch in the order reindex, leaves, enters. An index of a leave means nothing
/// from then on, until a later enter gives it again. Bytes: docs/aoi.md.
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
  ReindexBatch reindex;        ///< empty but in the first batch after a migration
  std::vector<std::uint16_t> leaves;
  std::vector<EnterEntry> enters;
  friend bool operator==(const ObserverBatch&, const ObserverBatch&) = default;
};

/// Of the last update, for all indexed sensors whose entity is still there; in the order of
/// sensors. What got no index (kMaxWireIndex are in use) is in no batch.
std::vector<ObserverBatch> batches(const World& world);

std::string encode(const ObserverBatch& batch);
/// corrupt (also: an index that is 0 or twice in one list), newer_format.
Result<ObserverBatch> decode_batch(std::string_view bytes);

struct Receiver {
  SensorId sensor;
  EntityId observer;
  std::uint16_t index = 0;  ///< under which this observer's client knows the target
};

/// Who has to hear of a change of the target: all indexed sensors that see it, in order.
std::vector<Receiver> receivers(const World& world, EntityId target);

}  // namespace starbus::aoi
