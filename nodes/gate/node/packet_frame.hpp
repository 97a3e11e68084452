#pragma once

#include "nodes/gate/core/packets.hpp"

namespace starbus::nodes::gate {

/// A frame in two pieces: what is of one client, and what many may share.
struct PacketFrame {
  Body head;  // never null
  Body body;  // likewise; may be empty
};

/// The frame of a packet (wire/frames.hpp). A pure function; any thread.
PacketFrame packet_frame(const Parcel& packet);

}  // namespace starbus::nodes::gate
