// What an Origin does when the owner of a channel has ended and a later one answers: see
// docs/design/protocol.md, "Lineage".
#include <algorithm>

#include "bus/core/origin/origin.hpp"

namespace starbus::bus {
namespace {

constexpr Time kLongestAge = std::chrono::hours(24);  // of an owner; IssueStamp wraps
constexpr int kClockDrift = 1'000;  // the clocks of two hosts drift apart by less than this part
constexpr std::uint8_t kMostRefusals = 4;  // that leave it open whether a message is older

}  // namespace

/// False if that is not, or not yet, the lineage under which the stream sends: it is an older life
/// of the channel, which says nothing about this one, or a later one, whose beginning is unknown
/// while messages are under way to the former.
bool Origin::adopt_lineage(Stream& stream, Lineage lineage) {
  if (!stream.lineage) stream.lineage = lineage;
  if (lineage <= stream.lineage) return lineage == stream.lineage;
  if (!stream.may_follow()) custody_.fail_front(stream, stream.sent, Errc::owner_lost, true);
  if (stream.sent != 0) {
    stream.successor = std::max(stream.successor, lineage);
    return false;
  }
  stream.begin_lineage(lineage);
  return true;
}

/// A later owner has answered, and not said since when it has been there. It does when it refuses a
/// message: one of those that were sent goes out again, at most once per round trip.
void Origin::on_successor(Stream& stream, Lineage lineage) {
  if (lineage < stream.lineage || stream.items.empty()) return;
  const bool was_choked = stream.choked;
  stream.owner_answered(now_);
  const Time pause = std::max(stream.round_trip, from_ms(1));
  if (was_choked || now_ - stream.resent_at > pause) {
    stream.resent_at = now_;
    rewind(stream);
  }
  streams_.schedule(stream);
}

void Origin::on_lineage_ended(Stream& stream, const Nack& nack) {
  const bool later = stream.lineage && nack.lineage > stream.lineage;
  if (!later) {
    if (adopt_lineage(stream, nack.lineage)) on_owner_nack(stream, nack);
    return;
  }
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
/// owner answered: after what was refused went out, and before now. If a message lies between, the
/// first is sent again and refused again, which may be a shorter way; false until that is known.
bool Origin::judge_sent(Stream& stream, const Nack& nack) {
  const bool asked = stream.refusals != 0;
  if (asked && (nack.seq != stream.items.front().seq || stream.cursor == 0)) return false;
  const auto told =
      std::min<std::uint64_t>(nack.last, static_cast<std::uint64_t>(kLongestAge / from_ms(1)));
  const Time age = from_ms(told);
  const Time drift = age / kClockDrift + from_ms(1);
  const IssueStamp latest = issue_stamp(now_ - age + drift);
  if (asked) custody_.fail_before(stream, issue_stamp(stream.resent_at - age - drift));
  if (stream.refusals == kMostRefusals) custody_.fail_before(stream, latest);
  if (stream.sent == 0 || !stream.items.front().issued_by(latest)) return true;
  ++stream.refusals;
  stream.successor = std::max(stream.successor, nack.lineage);
  stream.owner_answered(now_);
  stream.resent_at = now_;
  rewind(stream);
  streams_.schedule(stream);
  return false;
}

}  // namespace starbus::bus
