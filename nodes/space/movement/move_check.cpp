#include "nodes/space/movement/move_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace starbus::nodes::movement {
namespace {

constexpr double kPace = 1 + static_cast<double>(kTolerance) / 1000;

bool is_inside(const MoveRules& rules, const Position& place) {
  return place.x >= rules.min.x && place.x <= rules.max.x && place.y >= rules.min.y &&
         place.y <= rules.max.y && place.z >= rules.min.z && place.z <= rules.max.z;
}

MoveResult<> check_place(const MoveRules& rules, const Position& place) {
  if (auto good = check(place); !good) return good;
  if (!is_inside(rules, place)) return Error(MoveErrc::outside, "position");
  return {};
}

/// ms for that many metres; none at all at speed 0, but for those who stay.
double duration(double metres, double speed) {
  if (metres == 0) return 0;
  return speed > 0 ? metres / speed * 1000 : std::numeric_limits<double>::infinity();
}

}  // namespace

MoveResult<MoveCheck> MoveCheck::create(const MoveRules& rules, const Locomotion& start,
                                        std::uint32_t epoch, std::int64_t now) {
  if (auto good = check(rules); !good) return good.error();
  if (auto good = check(start); !good) return good.error();
  if (auto good = check_place(rules, start.position); !good) return good.error();
  return MoveCheck(rules, start, epoch, now);
}

MoveCheck::MoveCheck(const MoveRules& rules, const Locomotion& start, std::uint32_t epoch,
                     std::int64_t now)
    : rules_(&rules),
      state_(start),
      epoch_(epoch),
      now_(now),
      moved_at_(now),
      credit_(static_cast<double>(rules.jitter.count())),
      reports_(static_cast<double>(kReportsPerSecond)),
      former_until_(now) {
  state_.at = static_cast<std::uint32_t>(now);
}

MoveResult<Judged> MoveCheck::take(const MoveReport& report, std::int64_t now) {
  pass(now);
  if (reports_ < 1) {
    suspicion_.add(Violation::flood, now_);
    return Judged{Verdict::ignored, Violation::flood};
  }
  reports_ -= 1;
  if (report.epoch != epoch_) return of_other_epoch(report);
  if (auto good = check(report.move); !good) {
    suspicion_.add(Violation::malformed, now_);
    return good.error();
  }
  if (since(report.number, number_) <= 0) return Judged{};  // a later one came before it
  number_ = report.number;
  awaiting_ = false;
  const auto allowance = static_cast<double>(rules_->jitter.count());
  if (clock_.take(report.client_ms, now_, allowance) != Stamp::good) {
    return correct(Violation::clock);
  }
  const double cost = cost_of(report.move);
  if (const Violation found = violation_of(report, cost); found != Violation::none) {
    return correct(found);
  }
  accept(report, cost);
  return Judged{Verdict::accepted};
}

void MoveCheck::pass(std::int64_t now) {
  const std::int64_t before = std::exchange(now_, std::max(now_, now));
  const auto passed = static_cast<double>(now_ - before);
  // While a correction is under way the player's reports are ignored: it makes the way of that time
  // with its next one.
  const std::int64_t unheard = awaiting_ ? now_ - begun_ : 0;
  const std::int64_t most =
      rules_->jitter.count() + std::min<std::int64_t>(unheard, kAnswerWait.count());
  credit_ = std::min(credit_ + passed, static_cast<double>(most));
  const auto rate = static_cast<double>(kReportsPerSecond);
  reports_ = std::min(reports_ + passed * rate / 1000, rate);
}

Judged MoveCheck::of_other_epoch(const MoveReport& report) {
  if (since(report.epoch, epoch_) > 0) {
    suspicion_.add(Violation::forged, now_);
    return {Verdict::ignored, Violation::forged};
  }
  const bool late = awaiting_ && now_ - told_at_ >= kCorrectionAgain.count();
  if (!late || tellings_ >= kMaxTellings) return {};
  ++tellings_;
  told_at_ = now_;
  suspicion_.add(Violation::deaf, now_);
  return {Verdict::ignored, Violation::deaf, Correction{epoch_, number_, teleported_, state_}};
}

