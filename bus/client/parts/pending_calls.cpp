#include "bus/client/parts/pending_calls.hpp"

#include <cassert>

#include "bus/client/bus_core.hpp"

namespace starbus::bus {

PendingCalls::PendingCalls(BusContext& context, MessageSender& sender)
    : context_(context), sender_(sender), timer_(context.loop), next_id_(draw_incarnation()) {}

PendingCalls::Id PendingCalls::begin(const CallOptions& options, Done<Bytes> done) {
  const Id id = next_id_++;
  ++started_;
  Pending pending;
  pending.done = std::move(done);
  pending.lane = options.lane;
  pending.deadline = deadlines_.emplace(io::boot_now() + options.deadline, id);
  const bool earliest = pending.deadline == deadlines_.begin();
  calls_.emplace(id, std::move(pending));
  assert(calls_.size() == deadlines_.size());
  if (earliest) arm_timer();
  return id;
}

void PendingCalls::send(Id id, const Name& to, Lineage hint, const Trace& trace, ByteView body) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;  // its deadline passed while it waited for a snapshot
  Envelope envelope;
  envelope.kind = EnvelopeKind::request;
  envelope.call = id;
  envelope.reply_lineage = context_.process.reply_lineage();
  envelope.trace = trace;
  const auto seq =
      sender_.send(to, {found->second.lane, hint, id | kCallToken, {}, {}}, envelope, body);
  if (!seq) return end(id, seq.error());
  found->second.channel = to.id();
  found->second.seq = *seq;
}

std::optional<Lane> PendingCalls::lane_of(Id id) const {
  const auto found = calls_.find(id);
  return found == calls_.end() ? std::nullopt : std::optional(found->second.lane);
}

void PendingCalls::end(Id id, Result<Bytes> result) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;  // ended before, by its deadline
  Pending pending = std::move(found->second);
  deadlines_.erase(pending.deadline);
  calls_.erase(found);
  assert(calls_.size() == deadlines_.size());
  auto show_and_call = [activity = context_.activity, of = context_.names.text_of(pending.channel),
                        done = std::move(pending.done)](Result<Bytes> answer) {
    const ShownName::Scope scope(activity, "answer of ", of);
    done(std::move(answer));
  };
  context_.complete<Bytes>(std::move(show_and_call), std::move(result));
}

void PendingCalls::end_all(const Error& reason) {
  while (!calls_.empty()) end(calls_.begin()->first, reason);
}

void PendingCalls::arm_timer() {
  if (deadlines_.empty() || context_.closed) return;
  const Time left = deadlines_.begin()->first - io::boot_now();
  timer_.expires_after(std::max(left, Time{}));
  timer_.async_wait([this, weak = context_.self](const boost::system::error_code& error) {
    const auto held = weak.lock();
    if (!held || error) return;
    expire();
    arm_timer();
  });
}

void PendingCalls::expire() {
  const Time now = io::boot_now();
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const Id id = deadlines_.begin()->second;
    const Pending& pending = calls_.at(id);
    // The caller has given up: the request should not run late.
    if (pending.seq != 0) {
      context_.process.withdraw(pending.channel, pending.lane, pending.seq);
    }
    ++timed_out_;
    end(id, Error{Errc::deadline, "no reply in time"});
  }
}

void PendingCalls::on_reply(const Delivery& delivery) {
  const auto envelope = decode_envelope(delivery.body);
  if (!envelope) return;
  if (envelope->kind == EnvelopeKind::reply) {
    end(envelope->call, Bytes(envelope->body.begin(), envelope->body.end()));
  } else if (envelope->kind == EnvelopeKind::failure) {
    end(envelope->call, envelope->failure);
  }
}

}  // namespace starbus::bus
