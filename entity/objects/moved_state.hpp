/// The state that an entity takes along to another process, as bytes and decoded.
///
/// Values; a decoded state views the bytes. Read from other processes: a state is either understood
/// as a whole, or refused. docs/guide/entities.md has the form.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "entity/archive/decoder.hpp"
#include "entity/archive/encoder.hpp"
#include "entity/objects/part.hpp"
#include "entity/properties/flags.hpp"

namespace starbus::entity {

/// How properties travel.
enum class MovedForm : std::uint8_t {
  snapshot = 1,  // with their versions, to a process that declares them alike
  by_name = 2,   // as they are saved, for another declaration; watchers begin again
                 // there, so the state names them
};

struct MovedState {
  struct Block {
    std::string_view component;  // empty: the entity's own
    ByteView bytes;              // written by its on_before_move
  };
  /// A block of this name is no component's: the home before, and the link to the client.
  static constexpr std::string_view kClientBlock = "@client";
  std::string_view type;
  std::string_view persistent_id;
  std::uint64_t online_id = 0;
  std::uint64_t flags = 0;
  OnlineId left_space = OnlineId::none;  // that it was packed in
  OnlineId space = OnlineId::none;       // that it is in where it arrives
  std::optional<ByteView> properties;    // View::migration
  MovedForm form = MovedForm::snapshot;
  Reach watchers = 0;  // of properties that travel by name; a snapshot has its own
  ByteView timers;     // exports of its timers and flows, both or neither: see MovingCode
  ByteView flows;
  std::vector<Block> machines;  // of its parts: exports of MachineGroup
  std::vector<Block> blocks;

  /// Whether fields of Lifetime::space become their defaults.
  bool leaves_space() const { return left_space != OnlineId::none && left_space != space; }
  /// As its hooks see it where it arrives.
  MovePlan plan() const { return {{}, space, space != OnlineId::none && space != left_space}; }
  /// Appends the state.
  void write(Encoder& out) const;
  /// Nullopt if the bytes are not such a state.
  static std::optional<MovedState> read(ByteView bytes);
};

}  // namespace starbus::entity
