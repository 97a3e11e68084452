/// The own player: its moves are shown at once, kept until the server has answered them, and
/// reported not more often than the server needs. Sans-IO: the clock, which never goes back, comes
/// with each call. Owned by its caller; one thread. What the game's step throws changes nothing.
#pragma once

#include <optional>

#include "clients/cpp/server_clock.hpp"
#include "clients/cpp/space/replay.hpp"
#include "clients/cpp/space/shown_offset.hpp"

namespace starbus::game {

/// How the own player is shown, and spoken of.
struct OwnOptions {
  OffsetOptions offset{};
  milliseconds report_time = kReportTime;  ///< between two reports
};

/// See above.
template <class Input>
class OwnMove {
 public:
  OwnMove(const Correction& start, MoveStep<Input> step, const OwnOptions& options = {})
      : options_(options), replay_(start, std::move(step)), offset_(options.offset) {}

  /// Where the player is, corrections included.
  const Locomotion& state() const { return replay_.state(); }
  /// Where to show it: small corrections are hidden.
  Place shown(Time now) {
    pass(now);
    return offset_.shown(state().position);
  }
  /// Moves without an answer.
  std::size_t pending() const { return replay_.pending(); }
  /// Of the latest report, for a later start.
  std::uint32_t number() const { return replay_.number(); }

  /// Makes a move; a report of it is due in time.
  const Locomotion& move(const Input& input, Time now) {
    unsaid_ = replay_.move(input, ms_of(now));
    return state();
  }
  void ack(const MoveAck& ack) { replay_.ack(ack); }
  /// False: it is not newer than the one applied.
  bool correct(const Correction& correction, Time now) {
    const Place from = state().position;
    if (!replay_.correct(correction)) return false;
    pass(now);
    if (correction.teleport) {
      offset_ = ShownOffset(options_.offset);
    } else {
      offset_.corrected(from, state().position);
    }
    // What was made again is said, as no other move may follow.
    unsaid_.reset();
    if (pending() > 0) unsaid_ = replay_.report(ms_of(now));
    return true;
  }

  /// When report() has something; Time::max(): after the next move.
  Time due_at() const { return unsaid_ ? say_at_ : Time::max(); }
  /// It could not be said: it is due again, unless a later one stands for it.
  void keep(const MoveReport& report) {
    if (!unsaid_) unsaid_ = report;
  }
  /// What is to be said now; it counts as said.
  std::optional<MoveReport> report(Time now) {
    if (now < due_at()) return std::nullopt;
    say_at_ = now + options_.report_time;
    return std::exchange(unsaid_, std::nullopt);
  }

 private:
  static std::uint32_t ms_of(Time now) { return static_cast<std::uint32_t>(now.count()); }
  void pass(Time now) {
    if (shown_at_ && now > *shown_at_) {
      offset_.pass(static_cast<float>((now - *shown_at_).count()));
    }
    shown_at_ = now;
  }

  OwnOptions options_;
  MoveReplay<Input> replay_;
  ShownOffset offset_;
  std::optional<Time> shown_at_;
  std::optional<MoveReport> unsaid_;  // a later one stands for those before it
  Time say_at_ = Time::min();
};

}  // namespace starbus::game
