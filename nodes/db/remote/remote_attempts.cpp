/// How a RemoteDatabase sends, loses and repeats.
#include <algorithm>
#include <utility>

#include "nodes/db/remote/remote_database.hpp"

namespace starbus::nodes::db {
namespace {

/// Whether the error proves that the call was not handled. Stricter than the table's Retry::later,
/// which also has errors of links: a call may have run before its link ended.
bool never_ran(const bus::Error& error) {
  switch (error.code.in<bus::Errc>()) {
    case bus::Errc::no_owner:
    case bus::Errc::would_block:
    case bus::Errc::unreachable:
    case bus::Errc::denied:
    case bus::Errc::too_large:
    case bus::Errc::bad_name:
    case bus::Errc::no_handler:
      return true;
    default:
      return false;
  }
}

/// Whether another attempt can reach the database. A node that starts has no handler yet.
bool may_pass(const bus::Error& error) {
  return retry_of(error.code) != Retry::never || error == bus::Errc::no_handler;
}

/// Names what the bus said of the latest attempt as the cause. outcome_unknown has none: no_owner
/// would say that nothing was done, and an earlier attempt may have been carried out.
Error unavailable(const bus::Error& error) {
  return Error(Errc::unavailable, error.to_string()).because_of(error.code);
}

/// Whether to ask again a node that answered with this: it has too much to do, or ends and will be
/// started again. Others of Retry::later (store_full, index_building) are for the caller to decide.
bool is_passing(const Error& error) {
  return error == Errc::busy || error == Errc::stopped || error == Errc::closed ||
         error == Errc::outcome_unknown;
}

}  // namespace

RemoteDatabase::Milliseconds RemoteDatabase::left_of(const Pending& pending) const {
  return pending.born + options_.deadline - link_->now();
}

/// Sends what may be on its way.
void RemoteDatabase::pump() {
  while (!resting_ && !ready_.empty()) {
    const auto next = pending_.find(*ready_.begin());
    const std::size_t bytes = next->second.arguments.size();
    if (flight_bytes_ != 0 && flight_bytes_ + bytes > kFlightBytes) return;
    const Milliseconds left = left_of(next->second);
    if (left <= Milliseconds(0)) return rest();
    send(next->first, next->second, left);
  }
}

void RemoteDatabase::send(std::uint64_t number, Pending& pending, Milliseconds left) {
  ++counters_.sent;
  ready_.erase(number);
  pending.in_flight = true;
  flight_bytes_ += pending.arguments.size();
  std::uint64_t age_ms = pending.age_ms;
  if (pending.maybe_done) {
    age_ms += static_cast<std::uint64_t>((link_->now() - pending.born).count()) + 1;
  }
  bus::Bytes body = encode_head(options_.database, age_ms);
  body.insert(body.end(), pending.arguments.begin(), pending.arguments.end());
  link_->call(body, std::min(left, kAttempt),
              [this, weak = std::weak_ptr(alive_), number,
               attempt = ++pending.attempt](const bus::Result<bus::Bytes>& result) {
                if (!weak.expired()) replied(number, attempt, result);
              });
}

/// An attempt has ended.
void RemoteDatabase::landed(std::uint64_t number, Pending& pending) {
  pending.in_flight = false;
  flight_bytes_ -= pending.arguments.size();
  ready_.insert(number);
}

/// The answer to an earlier attempt is ignored: the later one may still be carried out, and then a
/// refusal of the earlier one would be a lie.
void RemoteDatabase::replied(std::uint64_t number, std::uint64_t attempt,
                             const bus::Result<bus::Bytes>& result) {
  const auto at = pending_.find(number);
  if (at == pending_.end() || attempt != at->second.attempt || !at->second.in_flight) return;
  landed(number, at->second);
  const std::weak_ptr<char> weak = alive_;
  if (!result) {
    lost(at, result.error());
  } else if (const auto verdicted = decode_verdict(*result)) {
    judge(at, *verdicted);
  } else {
    const Errc code = at->second.changes ? Errc::outcome_unknown : Errc::unavailable;
    end(at, Error(code, "malformed reply"));
  }
  if (!weak.expired()) pump();
}

void RemoteDatabase::judge(Queue::iterator at, const Verdicted& verdicted) {
  Pending& pending = at->second;
  if (verdicted.verdict == Verdict::refused && is_passing(verdicted.error)) {
    pending.maybe_done |= verdicted.error == Errc::outcome_unknown;
    pending.reason = verdicted.error;
    return rest();
  }
  pause_ = kRepeatFirst;
  ++counters_.answered;
  if (verdicted.verdict == Verdict::refused) return end(at, verdicted.error);
  end(at, verdicted.answer);
}

void RemoteDatabase::lost(Queue::iterator at, const bus::Error& error) {
  Pending& pending = at->second;
  pending.maybe_done |= !never_ran(error);
  if (pending.reason == Errc::ok || pending.reason == Errc::unavailable) {
    pending.reason = unavailable(error);
  }
  rest();
  if (may_pass(error)) return;
  const bool unknown = pending.changes && pending.maybe_done && error.code != bus::Errc::too_large;
  ++counters_.failed;
  if (error.code == bus::Errc::too_large) return end(at, Error(Errc::too_large, error.to_string()));
  end(at, unknown ? Error(Errc::outcome_unknown, error.to_string()) : unavailable(error));
}

/// Nothing is sent for a while.
void RemoteDatabase::rest() {
  if (std::exchange(resting_, true)) return;
  link_->wake_in(pause_, [this, weak = std::weak_ptr(alive_)] {
    if (!weak.expired() && resting_) resume();
  });
  pause_ = std::min(2 * pause_, kRepeatLongest);
}

void RemoteDatabase::resume() {
  resting_ = false;
  std::vector<Pending> expired;
  for (auto at = pending_.begin(); at != pending_.end();) {
    if (left_of(at->second) > Milliseconds(0)) break;
    const auto old = at++;
    if (!old->second.in_flight) expired.push_back(remove(old));
  }
  pump();
  end_all(std::move(expired));
}

/// Requests on their way to an earlier owner have no answer any more.
void RemoteDatabase::owner_changed(bool first) {
  if (first && !resting_) return;
  if (!first) {
    for (auto& [number, pending] : pending_) {
      if (!pending.in_flight) continue;
      pending.maybe_done = true;
      landed(number, pending);
    }
  }
  pause_ = kRepeatFirst;
  if (!pending_.empty()) resume();
}

/// A callback may end this object.
void RemoteDatabase::end_all(std::vector<Pending> expired) {
  const std::weak_ptr<char> weak = alive_;
  for (Pending& pending : expired) {
    if (weak.expired()) return;
    ++counters_.failed;
    const bool unknown = pending.changes && pending.maybe_done;
    Error reason = std::move(pending.reason);
    if (unknown) reason = {Errc::outcome_unknown, reason.detail};
    if (reason == Errc::ok) reason = {Errc::unavailable, "no answer in time"};
    pending.end(reason, pending.maybe_done);
  }
}

/// And lets go what waited for it.
RemoteDatabase::Pending RemoteDatabase::remove(Queue::iterator at) {
  for (const std::string& key : at->second.keys) {
    const auto found = by_key_.find(key);
    auto& queue = found->second;
    const bool was_first = queue.front() == at->first;
    std::erase(queue, at->first);
    if (queue.empty()) {
      by_key_.erase(found);
    } else if (was_first && --pending_.at(queue.front()).behind == 0) {
      ready_.insert(queue.front());
    }
  }
  ready_.erase(at->first);
  Pending pending = std::move(at->second);
  pending_bytes_ -= pending.arguments.size();
  pending_.erase(at);
  return pending;
}

void RemoteDatabase::end(Queue::iterator at, const Result<bus::ByteView>& result) {
  const Pending pending = remove(at);
  pending.end(result, pending.maybe_done);
}

}  // namespace starbus::nodes::db
