/// Puts messages into the custody of the process: the way on which sends and calls leave (messages
/// to many: multicast_sender.hpp; replies: reply_queue.hpp). Checks the rights of the role, writes
/// the envelope, and has the link send. Keeps the completions of messages whose acknowledgement is
/// awaited. One thread.
#pragma once

#include <unordered_map>

#include "bus/client/envelope.hpp"
#include "bus/client/parts/bus_context.hpp"

namespace starbus::bus {

class MessageSender {
 public:
  explicit MessageSender(BusContext& context) : context_(context) {}

  /// How a message leaves, besides its body.
  struct Outgoing {
    Lane lane = Lane::call;
    Lineage hint{};    // of the channel, if a watch has shown it
    Token token = 0;   // 0: nothing awaits its end
    ChannelId from{};  // a channel of this process; zero: the process itself
    std::chrono::milliseconds ttl{0};
  };
  /// Sends to one owned channel; returns the sequence, 0 if the message is from a channel.
  Result<std::uint64_t> send(const Name& to, const Outgoing& how, const Envelope& envelope,
                             ByteView body);
  /// A message of the user to an owned channel; `done` may be null.
  Result<> send(const Name& to, Lineage hint, ByteView body, const SendOptions& options,
                Done<> done);
  /// Refers to `to`.
  Destination destination(const Name& to, Lineage hint) const;

  /// Completes `done` with the end of the message that has this token.
  void await_end(Token token, Done<> done);
  /// The custody's word about a message: completes what awaits it.
  void on_acknowledged(Token token);
  /// False if nothing awaits the end of this message.
  bool on_failed(Token token, const Error& error);
  void shut(const Error& reason);

 private:
  BusContext& context_;
  std::unordered_map<Token, Done<>> acknowledgements_;
};

}  // namespace starbus::bus
