/// The latest snapshots of entities, each encoded once for all who begin to watch an audience of an
/// entity while it does not change.
///
/// A snapshot is kept until the entity changes for that audience, ends, or kSnapshotKept has
/// passed, whichever is first; no more than kSnapshotsKept of them, and kSnapshotCache bytes: the
/// oldest go. One larger than kSnapshotKeptBytes is not kept. Belongs to the loop's thread; owns
/// the bytes.
#pragma once

#include <deque>
#include <map>

#include "entity/properties/root.hpp"
#include "entity/timers/timer_wheel.hpp"
#include "nodes/hosting/limits.hpp"

namespace starbus::nodes::entities {

class SnapshotCache {
 public:
  /// The state that the audience sees now; valid until the next call of a function that is not
  /// const. `id`: of its entity. Errors as of Root::encode_snapshot.
  entity::DataResult<bus::ByteView> get(std::uint64_t id, entity::Root& properties,
                                        entity::Audience audience, entity::Time now);
  /// What is older than kSnapshotKept goes.
  void expire(entity::Time now);
  /// The entity has ended, or has news for the audience.
  void forget(std::uint64_t id);
  void forget(std::uint64_t id, entity::Audience audience);

  std::size_t bytes() const { return bytes_; }
  std::uint64_t encoded() const { return encoded_; }

 private:
  using Key = std::pair<std::uint64_t, entity::Audience>;
  struct Kept {
    entity::Version version;
    bus::Bytes state;
    std::uint64_t number;
  };
  struct Age {
    entity::Time made;
    Key key;
    std::uint64_t number;  // of what was kept then
  };
  void erase(std::map<Key, Kept>::iterator at);
  void drop_oldest();

  std::map<Key, Kept> kept_;
  std::deque<Age> ages_;  // the oldest first; also of some that are gone
  bus::Bytes large_;      // one that is not kept
  std::size_t bytes_ = 0;
  std::uint64_t encoded_ = 0;
};

}  // namespace starbus::nodes::entities
