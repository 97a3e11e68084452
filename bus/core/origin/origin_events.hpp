/// The outcome of messages, as Origin reports it.
#pragma once

#include "bus/core/error.hpp"
#include "bus/core/wire/ids.hpp"

namespace starbus::bus {

/// Identifies a message in the events of its sender; 0: no acknowledgement is wanted.
using Token = std::uint64_t;

class OriginEvents {
 public:
  /// Handled. Only for messages with a token.
  virtual void on_acknowledged(Token token) = 0;
  /// no_owner (never handled), owner_lost or expired. The outcome of the last two is unknown if the
  /// message was `sent`.
  virtual void on_failed(Token token, const ChannelId& channel, Lane lane, std::uint64_t seq,
                         Errc reason, bool sent) = 0;
  /// The result of a message to a durable channel: `number` is its place there, if the status is
  /// ok; otherwise the owner has refused it.
  virtual void on_posted(Token, Errc, std::uint64_t) {}
  /// A window has shrunk: senders that got would_block may try again.
  virtual void on_room() = 0;

 protected:
  ~OriginEvents() = default;
};

}  // namespace starbus::bus
