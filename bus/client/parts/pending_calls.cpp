#include "bus/client/parts/pending_calls.hpp"

#include <cassert>

#include "bus/client/bus_core.hpp"
#include "bus/io/draws.hpp"

namespace starbus::bus {
namespace {

/// Codes of starbus' own domains as a handler reported them: those of domain D are of this plus D,
/// where no table is, so that they compare equal to nothing that the bus says.
constexpr std::uint16_t kReportedDomains = 500;
constexpr std::uint16_t kProgramDomains = 1'000;

Code as_reported(Code code) {
  if (code.domain() >= kReportedDomains) return code;
  return {static_cast<std::uint16_t>(code.domain() + kReportedDomains), code.number()};
}

CallNumbers::Key draw_key() {
  CallNumbers::Key key{};
  io::fill_random(key);
  return key;
}

/// How a call ends that its callee has failed. The library's own word is its word; a handler's, and
/// that of a release before 1.2 unless it may be the library's, is what the handler reported.
Error failure_of(const Envelope& envelope) {
  Error error = envelope.failure;
  Code reported = envelope.reported;
  if (reported.is_ok()) {
    if (error == Errc::no_handler || error == Errc::handler_failed) return error;
    reported = error.code;
  }
  error.code = Errc::handler_failed;
  if (reported != Code(Errc::handler_failed)) error.cause = as_reported(reported);
  return error;
}

}  // namespace

Code reported_code(const Error& error) {
  if (error.code != Code(Errc::handler_failed)) return {};
  if (error.cause.is_ok()) return error.code;
  const std::uint16_t domain = error.cause.domain();
  if (domain < kReportedDomains || domain >= kProgramDomains) return error.cause;
  return {static_cast<std::uint16_t>(domain - kReportedDomains), error.cause.number()};
}

PendingCalls::PendingCalls(BusContext& context, MessageSender& sender)
    : context_(context), sender_(sender), timer_(context.loop), numbers_(draw_key()) {}

PendingCalls::Id PendingCalls::begin(const CallOptions& options, Done<Bytes> done) {
  const Id id = ++started_;
  Pending pending;
  pending.done = std::move(done);
  pending.number = numbers_.next();
  by_number_.emplace(pending.number, id);
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
  envelope.call = found->second.number;
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
  by_number_.erase(pending.number);
  calls_.erase(found);
  assert(calls_.size() == deadlines_.size() && calls_.size() == by_number_.size());
  auto show_and_call = [activity = context_.activity, of = context_.names.text_of(pending.channel),
                        done = std::move(pending.done)](Result<Bytes> answer) {
    const ShownName::Scope scope(activity, "answer of ", of);
    guarded(
        UnitKind::completion, [&] { return "answer of " + of; }, [&] { done(std::move(answer)); });
  };
  context_.complete<Bytes>(std::move(show_and_call), std::move(result));
}

void PendingCalls::end_all(const Error& reason) {
  while (!calls_.empty()) end(calls_.begin()->first, reason);
}

/// A timer that was set for a call that has ended stays: at its time it is set anew, which costs
/// less than a system call for each call.
void PendingCalls::arm_timer() {
  if (deadlines_.empty() || context_.closed || armed_ <= deadlines_.begin()->first) return;
  armed_ = deadlines_.begin()->first;
  timer_.expires_after(std::max(armed_ - io::boot_now(), Time{}));
  timer_.async_wait([this, weak = context_.self](const boost::system::error_code& error) {
    const auto held = weak.lock();
    if (!held || error) return;
    armed_ = Time::max();
    expire();
    arm_timer();
  });
}

/// Many deadlines may end at once, when one callee stands still: a bounded number of them in a
/// turn.
void PendingCalls::expire() {
  const Time now = io::boot_now();
  for (std::size_t ended = 0; ended < kExpiredPass; ++ended) {
    if (deadlines_.empty() || deadlines_.begin()->first > now) return;
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
  const bool reply = envelope->kind == EnvelopeKind::reply;
  if (!reply && envelope->kind != EnvelopeKind::failure) return;
  const auto found = by_number_.find(envelope->call);
  if (found == by_number_.end()) return on_stray_reply(envelope->call, delivery.origin);
  if (reply) {
    end(found->second, Bytes(envelope->body.begin(), envelope->body.end()));
  } else {
    end(found->second, failure_of(*envelope));
  }
}

/// A reply to a call that has ended, or to none.
void PendingCalls::on_stray_reply(std::uint64_t number, const Process& speaker) {
  if (numbers_.has_drawn(number)) {
    ++late_replies_;
    return;
  }
  ++unknown_replies_;
  context_.warnings.add(Warnings::Kind::unknown_reply, io::boot_now(), [&] {
    std::string name = context_.names.text_of(speaker.channel());
    if (name.empty()) name = "process " + speaker.channel().to_string();
    return name + " answers calls that this process has not made: it guesses, or is broken";
  });
}

}  // namespace starbus::bus
