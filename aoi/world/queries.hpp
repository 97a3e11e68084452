/// The answers of a World: the reported sets, and regions by present positions. Belongs to the
/// world's thread; answers may settle the backend and count their own work. Owns its counters and
/// scratch memory. The errors are those that world.hpp names. Removals are settled before any of
/// these is called.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "aoi/index/index.hpp"
#include "aoi/select/symmetric.hpp"
#include "aoi/wire/wire.hpp"
#include "aoi/world.hpp"
#include "aoi/world/numberings.hpp"
#include "aoi/world/pins.hpp"

namespace starbus::aoi {

class Queries {
 public:
  Queries(const Tables& tables, Index& index, const SymmetricLists& lists, const Pins& pins,
          const Numberings& numberings)
      : tables_(tables), index_(index), lists_(lists), pins_(pins), numberings_(numberings) {}

  /// As in World.
  void sees(SensorId id, std::vector<EntityId>& out);
  bool sees(SensorId id, EntityId target) const;
  void observers(EntityId id, std::vector<SensorId>& out);
  std::uint16_t wire_index(SensorId id, EntityId target) const;
  /// Those of observers() that are indexed and give the target an index, by group and sensor.
  void receivers(EntityId id, std::vector<Receiver>& out);

  /// As in World; `radius` infinite: anywhere.
  Result<> find(const Region& region, const Filter& filter, std::vector<EntityId>& out);
  Result<> nearest(const Position& at, std::size_t k, float radius, const Filter& filter,
                   std::vector<Neighbour>& out);

  /// As in World.
  std::optional<EntityOptions> entity(EntityId id) const;
  std::optional<SensorOptions> sensor(SensorId id) const;
  std::optional<EntityId> owner(SensorId id) const;
  std::vector<SensorId> sensors_of(EntityId id) const;
  std::vector<EntityId> entities() const;
  std::uint64_t key_of(EntityId id) const;

  /// Adds what find() and nearest() have counted.
  void add_to(Statistics& statistics) const;

 private:
  void find_observers(EntityIndex target);
  template <class Visitor>
  void visit(const Box& box, const Visitor& visitor);

  const Tables& tables_;
  Index& index_;
  const SymmetricLists& lists_;
  const Pins& pins_;
  const Numberings& numberings_;
  std::vector<EntityIndex> seen_;       ///< scratch, as are those that follow
  std::vector<SensorIndex> observing_;  ///< of find_observers()
  std::vector<Candidate> near_;
  std::uint64_t queries_ = 0;
  std::uint64_t tests_ = 0;
  std::uint64_t visited_ = 0;
};

}  // namespace starbus::aoi
