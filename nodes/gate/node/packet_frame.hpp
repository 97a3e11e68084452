#pragma once

#include <deque>

#include "nodes/gate/core/packets.hpp"
#include "nodes/gate/wire/deflate.hpp"

namespace starbus::nodes::gate {

/// A frame in two pieces: what is of one client, of at most net::kPrefixBytes, and what many may
/// share.
struct PacketFrame {
  bus::Bytes head;
  Body body;  // never null; may be empty
};

/// The frame of a packet (wire/frames.hpp). A pure function; any thread.
PacketFrame packet_frame(const Parcel& packet);

/// Frames of packets for clients that can read deflated ones. One body for thousands is deflated
/// once: the last kDeflatedKept bodies are kept. Belongs to the loop's thread.
class DeflatedFrames {
 public:
  /// Bodies of fewer bytes stay as they are, and those of more than kDeflateMost.
  explicit DeflatedFrames(std::size_t least) : least_(least) {}
  PacketFrame frame(const Parcel& packet);

  struct Counters {
    std::uint64_t packets = 0;  // that were deflated
    std::uint64_t before = 0;   // bytes of their bodies
    std::uint64_t after = 0;
    std::uint64_t bodies = 0;  // that deflate has worked on
  };
  const Counters& counters() const { return counters_; }

 private:
  struct Kept {
    Body plain;
    Body deflated;  // empty: it saves nothing
  };
  Body deflated(const Body& plain);

  const std::size_t least_;
  Deflater deflater_;
  std::deque<Kept> kept_;
  Counters counters_;
};

}  // namespace starbus::nodes::gate
