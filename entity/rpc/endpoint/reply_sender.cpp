#include "entity/rpc/endpoint/reply_sender.hpp"

#include <set>

#include "bus/client/bus.hpp"
#include "entity/rpc/endpoint/loop_clock.hpp"
#include "entity/rpc/limits.hpp"

namespace starbus::entity::rpc {

ReplySender::ReplySender(bus::Bus& bus, boost::asio::io_context& loop, BufferPool& buffers,
                         EndpointCounters& counters)
    : bus_(bus), buffers_(buffers), counters_(counters), timer_(loop, [this] { retry(); }) {}

void ReplySender::send(AnswerRoute route, ByteView answer) {
  thread_.check();
  if (route.taker) return route.taker(answer);
  if (!route.channel.empty()) return send_to_channel(route, answer);
  const auto sent = route.responder.reply(answer);
  if (!sent && sent.error() == bus::Errc::too_large) send(std::move(route), Error(Errc::too_large));
}

void ReplySender::send(AnswerRoute route, const Error& error) {
  auto buffer = buffers_.lend();
  Encoder out(*buffer);
  put_error(out, error);
  send(std::move(route), *buffer);
}

void ReplySender::send_to_channel(const AnswerRoute& route, ByteView answer) {
  auto buffer = buffers_.lend();
  Encoder out(*buffer);
  put_answer_head(out, route.question);
  (*buffer).insert((*buffer).end(), answer.begin(), answer.end());
  // Behind those that wait: an answer overtakes none to the same channel.
  if (!waiting_.contains(route.channel)) {
    const auto sent = bus_.send(route.channel, ByteView(*buffer));
    if (sent) return;
    if (sent.error() == bus::Errc::too_large) {
      return send(AnswerRoute(route.channel, route.question), Error(Errc::too_large));
    }
    if (sent.error() != bus::Errc::would_block) return void(++counters_.dropped_replies);
  }
  const bool full =
      unsent_.size() >= kMaxUnsentReplies || unsent_bytes_ + (*buffer).size() > kUnsentReplyBytes;
  if (full) return void(++counters_.dropped_replies);
  unsent_bytes_ += (*buffer).size();
  ++waiting_[route.channel];
  unsent_.push_back({route.channel, route.question, *buffer});
  start_retry();
}

/// False: there is no room for it yet.
bool ReplySender::try_again(Unsent& unsent) {
  const auto sent = bus_.send(unsent.channel, ByteView(unsent.message));
  if (sent) return true;
  if (sent.error() == bus::Errc::too_large && !unsent.is_error) {
    // The caller gets this error in its place.
    unsent.message.clear();
    Encoder out(unsent.message);
    put_answer_head(out, unsent.question);
    put_error(out, Errc::too_large);
    unsent.is_error = true;
    return try_again(unsent);
  }
  if (sent.error() == bus::Errc::would_block && ++unsent.tries < kReplyTries) return false;
  ++counters_.dropped_replies;
  return true;
}

/// Its turn has not come: its tries pass all the same. True: they are over.
bool ReplySender::wait_longer(Unsent& unsent) {
  if (++unsent.tries < kReplyTries) return false;
  ++counters_.dropped_replies;
  return true;
}

void ReplySender::start_retry() {
  if (retrying_ || unsent_.empty()) return;
  retrying_ = true;
  timer_.set(loop_now() + kReplyRetry);
}

/// Answers keep their places, so that those to one channel leave in the order in which they were
/// given: behind one that has to wait, none is tried.
void ReplySender::retry() {
  retrying_ = false;
  std::set<std::string, std::less<>> blocked;
  std::erase_if(unsent_, [&](Unsent& unsent) {
    unsent_bytes_ -= unsent.message.size();
    const bool its_turn = !blocked.contains(unsent.channel);
    if (its_turn ? !try_again(unsent) : !wait_longer(unsent)) {
      unsent_bytes_ += unsent.message.size();
      blocked.insert(unsent.channel);
      return false;
    }
    const auto waits = waiting_.find(unsent.channel);
    if (--waits->second == 0) waiting_.erase(waits);
    return true;
  });
  start_retry();
}

}  // namespace starbus::entity::rpc
