#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bus/core/bytes.hpp"
#include "nodes/gate/net/ws_head.hpp"

namespace starbus::nodes::gate::net {

/// What the next bytes of a connection were.
struct FrameStep {
  enum class Kind : std::uint8_t {
    more,       ///< nothing yet: read more
    frame,      ///< `bytes` are a frame
    part,       ///< of WebSocket: a part of a message, which is kept
    ping,       ///< of WebSocket; answer with a pong of the same bytes
    pong,       ///< of WebSocket
    closed,     ///< of WebSocket: the peer says its last word
    malformed,  ///< the connection cannot go on
    too_large,  ///< likewise: the frame says that it is longer than `limit`
  };
  Kind kind = Kind::more;
  std::span<std::byte> bytes{};
};

/// Cuts the bytes of a connection into frames: by their lengths, or as WebSocket messages. A frame
/// that came whole is handed out where it lies; only what is cut is kept, and never more than
/// `limit` and a head. Sans-IO; a plain value, one thread at a time.
class FrameReader {
 public:
  explicit FrameReader(bool websocket = false) : websocket_(websocket) {}

  /// Takes from the front of `input`, in which it decodes. What the last step handed out becomes
  /// invalid. After malformed and too_large: do not call it again.
  FrameStep next(std::span<std::byte>& input, std::size_t limit);

  /// A frame has begun and is not complete.
  bool in_frame() const { return (!given_ && !partial_.empty()) || in_message_; }
  /// Bytes that are kept.
  std::size_t held() const { return partial_.size() + message_.size(); }
  /// Bytes for which it has storage, used or not.
  std::size_t storage() const { return partial_.capacity() + message_.capacity(); }
  /// Gives back the memory of what was handed out.
  void release();

 private:
  struct Head {
    WsHead::State state = WsHead::State::more;
    std::size_t size = 0;
    std::uint64_t length = 0;
    WsHead ws{};
  };
  Head head_of(bus::ByteView bytes) const;
  /// Takes bytes until the head of the frame in partial_ is complete.
  Head complete_head(std::span<std::byte>& input);
  bool fits(const Head& head, std::size_t limit) const;
  FrameStep give(const Head& head, std::span<std::byte> payload);
  FrameStep message_part(const WsHead& head, std::span<std::byte> payload);

  bool websocket_;
  bool given_ = false;       // partial_ was handed out
  bool in_message_ = false;  // some parts of a message have come
  bool message_given_ = false;
  std::uint32_t fragments_ = 0;
  bus::Bytes partial_;  // a frame that is cut
  bus::Bytes message_;  // the parts of a message
};

}  // namespace starbus::nodes::gate::net
