#include "entity/rpc/endpoint/reply_sender.hpp"

#include "bus/client/bus.hpp"
#include "entity/rpc/limits.hpp"

namespace starbus::entity::rpc {

ReplySender::ReplySender(bus::Bus& bus, boost::asio::io_context& loop, BufferPool& buffers,
                         EndpointCounters& counters)
    : bus_(bus), buffers_(buffers), counters_(counters), timer_(loop, [this] { retry(); }) {}

void ReplySender::send(AnswerRoute route, ByteView answer) {
  thread_.check();
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
  const auto sent = bus_.send(route.channel, ByteView(*buffer));
  if (sent) return;
  if (sent.error() == bus::Errc::too_large) {
    return send(AnswerRoute(route.channel, route.question), Error(Errc::too_large));
  }
  const bool full =
      unsent_.size() >= kMaxUnsentReplies || unsent_bytes_ + (*buffer).size() > kUnsentReplyBytes;
  if (full || sent.error() != bus::Errc::would_block) {
    ++counters_.dropped_replies;
    return;
  }
  unsent_bytes_ += (*buffer).size();
  unsent_.push_back({route.channel, *buffer});
  start_retry();
}

void ReplySender::start_retry() {
  if (retrying_ || unsent_.empty()) return;
  retrying_ = true;
  timer_.set(std::chrono::steady_clock::now() + kReplyRetry);
}

/// Answers keep their places, so that those to one channel leave in the order in which they were
/// given.
void ReplySender::retry() {
  retrying_ = false;
  std::erase_if(unsent_, [this](Unsent& unsent) {
    const auto sent = bus_.send(unsent.channel, ByteView(unsent.message));
    const bool wait = !sent && sent.error() == bus::Errc::would_block;
    if (wait && ++unsent.tries < kReplyTries) return false;
    if (wait) ++counters_.dropped_replies;
    unsent_bytes_ -= unsent.message.size();
    return true;
  });
  start_retry();
}

}  // namespace starbus::entity::rpc
