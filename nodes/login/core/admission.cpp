#include "nodes/login/core/admission.hpp"

#include <algorithm>
#include <cmath>

namespace starbus::nodes::login {
namespace {

constexpr std::uint64_t kKnownTurns = 4;     // of so many looks one is for the others
constexpr double kPaceTime = 30'000;         // ms over which the pace is smoothed
constexpr double kLongestEstimate = 86'400;  // seconds

std::uint32_t in_ms(Time time) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(time.count(), 0, 0xffff'ffff));
}

}  // namespace

// --- before the proof is looked at ---------------------------------------------------------------

AttemptId Admission::begin(const std::string& account, const Address& address, Now now,
                           Effects& effects, std::size_t lane) {
  const AttemptId id = next_++;
  ++counts_.begun;
  const Trier trier{account, near_of(address)};
  if (auto refused = refused_at_once(trier, address, now)) {
    refused->id = id;
    ++counts_.refused;
    effects.emplace_back(*std::move(refused));
    return id;
  }
  Attempt& attempt = attempts_[id];
  attempt.trier = trier;
  attempt.lane = lane;
  attempt.known = guesses_.known(trier);
  const Time delay = guesses_.delay(trier, now.steady);
  if (delay > Time(0)) {
    ++counts_.delayed;
    set_due(id, attempt, State::delayed, now.steady + delay);
  } else {
    ready(id, attempt, now);
    look(lanes_.at(lane), now, effects);
  }
  return id;
}

/// In the order of what they cost; counts the attempt as under way if it is not refused.
std::optional<Refuse> Admission::refused_at_once(const Trier& trier, const Address& address,
                                                 Now now) {
  if (const auto ban = bans_.of(address, now.wall)) {
    return Refuse{0, CloseReason::banned, 0, to_text(*ban)};
  }
  if (const Time wait = rates_.take(address, now.steady); wait > Time(0)) {
    return Refuse{0, CloseReason::too_many, in_ms(wait), "too many logins from this address"};
  }
  // Whose account is not known yet may come back, or have a place.
  if (queue_.full() && !trier.account.empty() && !accounts_.contains(trier.account)) {
    return Refuse{0, CloseReason::full, in_ms(spread(kRetryFull)), "the login queue is full"};
  }
  if (!under_way_.begin(trier, guesses_.known(trier))) {
    return Refuse{0, CloseReason::too_many, in_ms(spread(kRetryLater)),
                  "too many logins under way"};
  }
  return std::nullopt;
}

void Admission::set_due(AttemptId id, Attempt& attempt, State state, Time due) {
  clear_due(id, attempt);
  attempt.state = state;
  attempt.due = due;
  due_.emplace(due, id);
}

void Admission::clear_due(AttemptId id, const Attempt& attempt) {
  due_.erase({attempt.due, id});
}

void Admission::ready(AttemptId id, Attempt& attempt, Now now) {
  set_due(id, attempt, State::ready, now.steady + kLookWait);
  lanes_.at(attempt.lane).waiting(attempt.known).insert(id);
}

/// Known players first, but not always: a flood of either kind does not starve the other.
void Admission::look(Lane& lane, Now now, Effects& effects) {
  while (lane.looking < options_.looking_at_once && !(lane.known.empty() && lane.others.empty())) {
    const bool turn_of_others = lane.looks % kKnownTurns == kKnownTurns - 1;
    const bool others = lane.known.empty() || (!lane.others.empty() && turn_of_others);
    std::set<AttemptId>& from = lane.waiting(!others);
    const AttemptId id = *from.begin();
    from.erase(from.begin());
    ++lane.looks;
    ++lane.looking;
    set_due(id, attempts_.at(id), State::looking, now.steady + kLookTime);
    effects.emplace_back(Look{id});
  }
}

// --- the verdict ---------------------------------------------------------------------------------

void Admission::judged(AttemptId id, const Verdict& verdict, Now now, Effects& effects) {
  const auto found = attempts_.find(id);
  if (found == attempts_.end() || found->second.state != State::looking) return;
  Attempt& attempt = found->second;
  Lane& lane = lanes_.at(attempt.lane);
  const bool left = attempt.left;
  stop_looking(found);
  if (verdict.kind == Verdict::Kind::wrong) {
    ++counts_.wrong;
    guesses_.wrong(attempt.trier, now.steady);
  } else if (verdict.kind == Verdict::Kind::right) {
    guesses_.right(attempt.trier);
  }
  const auto ban = bans_.of(verdict.account, now.wall);
  if (left) {
    forget(id);
  } else if (verdict.kind == Verdict::Kind::wrong) {
    const std::string text = "the account or its proof is wrong";
    refuse(id, CloseReason::denied, Time(0), verdict.text.empty() ? text : verdict.text, effects);
  } else if (verdict.kind == Verdict::Kind::stale) {
    refuse(id, CloseReason::token, Time(0), verdict.text, effects);
  } else if (verdict.kind == Verdict::Kind::later || verdict.account.empty()) {
    refuse(id, CloseReason::later, spread(kRetryLater), verdict.text, effects);
  } else if (verdict.kind == Verdict::Kind::banned || ban) {
    refuse(id, CloseReason::banned, Time(0), ban ? to_text(*ban) : verdict.text, effects);
  } else if (verdict.login != 0) {
    attempt.account = verdict.account;
    come_back(id, verdict.login, now, effects);
  } else {
    attempt.account = verdict.account;
    proved(id, now, effects);
  }
  look(lane, now, effects);
}

void Admission::stop_looking(Attempts::iterator found) {
  clear_due(found->first, found->second);
  --lanes_.at(found->second.lane).looking;
  under_way_.end(found->second.trier, found->second.known);
  found->second.state = State::queued;  // or it ends now
}

/// The later of two logins of one account wins, once both are proved: before, it could be anybody.
/// It has the place of the earlier one.
void Admission::proved(AttemptId id, Now now, Effects& effects) {
  const std::string& account = attempts_.at(id).account;
  const auto earlier = accounts_.find(account);
  if (earlier == accounts_.end()) {
    if (!queue_.join(id, now.steady)) {
      refuse(id, CloseReason::full, spread(kRetryFull), "the login queue is full", effects);
      return;
    }
    accounts_.emplace(account, id);
    enter(now, effects);
    if (queue_.contains(id)) tell(id, queue_.ahead(id), now.steady, effects);
    return;
  }
  const AttemptId before = earlier->second;
  earlier->second = id;
  if (queue_.contains(before)) {
    const bool present = queue_.present(before);
    queue_.replace(before, id, now.steady);
    if (present) {
      refuse(before, CloseReason::replaced, Time(0), "a later login plays", effects);
    } else {
      attempts_.erase(before);
    }
    enter(now, effects);
    if (queue_.contains(id)) tell(id, queue_.ahead(id), now.steady, effects);
  } else {
    refuse(before, CloseReason::replaced, Time(0), "a later login plays", effects);
    ask_number(id, now, effects);
  }
}

/// Whoever was in a moment ago does not queue again: the death of a gate is not the player's fault,
/// and clients spread their return. It counts as one who enters, so others wait for it. A login
/// that is under way is left alone: the account judges which is the later.
void Admission::come_back(AttemptId id, std::uint64_t login, Now now, Effects& effects) {
  places_.enter(now.steady);
  ++counts_.admitted;
  effects.emplace_back(Admit{id, attempts_.at(id).account, login});
  forget(id);
}

// --- the queue, and what follows -----------------------------------------------------------------

void Admission::enter(Now now, Effects& effects) {
  for (std::size_t i = 0; i < kStepsAtOnce && queue_.anybody() && places_.take(now.steady); ++i) {
    count_entry(now.steady);
    ask_number(*queue_.admit(), now, effects);
  }
}

void Admission::ask_number(AttemptId id, Now now, Effects& effects) {
  Attempt& attempt = attempts_.at(id);
  set_due(id, attempt, State::numbering, now.steady + kNumberTime);
  effects.emplace_back(Number{id, attempt.account});
}

void Admission::numbered(AttemptId id, std::optional<std::uint64_t> login, Now now,
                         Effects& effects) {
  const auto found = attempts_.find(id);
  if (found == attempts_.end() || found->second.state != State::numbering) return;
  if (!login) {
    places_.give_back();
    refuse(id, CloseReason::later, spread(kRetryLater), "the account is not there yet", effects);
    enter(now, effects);
    return;
  }
  ++counts_.admitted;
  effects.emplace_back(Admit{id, found->second.account, *login});
  forget(id);
}

void Admission::gone(AttemptId id, Now now) {
  const auto found = attempts_.find(id);
  if (found == attempts_.end()) return;
  Attempt& attempt = found->second;
  if (attempt.state == State::looking) {
    attempt.left = true;
  } else if (attempt.state == State::queued) {
    queue_.gone(id, now.steady);
  } else {
    if (attempt.state == State::numbering) places_.give_back();
    forget(id);
  }
}

void Admission::step(Now now, Effects& effects) {
  step_due(now, effects);
  step_queue(now, effects);
  enter(now, effects);
  for (Lane& lane : lanes_) look(lane, now, effects);
}

void Admission::step_queue(Now now, Effects& effects) {
  const LoginQueue::Step step = queue_.step(now.steady);
  for (const AttemptId id : step.left) forget(id);
  for (const AttemptId id : step.expired) {
    refuse(id, CloseReason::later, spread(kRetryLater), "no place came free in hours", effects);
  }
  for (const auto& [id, ahead] : step.tells) tell(id, ahead, now.steady, effects);
}

void Admission::step_due(Now now, Effects& effects) {
  for (std::size_t i = 0; i < kStepsAtOnce && !due_.empty() && due_.begin()->first <= now.steady;
       ++i) {
    overdue(due_.begin()->second, now, effects);
  }
}

void Admission::overdue(AttemptId id, Now now, Effects& effects) {
  Attempt& attempt = attempts_.at(id);
  switch (attempt.state) {
    case State::delayed:
      ready(id, attempt, now);
      return;
    case State::ready:
      refuse(id, CloseReason::later, spread(kRetryLater), "too many proofs to look at", effects);
      return;
    case State::looking: {
      const bool left = attempt.left;
      stop_looking(attempts_.find(id));
      if (left) return forget(id);
      refuse(id, CloseReason::later, spread(kRetryLater), "the proof could not be checked",
             effects);
      return;
    }
    case State::numbering:
      places_.give_back();
      refuse(id, CloseReason::later, spread(kRetryLater), "the account does not answer", effects);
      return;
    case State::queued:
      return;
  }
}

std::optional<Time> Admission::next(Now now) {
  std::optional<Time> next = queue_.next();
  const auto at = [&next](Time time) { next = next ? std::min(*next, time) : time; };
  if (!due_.empty()) at(due_.begin()->first);
  if (queue_.anybody()) {
    if (const auto place = places_.next(now.steady)) at(*place);
  }
  return next;
}

// --- ends ----------------------------------------------------------------------------------------

void Admission::tell(AttemptId id, std::uint64_t ahead, Time now, Effects& effects) {
  const double pace = pace_ * std::exp(-static_cast<double>((now - paced_).count()) / kPaceTime);
  const double seconds = pace <= 0 ? 0 : std::ceil(static_cast<double>(ahead + 1) / pace);
  const bool known = seconds > 0 && seconds <= kLongestEstimate;
  effects.emplace_back(Tell{id, ahead, known ? static_cast<std::uint32_t>(seconds) : 0});
}

void Admission::refuse(AttemptId id, CloseReason reason, Time retry, std::string text,
                       Effects& effects) {
  ++counts_.refused;
  effects.emplace_back(Refuse{id, reason, in_ms(retry), std::move(text)});
  forget(id);
}

/// Whatever it waits for, but for a verifier.
void Admission::forget(AttemptId id) {
  const auto found = attempts_.find(id);
  Attempt& attempt = found->second;
  clear_due(id, attempt);
  if (attempt.state == State::delayed || attempt.state == State::ready) {
    lanes_.at(attempt.lane).waiting(attempt.known).erase(id);
    under_way_.end(attempt.trier, attempt.known);
  }
  queue_.leave(id);
  // Unless a later login has the account.
  const auto account = accounts_.find(attempt.account);
  if (account != accounts_.end() && account->second == id) accounts_.erase(account);
  attempts_.erase(found);
}

void Admission::count_entry(Time now) {
  pace_ = pace_ * std::exp(-static_cast<double>((now - paced_).count()) / kPaceTime) +
          1'000 / kPaceTime;
  paced_ = now;
}

/// Between `least` and twice as long: those who are refused together do not come back together.
Time Admission::spread(Time least) {
  chance_ ^= chance_ << 13;
  chance_ ^= chance_ >> 7;
  chance_ ^= chance_ << 17;
  return least +
         Time(static_cast<std::int64_t>(chance_ % static_cast<std::uint64_t>(least.count() + 1)));
}

AdmissionCounts Admission::counts() const {
  AdmissionCounts counts = counts_;
  counts.queued = queue_.size();
  counts.attempts = attempts_.size() - counts.queued;
  counts.rows =
      attempts_.size() + accounts_.size() + due_.size() + under_way_.rows() + queue_.size();
  for (const Lane& lane : lanes_) {
    counts.looking += lane.looking;
    counts.rows += lane.known.size() + lane.others.size();
  }
  return counts;
}

}  // namespace starbus::nodes::login
