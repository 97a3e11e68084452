/// The client's own player, shown before the server has answered: moves that are kept until they
/// are acknowledged, and made again after a correction. docs/guide/movement.md, "MoveReplay".
///
///   MoveReplay<Keys> replay(start, [](const Locomotion& from, const Keys& keys) { ... });
///   say(replay.move(keys, clock_ms));       // each frame that moves, or each few of them
///   replay.ack(ack);                        // when the server says so
///   replay.correct(correction);             // nothing is said again for what is made again
///
/// `Input` is what a step needs, its duration included: copied, and kept for kMovesPending moves at
/// most. The step belongs to the game; it must give the same for the same arguments, or corrections
/// end elsewhere than the client shows. Sans-IO; used by one thread. Cannot fail, but by what the
/// step throws: nothing is changed then.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "clients/cpp/limits.hpp"
#include "clients/cpp/space/locomotion.hpp"

namespace starbus::game {

/// One move of the own player, by the rules of the game.
template <class Input>
using MoveStep = std::function<Locomotion(const Locomotion& from, const Input& input)>;

/// See above.
template <class Input>
class MoveReplay {
 public:
  MoveReplay(const Correction& start, MoveStep<Input> step)
      : step_(std::move(step)), state_(start.move), epoch_(start.epoch), number_(start.number) {}

  /// Makes a move, and returns what is to be said of it. `client_ms` is a steady clock, whose wraps
  /// do no harm; two moves of one millisecond are a millisecond apart in the reports.
  MoveReport move(const Input& input, std::uint32_t client_ms) {
    const Locomotion next = step_(state_, input);
    // A server that has not answered so many moves will not correct one of them any more.
    if (pending_.size() >= kMovesPending) pending_.clear();
    pending_.push_back({number_ + 1, input});
    state_ = next;
    return report(client_ms);
  }
  /// What is to be said without a move: after a correction, to a server that would not hear of what
  /// was made again if the player stands still from then on.
  MoveReport report(std::uint32_t client_ms) {
    ++number_;
    if (moved_ && since(client_ms, client_ms_) <= 0) client_ms = client_ms_ + 1;
    client_ms_ = client_ms;
    moved_ = true;
    return {epoch_, number_, client_ms_, state_};
  }

  /// Forgets the move of that number and those before it. A number that is not pending, and an ack
  /// of another epoch, change nothing.
  void ack(const MoveAck& ack) {
    if (ack.epoch == epoch_ && is_pending(ack.number)) forget(ack.number);
  }

  /// Takes the server's state, and makes the moves again that it has not looked at. False: it is
  /// not newer than the one applied, and changes nothing.
  bool correct(const Correction& correction) {
    if (since(correction.epoch, epoch_) <= 0) return false;
    Locomotion state = correction.move;
    for (const Pending& pending : pending_) {
      if (correction.teleport || since(pending.number, correction.number) <= 0) continue;
      state = step_(state, pending.input);
    }
    if (correction.teleport) pending_.clear();
    forget(correction.number);
    state_ = state;
    epoch_ = correction.epoch;
    if (since(correction.number, number_) > 0) number_ = correction.number;
    return true;
  }

  /// Where the player is, as its client shows it.
  const Locomotion& state() const { return state_; }
  std::size_t pending() const { return pending_.size(); }
  std::uint32_t epoch() const { return epoch_; }
  /// Of the latest report.
  std::uint32_t number() const { return number_; }

 private:
  struct Pending {
    std::uint32_t number;
    Input input;
  };
  bool is_pending(std::uint32_t number) const {
    return !pending_.empty() && since(number, pending_.front().number) >= 0 &&
           since(number, number_) <= 0;
  }
  void forget(std::uint32_t number) {
    const auto kept = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& pending) {
      return since(pending.number, number) > 0;
    });
    pending_.erase(pending_.begin(), kept);
  }

  MoveStep<Input> step_;
  Locomotion state_;
  std::uint32_t epoch_;
  std::uint32_t number_;
  std::uint32_t client_ms_ = 0;
  bool moved_ = false;
  std::vector<Pending> pending_;  // in order of their numbers
};

}  // namespace starbus::game
