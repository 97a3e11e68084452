#include "nodes/gate/node/packet_frame.hpp"

#include <memory>
#include <utility>

#include "entity/archive/encoder.hpp"

namespace starbus::nodes::gate {

PacketFrame packet_frame(const Parcel& packet) {
  bus::Bytes head;
  encode(ToClient(Packet{packet.c, packet.kind, {}}), head);
  PacketFrame frame;
  if (packet.kind == PacketKind::full) {
    entity::Encoder out(head);
    out.varint(packet.up_seen);
  }
  if (const auto* body = std::get_if<Body>(&packet.body)) {
    frame.body = *body;
  } else {
    bus::Bytes ended;
    encode(std::get<Ended>(packet.body), ended);
    frame.body = std::make_shared<const bus::Bytes>(std::move(ended));
  }
  if (frame.body == nullptr) frame.body = std::make_shared<const bus::Bytes>();
  frame.head = std::make_shared<const bus::Bytes>(std::move(head));
  return frame;
}

}  // namespace starbus::nodes::gate