Violation MoveCheck::violation_of(const MoveReport& report, double cost) const {
  if (report.move.mode >= rules_->modes.size()) return Violation::bad_mode;
  if (!is_inside(*rules_, report.move.position)) return Violation::outside;
  if (cost > credit_) return Violation::too_fast;
  const bool changes =
      report.move.mode != state_.mode || !(report.move.position == state_.position);
  if (changes && rules_->may_go &&
      !rules_->may_go(state_.position, report.move.position, report.move.mode)) {
    return Violation::blocked;
  }
  return Violation::none;
}

double MoveCheck::factor() const {
  return now_ < former_until_ ? std::max(factor_, former_factor_) : factor_;
}

ModeRules MoveCheck::speeds(std::uint8_t mode) const {
  const std::size_t known = std::min<std::size_t>(mode, rules_->modes.size() - 1);
  ModeRules found = rules_->modes[known];
  const auto times = static_cast<float>(factor() * kPace);
  found.speed *= times;
  found.climb *= times;
  found.fall *= times;
  return found;
}

// A move may begin in one mode and end in another: the faster one counts.
double MoveCheck::cost_of(const Locomotion& to) const {
  const ModeRules before = speeds(state_.mode);
  const ModeRules after = speeds(to.mode);
  const Position& a = state_.position;
  const Position& b = to.position;
  const double along = std::hypot(static_cast<double>(b.x) - a.x, static_cast<double>(b.y) - a.y);
  const double up = static_cast<double>(b.z) - a.z;
  const double vertical =
      up > 0 ? std::max(before.climb, after.climb) : std::max(before.fall, after.fall);
  return std::max(duration(along, std::max(before.speed, after.speed)),
                  duration(std::abs(up), vertical));
}

void MoveCheck::accept(const MoveReport& report, double cost) {
  credit_ -= cost;
  remote_.heard(report.client_ms, now_);
  const std::int64_t earliest = now_ - rules_->jitter.count();
  const std::int64_t moved = std::llround(remote_.local_at(report.client_ms));
  moved_at_ = std::max(moved_at_, std::clamp(moved, earliest, now_));
  const std::uint8_t teleports = state_.teleports;
  state_ = report.move;
  state_.teleports = teleports;
  state_.at = static_cast<std::uint32_t>(moved_at_);
  // Others predict with it: a client that lies about it moves nobody further than it may go.
  const ModeRules most = speeds(state_.mode);
  Velocity& v = state_.velocity;
  const float along = std::hypot(v.x, v.y);
  if (along > most.speed) {
    v.x *= most.speed / along;
    v.y *= most.speed / along;
  }
  v.z = std::clamp(v.z, -most.fall, most.climb);
}

void MoveCheck::stop() {
  state_.velocity = {};
  moved_at_ = std::max(moved_at_, now_);
  state_.at = static_cast<std::uint32_t>(moved_at_);
}

Judged MoveCheck::correct(Violation violation) {
  suspicion_.add(violation, now_);
  stop();
  return {Verdict::corrected, violation, begin_epoch(false)};
}

Correction MoveCheck::begin_epoch(bool teleport) {
  ++epoch_;
  awaiting_ = true;
  teleported_ = teleport;
  begun_ = now_;
  told_at_ = now_;
  tellings_ = 1;
  acked_ = number_;
  return {epoch_, number_, teleport, state_};
}

MoveResult<Correction> MoveCheck::teleport(const Position& to, std::int64_t now) {
  if (auto good = check_place(*rules_, to); !good) return good.error();
  pass(now);
  state_.position = to;
  ++state_.teleports;
  stop();
  return begin_epoch(true);
}

void MoveCheck::client_begins(std::int64_t now) {
  pass(now);
  stop();
  number_ = 0;
  clock_ = {};
  remote_ = {};
  static_cast<void>(begin_epoch(true));
}

MoveResult<> MoveCheck::set_factor(double times, std::int64_t now) {
  if (!(times >= 0 && times <= static_cast<double>(kMaxFactor))) {
    return Error(MoveErrc::bad_option, "factor: give 0 to kMaxFactor");
  }
  pass(now);
  // One that goes on being slowed has one grace: the client has heard of the first one by its end.
  const bool graced = now_ < former_until_ && former_factor_ >= factor_;
  if (!graced) {
    former_factor_ = factor_;
    former_until_ = now_ + kSpeedGrace.count();
  }
  factor_ = times;
  return {};
}

std::optional<MoveAck> MoveCheck::ack() {
  if (acked_ == number_) return std::nullopt;
  acked_ = number_;
  return MoveAck{epoch_, number_};
}

}  // namespace starbus::nodes::movement
