#pragma once

#include "nodes/gate/core/packets.hpp"

namespace starbus::nodes::gate {

/// A frame in two pieces: what is of one client, of at most net::kPrefixBytes, and what many may
/// share.
struct PacketFrame {
  bus::Bytes head;
  Body body;  // never null; may be empty
};

/// The frame of a packet (wire/frames.hpp). A pure function; any thread.
PacketFrame packet_frame(const Parcel& packet);

}  // namespace starbus::nodes::gate
