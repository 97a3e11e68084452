/// One entity of a space as others see it: where it is, which version its properties have, and what
/// of it this tick has encoded, once for all who see it.
///
///   subject.refresh(store);                                    // once per tick, before all views
///   if (seen.version != subject.version()) put(*subject.changes(store, seen.version));
///   put(subject.body(store, Detail::coarse));
///
/// Shared by the space and the views of those who see it, in one thread; it may outlive the
/// entity's stay, but has nothing to tell then. Refers to the properties, which outlive that stay.
/// Sans-IO.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "entity/properties/root.hpp"
#include "nodes/space/movement/move_wire.hpp"
#include "nodes/space/sight/limits.hpp"
#include "nodes/space/sight/tick_store.hpp"

namespace starbus::nodes::sight {

using movement::Detail;
using movement::Locomotion;
using movement::MoveBody;

class Subject {
 public:
  /// `class_name` lives as long as the program. `properties` are watched for other clients from now
  /// on; null: it has none.
  Subject(std::uint64_t id, std::string_view class_name, entity::Root* properties);
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  std::uint64_t id() const { return id_; }
  std::string_view class_name() const { return class_name_; }

  /// It is in the space.
  bool is_here() const { return here_; }
  /// And may be told: its class name and its properties are not too large.
  bool shown() const { return here_ && !too_large_; }
  /// It has left; nothing of it is read any more.
  void retire();

  // --- where it is ---

  /// It is told to others if it differs from the former one in more than its time.
  void set_move(const Locomotion& move);
  /// Another one with each move that is to be told; 0: it has no place that moves.
  std::uint64_t moved() const { return moved_; }
  const Locomotion& move() const { return move_; }
  /// Encoded once per tick and detail. Only if moved() is not 0.
  const MoveBody& body(TickStore& store, Detail detail);

  // --- its properties ---

  /// Takes up what was written until now: the tick of its properties ends.
  void refresh(TickStore& store);
  /// As of refresh(), or of a later snapshot(). Equal ones have nothing to tell.
  const entity::Version& version() const { return version_; }
  /// All that others see of it, encoded once per tick and version; version() is what it says then.
  /// Empty: it has no properties for others. nullopt: too large, so that shown() is false; or the
  /// store is full. Valid until more is encoded.
  std::optional<bus::ByteView> snapshot(TickStore& store);
  /// What has changed since a version, once per tick and version: a snapshot if that is not known.
  /// Only if that differs from version(). nullopt: as snapshot().
  std::optional<bus::ByteView> changes(TickStore& store, const entity::Version& since);

 private:
  struct Delta {
    TickStore::Place place;
    entity::Version since;
    entity::Version to;
  };
  void not_shown(TickStore& store);

  const std::uint64_t id_;
  const std::string_view class_name_;
  entity::Root* properties_;
  bool here_ = true;
  bool too_large_ = false;
  bool named_;          // the class name is short enough
  bool noted_ = false;  // it is counted and logged as too large, until it is shown again
  std::uint64_t moved_ = 0;
  entity::Version version_;
  Locomotion move_;
  std::array<MoveBody, 2> bodies_;               // fine, coarse
  std::array<std::uint64_t, 2> bodies_at_{};     // ticks of the store
  std::array<std::uint64_t, 2> bodies_moved_{};  // moved_ of those
  TickStore::Place snapshot_;
  entity::Version snapshot_version_;
  std::array<Delta, kKeptDeltas> deltas_{};
};

}  // namespace starbus::nodes::sight
