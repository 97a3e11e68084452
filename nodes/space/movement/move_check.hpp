/// Judges what a client reports of its player's movement: one per player, on the server.
///
///   auto check = *MoveCheck::create(rules, start, epoch, now);
///   if (auto judged = check.take(report, now)) {
///     if (judged->correction) tell(*judged->correction);        // so that it arrives
///   } else { log(judged.error()); }                             // no number, or too far
///   if (auto ack = check.ack()) tell(*ack);                     // once per tick; may be lost
///   if (check.suspicion().level(Violation::too_fast, now) > 5) kick();
///
/// The speed has a budget of time: it fills as the server's time passes, holds the jitter allowance
/// of the rules at most, and a move takes from it what its way takes at the highest speed. So late
/// reports that come in one bunch pass, and a client that is a little too fast is found when it has
/// used up the allowance. A violation leaves the player where it was and begins a new epoch: the
/// correction is told once, and reports of earlier epochs, which are still on their way, are
/// ignored. Monsters, which the server moves itself, have no check.
///
/// Sans-IO; used by the loop of its space. `now` is the server's steady clock in ms, the same for
/// all calls; what goes back counts as no time. Refers to rules that it does not own and that must
/// outlive it; they may change between calls, to others that check() accepts. Failures are values.
#pragma once

#include <cstdint>
#include <optional>

#include "nodes/space/movement/client_clock.hpp"
#include "nodes/space/movement/move_report.hpp"
#include "nodes/space/movement/move_rules.hpp"
#include "nodes/space/movement/remote_clock.hpp"
#include "nodes/space/movement/suspicion.hpp"

namespace starbus::nodes::movement {

/// What has become of a report.
enum class Verdict : std::uint8_t {
  accepted,   ///< the player is where it says
  ignored,    ///< it is late, of an earlier epoch, or one too many
  corrected,  ///< the player is where it was, and is to be told so
};

/// The judgement of one report.
struct Judged {
  Verdict verdict = Verdict::ignored;
  Violation violation = Violation::none;
  /// To be told to the client; also with `ignored`, when one is repeated.
  std::optional<Correction> correction = {};
};

class MoveCheck {
 public:
  /// Of a player that enters at `start`. `epoch`: one more than that of the check before, if the
  /// same client may still have reports for that one on their way; 1 otherwise. Errors: bad_option
  /// (the rules), not_finite, too_far, outside.
  static MoveResult<MoveCheck> create(const MoveRules& rules, const Locomotion& start,
                                      std::uint32_t epoch, std::int64_t now);

  /// Judges a report that came at `now`. Errors: not_finite, too_far; such a report changes
  /// nothing, but is counted.
  MoveResult<Judged> take(const MoveReport& report, std::int64_t now);

  /// Sets the player elsewhere. The result must be told to the client. Errors: not_finite, too_far,
  /// outside; nothing is changed then.
  MoveResult<Correction> teleport(const Position& to, std::int64_t now);
  /// Another client plays it from now on, or one that has forgotten all: a new epoch, in which
  /// numbers and clock of reports begin anew. What the client must know is start().
  void client_begins(std::int64_t now);
  /// Multiplies the speeds of all modes: 1 is as the rules say, 0 holds the player fast. A slower
  /// one counts after kSpeedGrace, since the client does not know of it yet. bad_option: not within
  /// 0 and kMaxFactor.
  MoveResult<> set_factor(double times, std::int64_t now);

  /// Where the player is. `at` is when it was there by the server's clock, without the jitter of
  /// the network: at most the jitter allowance before its report came. It never goes back.
  const Locomotion& state() const { return state_; }
  /// What a client that begins, or has lost its state, must know.
  Correction start() const { return {epoch_, number_, true, state_}; }
  /// The number that the client need not keep any longer, if it has changed since the last call.
  std::optional<MoveAck> ack();
  std::uint32_t epoch() const { return epoch_; }
  const Suspicion& suspicion() const { return suspicion_; }
  /// How much time the player has saved up, in ms.
  double credit() const { return credit_; }

 private:
  MoveCheck(const MoveRules& rules, const Locomotion& start, std::uint32_t epoch, std::int64_t now);

  void pass(std::int64_t now);
  Judged of_other_epoch(const MoveReport& report);
  Violation violation_of(const MoveReport& report, double cost) const;
  /// ms that the way takes at the highest speed.
  double cost_of(const Locomotion& to) const;
  double factor() const;
  ModeRules speeds(std::uint8_t mode) const;
  void accept(const MoveReport& report, double cost);
  void stop();
  Judged correct(Violation violation);
  Correction begin_epoch(bool teleport);

  const MoveRules* rules_;
  Locomotion state_;
  std::uint32_t epoch_;
  std::uint32_t number_ = 0;  ///< of the latest report that was looked at
  std::uint32_t acked_ = 0;
  std::int64_t now_;
  std::int64_t moved_at_;  ///< state_.at without wraps
  double credit_;          ///< ms
  double reports_;         ///< that may come now
  double factor_ = 1;
  double former_factor_ = 1;
  std::int64_t former_until_;
  bool awaiting_ = false;     ///< no report of this epoch has come yet
  bool teleported_ = false;   ///< this epoch began so
  std::int64_t begun_ = 0;    ///< when the epoch did
  std::int64_t told_at_ = 0;  ///< the latest time that its correction was told
  std::uint64_t tellings_ = 0;
  ClientClock clock_;
  RemoteClock remote_;
  Suspicion suspicion_;
};

}  // namespace starbus::nodes::movement
