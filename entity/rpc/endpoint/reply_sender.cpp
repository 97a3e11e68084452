#include "entity/rpc/endpoint/reply_sender.hpp"

#include "bus/client/bus.hpp"
#include "entity/rpc/limits.hpp"

namespace starbus::entity::rpc {

ReplySender::ReplySender(bus::Bus& bus, boost::asio::io_context& loop, BufferPool& buffers,
                         EndpointCounters& counters)
    : bus_(bus), buffers_(buffers), counters_(counters), timer_(loop, [this] { retry(); }) {}

void ReplySender::send(AnswerRoute route, ByteView answer) {
  thread_.check();
  const auto sent = try_to_send(route, answer);
  if (sent) return;
  if (sent.error() == bus::Errc::too_large) return send(std::move(route), Error(Errc::too_large));
  if (sent.error() != bus::Errc::would_block) {
    if (!route.channel.empty()) ++counters_.dropped_replies;
    return;
  }
  if (unsent_.size() >= kMaxUnsentReplies || unsent_bytes_ + answer.size() > kUnsentReplyBytes) {
    ++counters_.dropped_replies;
    return;
  }
  unsent_bytes_ += answer.size();
  unsent_.push_back({std::move(route), Bytes(answer.begin(), answer.end())});
  start_retry();
}

void ReplySender::send(AnswerRoute route, const Error& error) {
  auto buffer = buffers_.lend();
  Encoder out(*buffer);
  put_error(out, error);
  send(std::move(route), *buffer);
}

bus::Result<> ReplySender::try_to_send(AnswerRoute& route, ByteView answer) {
  if (route.channel.empty()) return route.responder.reply(answer);
  auto buffer = buffers_.lend();
  Encoder out(*buffer);
  put_answer_head(out, route.question);
  (*buffer).insert((*buffer).end(), answer.begin(), answer.end());
  return bus_.send(route.channel, ByteView(*buffer));
}

void ReplySender::start_retry() {
  if (retrying_ || unsent_.empty()) return;
  retrying_ = true;
  timer_.set(std::chrono::steady_clock::now() + kReplyRetry);
}

/// Answers keep their places, so that those to one caller leave in the order in which they were
/// given.
void ReplySender::retry() {
  retrying_ = false;
  std::erase_if(unsent_, [this](Unsent& unsent) {
    const auto sent = try_to_send(unsent.route, unsent.body);
    const bool wait = !sent && sent.error() == bus::Errc::would_block;
    if (wait && ++unsent.tries < kReplyTries) return false;
    if (wait) ++counters_.dropped_replies;
    unsent_bytes_ -= unsent.body.size();
    return true;
  });
  start_retry();
}

}  // namespace starbus::entity::rpc
