/// The space around a client's subject: what is seen there, and the own player, which moves before
/// the server has answered. docs/guide/game-client.md, section "A space", shows a program.
///
///   game::Space<Keys> space(heroes::seen(), events, client, step);
///   void on_full(const FullState&) override { space.restart(true); }
///   void on_names(const ServerNames& names, ...) override { take(space.learn(names)); }
///   void on_sight(ByteView body) override { take(space.take(body, Client::now())); }
///   void on_call(const Call& call) override { space.hear(call, Client::now()); }
///   space.ready(*space.scene());               // when the program has loaded it
///   space.move(keys, now);                     // each frame that moves
///   space.service(now);                        // each frame
///
/// Owned by the program, used by one thread; the client (a Client or a Session) outlives it. While
/// it is not online nothing is reported: the newest move stands for those before it.
#pragma once

#include "clients/cpp/space/own_move.hpp"
#include "clients/cpp/space/space_view.hpp"
#include "clients/cpp/stubs.hpp"

namespace starbus::game {

/// The methods that every client of a game with spaces knows.
inline constexpr std::uint32_t kReadyMethod = hash_of("starbus_space.ready");
inline constexpr std::uint32_t kReadyTypes = hash_of("(u32)->b");
inline constexpr std::uint32_t kMoveMethod = hash_of("starbus_space.move");
inline constexpr std::uint32_t kMoveTypes =
    hash_of("({u32,u32,u32,{f32,f32,f32,f32,f32,f32,f32,f32,u32,u8,u8,b}})->{u32,u32}");
inline constexpr std::uint32_t kCorrectMethod = hash_of("starbus_space.correct");
inline constexpr std::uint32_t kCorrectTypes =
    hash_of("({u32,u32,b,{f32,f32,f32,f32,f32,f32,f32,f32,u32,u8,u8,b}})");

/// See above. `Input` is what a step needs.
template <class Input>
class Space : public SpaceView {
 public:
  /// `step`: one move of the own player, by the rules of the game; null: move() makes none.
  template <class To>
  Space(std::span<const SeenRow> classes, SpaceEvents& events, To& client, MoveStep<Input> step,
        const ViewOptions& options = {}, const OwnOptions& own = {})
      : SpaceView(classes, events, options),
        events_(events),
        asker_(client),
        is_online_([&client] { return client.state() == State::online; }),
        step_(std::move(step)),
        options_(own) {}

  /// The program has loaded the scene and wants to see it; `told` may be null. Asked again if it is
  /// not `replied`.
  Asked ready(const Scene& scene, std::function<void(const Answered<bool>&)> told = {}) {
    static_cast<void>(begun());
    const bool present = this->scene() != nullptr && scene.number == this->scene()->number;
    const Asked asked =
        asker_.ask<bool, Nothing>(kReadyMethod, kReadyTypes, std::move(told), scene.number);
    if (asked == Asked::ok && present) is_ready_ = true;
    return asked;
  }

  /// Makes a move of the own player, and reports it in time. Null: it has no body here.
  const Locomotion* move(const Input& input, Time now) {
    if (!begun()) return nullptr;
    own_->move.move(input, now);
    service(now);
    return own();
  }
  /// Where the own player is; null: nowhere, or there is no step. Good until the next call.
  const Locomotion* own() { return begun() ? &own_->move.state() : nullptr; }
  /// Where to show it: small corrections are hidden.
  std::optional<Place> own_shown(Time now) {
    if (!begun()) return std::nullopt;
    return own_->move.shown(now);
  }

  /// Of Events::on_call: a correction is taken; all else is `unknown`.
  Heard hear(const Call& call, Time now) {
    if (call.method != kCorrectMethod) return Heard::unknown;
    Correction correction;
    const Heard heard = hear_call<Correction>(call, kCorrectTypes,
                                              [&](const Correction& read) { correction = read; });
    if (heard != Heard::called) return heard;
    if (!is_finite(correction.move)) return Heard::unreadable;
    if (!begun()) return heard;
    const Locomotion from = own_->move.state();
    if (!own_->move.correct(correction, now)) return heard;
    service(now);
    events_.on_corrected(from, own_->move.state(), correction.teleport);
    return heard;
  }

  /// Says what is due of the own player's moves.
  void service(Time now) {
    if (!says()) return;
    const auto report = own_->move.report(now);
    if (!report) return;
    const std::weak_ptr<Own> own = own_;
    const auto told = [own](const Answered<MoveAck>& answered) {
      const auto still = own.lock();
      if (!still) return;
      --still->open;
      if (answered) still->move.ack(*answered.value);
    };
    const Asked asked = asker_.ask<MoveAck, Nothing>(kMoveMethod, kMoveTypes, told, *report);
    if (asked == Asked::ok) {
      ++own_->open;
    } else {
      own_->move.keep(*report);
    }
  }
  /// When service() has something to do; Time::max(): after the next move, or answer.
  Time due_at() { return says() ? own_->move.due_at() : Time::max(); }

 private:
  struct Own {
    OwnMove<Input> move;
    std::size_t open = 0;  // reports without an answer
  };
  bool says() { return begun() && is_ready_ && own_->open < kReportsOpen && is_online_(); }
  /// Whether there is an own player in the present scene, which is made when it is first wanted.
  bool begun() {
    if (turn() == turn_) return own_ != nullptr;
    turn_ = turn();
    if (own_) number_ = own_->move.number();
    own_.reset();
    is_ready_ = false;
    const Scene* const present = scene();
    if (present == nullptr || !present->move || !step_) return false;
    const Correction start{present->epoch, number_, true, *present->move};
    own_ = std::make_shared<Own>(Own{OwnMove<Input>(start, step_, options_)});
    return true;
  }

  SpaceEvents& events_;
  Asker asker_;
  std::function<bool()> is_online_;
  MoveStep<Input> step_;
  OwnOptions options_;
  std::shared_ptr<Own> own_;
  std::uint64_t turn_ = 0;    // that own_ belongs to
  std::uint32_t number_ = 0;  // of the latest report, through all scenes
  bool is_ready_ = false;
};

}  // namespace starbus::game
