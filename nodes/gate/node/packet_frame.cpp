#include "nodes/gate/node/packet_frame.hpp"

#include <memory>
#include <utility>

#include "entity/archive/encoder.hpp"

namespace starbus::nodes::gate {

namespace {

Body shared(bus::Bytes bytes) {
  return std::make_shared<const bus::Bytes>(std::move(bytes));
}

}  // namespace

PacketFrame packet_frame(const Parcel& packet) {
  PacketFrame frame;
  const Body* const body = std::get_if<Body>(&packet.body);
  if (body != nullptr && *body != nullptr && packet.kind != PacketKind::full) {
    encode(ToClient(Packet{packet.c, packet.kind, {}}), frame.head);
    frame.body = *body;
    return frame;
  }
  // Of this client alone.
  bus::Bytes whole;
  encode(ToClient(Packet{packet.c, packet.kind, {}}), whole);
  if (packet.kind == PacketKind::full) {
    entity::Encoder out(whole);
    out.varint(packet.up_seen);
  }
  if (body == nullptr) {
    encode(std::get<Ended>(packet.body), whole);
  } else if (*body != nullptr) {
    whole.insert(whole.end(), (*body)->begin(), (*body)->end());
  }
  frame.body = shared(std::move(whole));
  return frame;
}

}  // namespace starbus::nodes::gate
