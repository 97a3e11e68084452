// What an Origin does when the owner of a channel has ended and a later one answers: see
// docs/design/protocol.md, "Lineage".
#include <algorithm>

#include "bus/core/origin/origin.hpp"

namespace starbus::bus {
namespace {

constexpr Time kLongestAge = std::chrono::hours(24);  // of an owner; IssueStamp wraps
constexpr int kClockDrift = 1'000;  // the clocks of two hosts drift apart by less than this part
constexpr std::uint8_t kMostAnswers = 4;  // that leave it open whether a message is older

}  // namespace

/// False if that is not, or not yet, the lineage under which the stream sends: it is an older life
/// of the channel, which says nothing about this one, or a later one, whose beginning is unknown
/// while messages are under way to the former.
bool Origin::adopt_lineage(Stream& stream, Lineage lineage) {
  if (!stream.lineage) stream.lineage = lineage;
  if (lineage <= stream.lineage) return lineage == stream.lineage;
  if (!stream.may_follow()) custody_.fail_front(stream, stream.sent, Errc::owner_lost, true);
  if (stream.sent != 0) {
    stream.note_successor(lineage);
    return false;
  }
  stream.begin_lineage(lineage);
  return true;
}

/// A later owner has answered, and not said since when it has been there.
void Origin::on_successor(Stream& stream, Lineage lineage) {
  if (lineage < stream.lineage || stream.items.empty()) return;
  ask_in_time(stream);
}

/// Asks, at most once per round trip.
void Origin::ask_in_time(Stream& stream) {
  const bool was_choked = stream.choked;
  stream.owner_answered(now_);
  const Time pause = std::max(stream.round_trip, from_ms(1));
  const bool asked = stream.succession.question != 0 && now_ - stream.resent_at <= pause;
  if (was_choked || !asked) ask(stream);
  streams_.schedule(stream);
}

/// A question whose answer is still to come is repeated as it is: an answer to any of its copies
/// was given after the first of them left.
void Origin::ask(Stream& stream) {
  Succession& succession = stream.succession;
  if (succession.question == 0) {
    succession.question = Succession::kFirstQuestion + ++questions_;
    succession.asked_at = now_;
  }
  succession.want_question = true;
  stream.resent_at = now_;
  streams_.schedule(stream);
}

void Origin::on_lineage_ended(Stream& stream, const Nack& nack) {
  const bool later = stream.lineage && nack.lineage > stream.lineage;
  if (!later) {
    if (adopt_lineage(stream, nack.lineage)) on_owner_nack(stream, nack);
    return;
  }
  if (nack.lineage < stream.successor) return;  // that owner has ended, too
  if (!stream.may_follow() || nack.last == 0) {
    custody_.fail_front(stream, stream.sent, Errc::owner_lost, true);
  } else if (!judge_sent(stream, nack)) {
    return;
  }
  stream.begin_lineage(nack.lineage);
  resume(stream, false);
}

/// The owner has refused a message for an earlier one, and says how long it has been there. What
/// was issued since cannot have reached any earlier owner, for there was none any more: it stays,
/// for this one. What is older was meant for an owner that has ended. The age was right when the
/// owner answered, which was before now; of the answer to a question it is also known after when.
/// If a message lies between, the owner is asked, which may be a shorter way; false until that is
/// known. No other refusal counts as the answer: it may be of a copy that was sent long ago.
bool Origin::judge_sent(Stream& stream, const Nack& nack) {
  stream.note_successor(nack.lineage);
  Succession& succession = stream.succession;
  const auto told =
      std::min<std::uint64_t>(nack.last, static_cast<std::uint64_t>(kLongestAge / from_ms(1)));
  const Time age = from_ms(told);
  const Time drift = age / kClockDrift + from_ms(1);
  const Time begun_by = std::min(succession.begun_by.value_or(Time::max()), now_ - age + drift);
  succession.begun_by = begun_by;
  const bool answered = succession.question != 0 && nack.seq == succession.question;
  if (answered) {
    succession.question = 0;
    ++succession.answers;
    const Time begun_after = succession.asked_at - age - drift;
    const bool last = succession.answers == kMostAnswers;
    custody_.fail_before(stream, issue_stamp(last ? begun_by : std::min(begun_after, begun_by)));
  }
  if (stream.sent == 0 || !stream.items.front().issued_by(issue_stamp(begun_by))) return true;
  stream.owner_answered(now_);
  if (succession.question == 0) ask(stream);
  streams_.schedule(stream);
  return false;
}

}  // namespace starbus::bus
