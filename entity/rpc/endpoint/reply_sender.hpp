/// Sends answers: to the process that called, or to the channel of the object that asked. The bus
/// takes every answer to a process. One to a channel is a message: if it meets a full window it is
/// kept and sent a little later, in the order in which the answers were given, up to
/// kMaxUnsentReplies.
///
/// Belongs to the loop's thread. Owns the answers that are kept; an answer that cannot be sent is
/// dropped and counted, its question ends at its deadline.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>

#include "base/loop_thread.hpp"
#include "bus/client/message.hpp"
#include "entity/rpc/counters.hpp"
#include "entity/rpc/endpoint/buffer_pool.hpp"
#include "entity/rpc/endpoint/loop_timer.hpp"
#include "entity/rpc/wire.hpp"

namespace starbus::bus {
class Bus;
}

namespace starbus::entity::rpc {

/// Takes an answer in this process, as bytes that live until it returns.
using AnswerTaker = std::function<void(ByteView)>;

/// Where an answer goes: to the process that called, to a channel, or to a taker.
struct AnswerRoute {
  AnswerRoute(AnswerTaker to) : taker(std::move(to)) {}         // NOLINT: a taker is a route
  AnswerRoute(bus::Responder to) : responder(std::move(to)) {}  // NOLINT: a responder is a route
  AnswerRoute(std::string_view to, const AnswerId& id) : channel(to), question(id) {}
  bus::Responder responder{};
  std::string channel;  // not empty: there, as the answer to `question`
  AnswerId question{};
  AnswerTaker taker{};
};

class ReplySender {
 public:
  ReplySender(bus::Bus& bus, boost::asio::io_context& loop, BufferPool& buffers,
              EndpointCounters& counters);
  ReplySender(const ReplySender&) = delete;
  ReplySender& operator=(const ReplySender&) = delete;

  /// Sends an answer that is encoded.
  void send(AnswerRoute route, ByteView answer);
  void send(AnswerRoute route, const Error& error);

 private:
  struct Unsent {
    std::string channel;
    AnswerId question;
    Bytes message;
    std::size_t tries = 0;
    bool is_error = false;  // in the place of an answer that was too large
  };
  void send_to_channel(const AnswerRoute& route, ByteView answer);
  bool try_again(Unsent& unsent);
  bool wait_longer(Unsent& unsent);
  void start_retry();
  void retry();

  bus::Bus& bus_;
  BufferPool& buffers_;
  EndpointCounters& counters_;
  std::deque<Unsent> unsent_;
  std::map<std::string, std::size_t> waiting_;  // how many of these, per channel
  std::size_t unsent_bytes_ = 0;
  bool retrying_ = false;
  LoopTimer timer_;
  LoopThread thread_;
};

}  // namespace starbus::entity::rpc
