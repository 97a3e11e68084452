/// The properties of the subject as a class of generated code: a full state's snapshot, and the
/// changes since.
///
///   game::View<stubs::HeroState> hero(watcher);
///   void on_full(const game::FullState& full) override { hero.snapshot(full.properties); }
///   void on_news(game::ByteView news) override { hero.delta(news); }
///   void on_names(const game::ServerNames& names) override { hero.learn(names); }
///
/// Properties of another declaration than the program's wait for the names of the server; then the
/// fields that both have are read, and the others keep their defaults. What does not fit ends the
/// view until the next snapshot: Client::refresh() asks for one. Owns its state; one thread.
#pragma once

#include <bitset>
#include <optional>
#include <vector>

#include "clients/cpp/state_fields.hpp"

namespace starbus::game {

/// What has become of bytes. After all but `ok` and `waits` there is no state.
enum class Taken : std::uint8_t {
  ok,
  waits,         ///< properties of another declaration: until learn()
  other_schema,  ///< the server's names do not have it either
  malformed,     ///< not properties for the own client
  gap,           ///< changes are missing before these
  desync,        ///< a change does not fit the state
};
std::string_view name_of(Taken taken);

/// Fields of the state that have changed, by their places in its row.
using Changed = std::bitset<kClassFields>;

/// A view without the type of its state.
class ViewCore {
 public:
  /// `layouts` must outlive it.
  ViewCore(const Layouts& layouts, Audience audience)
      : layouts_(layouts), layout_(layouts.find(layouts.row().hash)), audience_(audience) {}

  /// `state` has its defaults. `may_wait`: the names of the server may explain another declaration.
  Taken snapshot(ByteView bytes, void* state, bool may_wait);
  Taken delta(ByteView bytes, void* state);
  /// What has waited for the names of the server, to be taken now; nullopt: nothing.
  std::optional<std::vector<Bytes>> release();
  /// Bytes that wait.
  std::size_t held_bytes() const { return held_bytes_; }
  Changed take_changed() { return std::exchange(changed_, {}); }

 private:
  struct Head;
  Taken hold(ByteView bytes);
  void groups(StateReader& in, const Head& head, void* state);
  void parts(StateReader& in, void* state);
  struct Spot;
  Spot walk(StateReader& in, unsigned depth, void* state);

  const Layouts& layouts_;
  std::shared_ptr<const Layout> layout_;
  Audience audience_;
  bool has_state_ = false;
  bool waits_ = false;
  std::uint32_t lineage_ = 0;
  std::uint64_t stamp_ = 0;
  std::vector<Bytes> held_;  // a snapshot, and changes after it
  std::size_t held_bytes_ = 0;
  Changed changed_;
};

/// See above. `State::Watch` has a function for each field.
template <class State>
class View {
 public:
  explicit View(typename State::Watch& watch)
      : watch_(watch), layouts_(State::row()), core_(layouts_, Audience::own_client) {}
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  /// Null: there is none now. It is changed in place; good until the next snapshot.
  const State* state() const { return state_ ? &*state_ : nullptr; }

  /// Of a full state.
  Taken snapshot(ByteView bytes) { return read(bytes, true); }
  /// Of news.
  Taken delta(ByteView bytes) {
    const Taken taken = core_.delta(bytes, state_ ? &*state_ : nullptr);
    if (taken != Taken::ok && taken != Taken::waits) state_.reset();
    return tell(taken);
  }
  /// What has waited is read now. ok, too, if nothing has waited.
  Taken learn(const ServerNames& names) {
    Taken taken = Taken::ok;
    const auto held = core_.release();
    if (!held) return taken;
    if (names.known && !names.same) layouts_.learn(names);
    for (std::size_t at = 0; at < held->size() && taken == Taken::ok; ++at) {
      taken = at == 0 ? read((*held)[at], false) : delta((*held)[at]);
    }
    return taken;
  }

 private:
  Taken read(ByteView bytes, bool may_wait) {
    State fresh{};
    state_.reset();
    const Taken taken = core_.snapshot(bytes, &fresh, may_wait);
    if (taken == Taken::ok) state_ = std::move(fresh);
    return tell(taken);
  }
  Taken tell(Taken taken) {
    const Changed changed = core_.take_changed();
    if (taken == Taken::ok && state_ && changed.any()) watch_.tell(*state_, changed);
    return taken;
  }

  typename State::Watch& watch_;
  Layouts layouts_;
  ViewCore core_;
  std::optional<State> state_;
};

}  // namespace starbus::game
