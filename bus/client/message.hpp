/// Messages and calls, as handlers receive them. Both belong to the loop's thread and refer to
/// bytes that are valid until the handler returns; `detach` copies them, for coroutines and queues.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bus/client/envelope.hpp"
#include "bus/core/error.hpp"

namespace starbus::bus {

class BusCore;

/// A message on a channel that this process owns.
class Message {
 public:
  /// Name that it was sent to, as bound here.
  std::string_view channel() const { return *channel_; }
  ByteView body() const { return body_; }
  std::string_view text() const { return as_text(body_); }
  /// The sending process: stamped by its busd, not by the sender.
  const Process& origin() const { return origin_; }
  Lane lane() const { return lane_; }
  const Trace& trace() const { return trace_; }

 protected:
  friend class HandlerDispatch;
  void own_body();

  std::shared_ptr<const std::string> channel_;
  std::shared_ptr<const Bytes> owned_;  // null: the body lies in a receive buffer
  ByteView body_;
  Process origin_;
  Lane lane_ = Lane::call;
  Trace trace_;

 public:
  /// A copy that owns its body and may outlive the handler.
  Message detach() const {
    Message copy = *this;
    copy.own_body();
    return copy;
  }
};

/// Answers one call. Move-only. A responder that is destroyed without an answer answers
/// handler_failed, so that the caller need not wait for its deadline.
///
/// An answer never meets a full window: replies have a reserve beyond the windows (kReplyReserve),
/// and after it the library keeps them until there is room (kKeptReplyBytes). A reply beyond that
/// ends at its caller as handler_failed; BusCounters and Bus::on_warning tell of it.
class Responder {
 public:
  Responder() = default;
  Responder(Responder&& other) noexcept { *this = std::move(other); }
  Responder& operator=(Responder&& other) noexcept;
  ~Responder();

  /// Ends the call. too_large: the call stays unanswered. closed: the bus object is gone, or the
  /// call was answered before.
  Result<> reply(ByteView body);
  Result<> reply(std::string_view text) { return reply(as_bytes(text)); }
  /// Ends the call with an error: a code of any domain and a text of at most 255 bytes. The caller
  /// sees handler_failed with this text; the code is its reported_code.
  Result<> fail(const Error& reason);
  bool pending() const { return !core_.expired() && call_ != 0; }
  /// The number of the call: with its origin it identifies the call, in logs say. Only the callee
  /// and the caller know it: whoever knows it can answer. 0 after the answer.
  std::uint64_t number() const { return call_; }

 private:
  friend class HandlerDispatch;
  /// The library's own failure.
  Result<> refuse(const Error& reason);
  Result<> answer(const Envelope& envelope, ByteView body);

  std::weak_ptr<BusCore> core_;
  Process caller_;
  Lane lane_ = Lane::call;
  Lineage lineage_;
  std::uint64_t call_ = 0;
  Trace trace_;
};

/// A message that must be answered.
class Call : public Message {
 public:
  Result<> reply(ByteView body) { return responder_.reply(body); }
  Result<> reply(std::string_view text) { return responder_.reply(text); }
  Result<> fail(const Error& reason) { return responder_.fail(reason); }
  /// Takes the responder out, to answer later.
  Responder responder() { return std::move(responder_); }
  /// Moves the call out of its handler, with a copy of the body and with the responder.
  Call detach() {
    Call copy = std::move(*this);
    copy.own_body();
    return copy;
  }

 private:
  friend class HandlerDispatch;
  Responder responder_;
};

/// The code that the handler at the other end gave to `fail`, for a call that ended as
/// handler_failed; ok if there is none. The error compares equal to it only if it is of a program's
/// domain: a handler's no_owner does not look like the bus' no_owner.
Code reported_code(const Error& error);

/// Called exactly once per message, in order per (sender, channel, lane). Without a handler
/// messages are dropped, and calls end with no_handler. Handlers must not throw.
struct Handlers {
  std::function<void(Message&)> on_message{};
  std::function<void(Call&)> on_call{};
};
/// For a name that its owner holds and that nobody is to send to.
inline const Handlers kNoHandlers{};

}  // namespace starbus::bus
