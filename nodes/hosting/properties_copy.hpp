#pragma once

#include <functional>
#include <utility>

#include "entity/properties/root.hpp"
#include "entity/properties/wire.hpp"
#include "nodes/replica/mirror_core.hpp"

namespace starbus::nodes::entities {

/// A version as mirrors tell it to publishers: u32 lineage, u64 stamp.
inline bus::Bytes pack_version(const entity::Version& version) {
  bus::Bytes bytes(sizeof version.lineage + sizeof version.stamp);
  bus::store(bytes.data(), version.lineage);
  bus::store(bytes.data() + sizeof version.lineage, version.stamp);
  return bytes;
}
/// No version if it is none.
inline entity::Version unpack_version(bus::ByteView bytes) {
  if (bytes.size() != sizeof(std::uint32_t) + sizeof(std::uint64_t)) return {};
  return {bus::load<std::uint32_t>(bytes.data()),
          bus::load<std::uint64_t>(bytes.data() + sizeof(std::uint32_t))};
}

/// The ghost properties of an entity that lives elsewhere, kept up to date by a replica::Mirror of
/// its channel: see TypeOptions::mirrored.
///
///   PlayerState state;
///   PropertiesCopy copy(state);
///   replica::Mirror mirror(node.rpc(), node.timers(), "player/alice", copy);
///
/// Observers of the properties get every change, also what a snapshot has brought: after a gap, a
/// move, or with a new life of the entity; Change::cause says which. Writing to the properties is
/// refused from its making on. They outlive it; of the loop's thread.
class PropertiesCopy final : public replica::Replica {
 public:
  /// Called after each snapshot, once its differences were told, also if there were none: the copy
  /// has a first state, has missed changes, or the entity has begun a new life.
  using Replaced = std::function<void(entity::Cause)>;

  explicit PropertiesCopy(entity::Root& properties, Replaced replaced = {})
      : properties_(properties), replaced_(std::move(replaced)) {
    properties_.become_replica(entity::Audience::ghost);
  }
  /// A snapshot, or what has changed since version().
  bool restore(bus::ByteView state) override {
    const std::uint32_t had = lineage();
    const bool delta = !state.empty() && state.front() == std::byte{entity::kDeltaForm};
    const bool taken = delta ? properties_.apply_delta(state).has_value()
                             : properties_.apply_snapshot(state).has_value();
    if (!taken) return false;
    if (!replaced_) return true;
    replaced_(had == 0           ? entity::Cause::first
              : had == lineage() ? entity::Cause::snapshot
                                 : entity::Cause::new_life);
    return true;
  }
  /// A delta, or a snapshot where the source has no delta.
  bool apply(bus::ByteView news) override { return properties_.apply_delta(news) || restore(news); }
  bus::Bytes version() const override {
    return pack_version(properties_.version(entity::Audience::ghost));
  }

 private:
  /// 0: it has no state yet.
  std::uint32_t lineage() const { return properties_.version(entity::Audience::ghost).lineage; }

  entity::Root& properties_;
  const Replaced replaced_;
};

}  // namespace starbus::nodes::entities
