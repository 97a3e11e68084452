/// Packets in few bytes: raw deflate (RFC 1951) of the body of one packet, by itself.
///
/// Nothing of one packet is used for another, so that the length of one client's packet tells
/// nothing of another's. Frames that carry tokens are no packets, and are never deflated. A client
/// says in Hello whether it can read them. Belongs to one thread; keeps 270 KB.
#pragma once

#include <memory>

#include "nodes/gate/wire/frames.hpp"

namespace starbus::nodes::gate {

/// Bit of Hello::features and Greeting::features: packets may come deflated.
inline constexpr std::uint64_t kDeflates = 1;
/// The first byte of such a frame; c and kind follow as in a Packet, then the deflated body.
inline constexpr std::byte kDeflatedPacket{196};

class Deflater {
 public:
  Deflater();
  ~Deflater();
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  /// The body, deflated; empty if that saves nothing worth while.
  bus::Bytes deflated(bus::ByteView body);

 private:
  struct Stream;
  const std::unique_ptr<Stream> stream_;
};

}  // namespace starbus::nodes::gate
