/// Puts messages into the custody of the process: the one way on which sends, calls and multicasts
/// leave. Checks the rights of the role, writes the envelope, and has the link send.
/// Keeps the completions of messages whose acknowledgement is awaited. One thread.
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
  Result<> multicast(std::span<const Recipient> recipients, ByteView body,
                     const SendOptions& options);
  Result<> multicast(std::span<const std::string> to, ByteView body, const SendOptions& options);
  /// Refers to `to`.
  Destination destination(const Name& to, Lineage hint) const;

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
