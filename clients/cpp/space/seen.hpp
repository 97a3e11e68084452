/// One that is seen in a space: its properties as a class of generated code, and its places. Made
/// by a SpaceView (space_view.hpp), which owns it; one thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "clients/cpp/space/sight.hpp"
#include "clients/cpp/space/snapshots.hpp"
#include "clients/cpp/view.hpp"

namespace starbus::game {

/// How the properties of a class of entities are made that others see. Constants of generated code.
struct SeenRow {
  std::string_view class_name{};          // of the entity
  const ClassRow& (*row)() = nullptr;     // of its properties
  void* (*make)() = nullptr;              // with defaults
  void (*destroy)(void* made) = nullptr;  // what was made
};
/// A row of generated code: seen_row<HeroSeen>("hero").
template <class State>
constexpr SeenRow seen_row(std::string_view class_name) {
  return {class_name, &State::row, []() -> void* { return new State{}; },
          [](void* made) { delete static_cast<State*>(made); }};
}

/// What all that are seen of one class share.
struct SeenClass {
  explicit SeenClass(const SeenRow& its) : row(its), layouts(its.row()) {}
  const SeenRow& row;
  Layouts layouts;
};

/// See above.
class Seen {
 public:
  /// `its`: null if the program has no such class; it must outlive this.
  Seen(const Enter& enter, const SeenClass* its, const SnapshotOptions& shown);

  std::uint16_t index() const { return index_; }
  /// The online id.
  std::uint64_t id() const { return id_; }
  /// The type of the entity, as the schema names it.
  const std::string& class_name() const { return class_name_; }
  /// Its properties; null: it is of another class, or they are not known. Good until the next
  /// bytes.
  template <class State>
  const State* as() const {
    const bool same = has_state_ && its_ != nullptr && &its_->row.row() == &State::row();
    return same ? static_cast<const State*>(state_.get()) : nullptr;
  }
  /// The latest place that was told; null: it has none that moves. Good until the next bytes.
  const Locomotion* move() const { return places_.newest(); }
  /// Where to show it at a server time (SpaceView::shown_time); nullopt likewise.
  std::optional<Locomotion> at(double server_ms) const {
    if (places_.empty()) return std::nullopt;
    return places_.at(server_ms);
  }

  // --- for SpaceView ---

  void moved(const Locomotion& move) { places_.add(move); }
  /// Properties, or changes of them. `may_wait`: the names of the server may explain others.
  Taken told(ByteView bytes, bool may_wait);
  /// What has waited is read now.
  Taken release();
  std::size_t held_bytes() const { return core_ ? core_->held_bytes() : 0; }
  Changed take_changed() { return core_ ? core_->take_changed() : Changed(); }

 private:
  using State = std::unique_ptr<void, void (*)(void*)>;
  Taken snapshot(ByteView bytes, bool may_wait);

  std::uint16_t index_;
  std::uint64_t id_;
  std::string class_name_;
  const SeenClass* its_;
  State state_;
  std::optional<ViewCore> core_;
  bool has_state_ = false;
  bool unread_ = false;  // of a schema that nobody has explained
  Snapshots places_;
};

}  // namespace starbus::game
