/// A client's side of one WebSocket (RFC 6455), as a transformer of bytes: the request to upgrade,
/// then each frame of the session as one binary message. No sockets; of one connection, in its
/// thread. What the other side sends is hostile: after the first mistake it stays failed.
#pragma once

#include <string>

#include "clients/cpp/fields.hpp"

namespace starbus::game {

/// See above.
class WebSocketStream {
 public:
  /// `host` as in the address, with its port; `path` begins with '/'.
  WebSocketStream(const std::string& host, const std::string& path);

  /// Bytes of the other side; whole messages are appended to `frames`, each after its length as of
  /// FrameStream. False: failed, see why().
  bool take(ByteView bytes, Bytes& frames);
  /// Appends the bytes of one frame; only after ready().
  void put(ByteView frame, Bytes& out);
  /// What is to be said besides: the request, answers to pings. Then it is gone.
  Bytes output();
  /// The other side has upgraded.
  bool ready() const { return ready_; }
  const std::string& why() const { return why_; }

 private:
  bool fail(const std::string& why);
  bool read_upgrade();
  /// One frame of the WebSocket; false: it is not whole yet, or failed.
  bool read_frame(Bytes& frames);
  bool on_frame(std::uint8_t first, ByteView body, Bytes& frames);
  void put_message(std::uint8_t opcode, ByteView body, Bytes& out);

  std::string expected_;  // what the answer must prove
  Bytes in_;              // not understood yet
  std::size_t at_ = 0;    // in in_
  Bytes message_;         // its fragments so far
  bool within_ = false;   // a message has begun
  Bytes out_;
  bool ready_ = false;
  std::string why_;
};

}  // namespace starbus::game
