#include "bus/client/parts/reply_queue.hpp"

#include <cassert>
#include <utility>

namespace starbus::bus {
namespace {

constexpr std::size_t kOverhead = 128;  // bytes of a kept reply besides its own
constexpr Marks kReply{.reply = true};

}  // namespace

std::size_t ReplyQueue::Kept::charge() const {
  return head.size() + body.size() + kOverhead;
}

Result<ReplyQueue::Fate> ReplyQueue::send(const Destination& to, Lane lane,
                                          const Envelope& envelope, ByteView body) {
  if (body.size() > kMaxBody) {
    return Error{Errc::too_large, std::to_string(body.size()) + " bytes"};
  }
  Kept reply{to.hint, {}, {}};
  encode_envelope(envelope, reply.head);
  const StreamTable::Key key{to.channel, lane};
  if (!callers_.contains(key) &&
      origin_.has_reply_room(to.channel, lane, reply.head.size() + body.size())) {
    const auto sent = origin_.send(to, lane, reply.head, body, 0, {}, kReply);
    if (!sent) return sent.error();
    return Fate::sent;
  }
  Fate fate = Fate::kept;
  if (fits(key, reply.charge() + body.size())) {
    reply.body.assign(body.begin(), body.end());
  } else {
    fate = Fate::replaced;
    Envelope failure = envelope;
    failure.kind = EnvelopeKind::failure;
    failure.failure = {Errc::handler_failed, "its reply of " + std::to_string(body.size()) +
                                                 " bytes found no room: too many replies wait"};
    failure.reported = {};
    encode_envelope(failure, reply.head);
  }
  return keep(key, std::move(reply)) ? fate : Fate::dropped;
}

/// A reply with its body, among those that wait. The first one of a caller may be of any size.
bool ReplyQueue::fits(const StreamTable::Key& key, std::size_t charge) const {
  const auto found = callers_.find(key);
  if (found != callers_.end() && found->second.bytes + charge > kKeptReplyBytes) return false;
  return bytes_ + charge <= kKeptReplyTotal;
}

bool ReplyQueue::keep(const StreamTable::Key& key, Kept reply) {
  const auto found = callers_.find(key);
  if (found != callers_.end() && found->second.replies.size() >= kKeptReplies) return false;
  const std::size_t charge = reply.charge();
  // Failures have as much again as one caller.
  if (bytes_ + charge > kKeptReplyTotal + kKeptReplyBytes) return false;
  Caller& caller = callers_[key];
  caller.replies.push_back(std::move(reply));
  caller.bytes += charge;
  bytes_ += charge;
  ++kept_;
  return true;
}

std::size_t ReplyQueue::on_room() {
  std::size_t sent = 0;
  for (auto caller = callers_.begin(); caller != callers_.end();) {
    const auto present = caller++;
    sent += send_front(present->first, present->second);
    if (present->second.replies.empty()) callers_.erase(present);
  }
  return sent;
}

std::size_t ReplyQueue::send_front(const StreamTable::Key& key, Caller& caller) {
  std::size_t bytes = 0;
  while (!caller.replies.empty()) {
    const Kept& reply = caller.replies.front();
    const std::size_t size = reply.head.size() + reply.body.size();
    if (!origin_.has_reply_room(key.channel, key.lane, size)) break;
    const auto sent = origin_.send({key.channel, reply.lineage, {}}, key.lane, reply.head,
                                   reply.body, 0, {}, kReply);
    assert(sent);
    bytes += size;
    caller.bytes -= reply.charge();
    bytes_ -= reply.charge();
    --kept_;
    caller.replies.pop_front();
  }
  return bytes;
}

std::vector<ReplyQueue::Forgotten> ReplyQueue::clear() {
  std::vector<Forgotten> forgotten;
  for (const auto& [key, caller] : std::exchange(callers_, {})) {
    forgotten.push_back({key.channel, key.lane, caller.replies.size()});
  }
  kept_ = bytes_ = 0;
  return forgotten;
}

}  // namespace starbus::bus
