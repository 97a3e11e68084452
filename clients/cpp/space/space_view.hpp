/// What a client sees of the space around its subject: who is there, with properties and places.
/// docs/guide/game-client.md, section "A space", shows a program. Space (space.hpp) joins it to a
/// client, and moves the own player.
///
///   game::SpaceView view(heroes::seen(), events);
///   void on_full(const FullState&) override { view.restart(true); }
///   void on_names(const ServerNames& names, ...) override { take(view.learn(names)); }
///   void on_sight(ByteView body) override { take(view.take(body, now)); }
///
/// Sans-IO; owned by the program, used by one thread. A body that does not fit is not taken, and
/// ends the view until the next scene: Client::refresh() brings a full state, after which one
/// comes.
#pragma once

#include <functional>
#include <map>
#include <span>

#include "clients/cpp/server_clock.hpp"
#include "clients/cpp/space/remote_clock.hpp"
#include "clients/cpp/space/seen.hpp"

namespace starbus::game {

/// What the program hears. All of a body has been taken by then. Not to throw, nor to take bytes.
class SpaceEvents {
 public:
  SpaceEvents() = default;
  SpaceEvents(const SpaceEvents&) = delete;
  SpaceEvents& operator=(const SpaceEvents&) = delete;
  virtual ~SpaceEvents() = default;

  /// Whoever was seen is gone. Null: nothing is known until the next scene.
  virtual void on_scene(const Scene*) {}
  virtual void on_entered(const Seen&) {}
  /// Its properties are others, by the places of the fields in their row.
  virtual void on_changed(const Seen&, const Changed&) {}
  /// It is destroyed after this.
  virtual void on_left(const Seen&) {}
  /// The server has set the own player elsewhere: at once, or by a correction of its moves. Of a
  /// Space alone.
  virtual void on_corrected(const Locomotion& /*from*/, const Locomotion& /*to*/,
                            bool /*teleport*/) {}
};

/// How a space is shown.
struct ViewOptions {
  SnapshotOptions shown{};
  std::optional<milliseconds> delay{};  ///< that movers are shown late by; nullopt: two ticks
};

/// See above.
class SpaceView {
 public:
  /// `classes`: seen() of generated code. Both outlive it.
  SpaceView(std::span<const SeenRow> classes, SpaceEvents& events, const ViewOptions& options = {});
  SpaceView(const SpaceView&) = delete;
  SpaceView& operator=(const SpaceView&) = delete;

  /// Null before the first, and from a full state to the next one.
  const Scene* scene() const { return scene_ ? &*scene_ : nullptr; }
  /// The one with that index; null: not in sight.
  const Seen* at(std::uint16_t index) const;
  /// Calls `show` for all that are in sight.
  void each(const std::function<void(const Seen&)>& show) const;
  std::size_t size() const { return seen_.size(); }
  /// Server time in ms at `now`, less what the fastest message took; 0 before the first scene.
  double server_time(Time now) const { return clock_.remote_at(now.count()); }
  /// The server time of what is to be shown at `now`: the delay makes movers go evenly.
  double shown_time(Time now) const;

  /// Counts scenes, those that have ended without another one, too: another number, another scene.
  std::uint64_t turn() const { return turn_; }

  /// A full state has come: nothing is known until the next scene. `names`: those of the server
  /// follow (Settings::names), and properties of another schema wait for them.
  void restart(bool names);
  /// Takes the names of the server. As take().
  Taken learn(const ServerNames& names);
  /// A body of sight that came at `now`. After all but `ok` the view has ended, and a full state is
  /// needed: malformed, gap, desync.
  Taken take(ByteView body, Time now);

 private:
  using All = std::map<std::uint16_t, std::unique_ptr<Seen>>;
  /// What is to be told when all is taken.
  struct Told {
    enum class What : std::uint8_t { scene, entered, changed, left } what;
    const Seen* seen = nullptr;
    Changed changed{};
  };
  class Taking;
  Taken end(Taken why);
  void tell(const std::vector<Told>& all);
  std::size_t held_bytes() const;

  std::map<std::string_view, SeenClass> classes_;
  SpaceEvents& events_;
  ViewOptions options_;
  bool waits_ = false;  // the names of the server are not known yet
  std::optional<Scene> scene_;
  std::uint64_t turn_ = 0;
  All seen_;
  std::vector<std::unique_ptr<Seen>> gone_;  // until it is told
  RemoteClock clock_;
  std::uint32_t time_ = 0;  // the latest of the server that was told
};

}  // namespace starbus::game
