#include "nodes/gate/node/packet_frame.hpp"

#include <memory>
#include <utility>

#include "entity/archive/encoder.hpp"
#include "nodes/gate/net/ws_head.hpp"
#include "nodes/gate/node/limits.hpp"

namespace starbus::nodes::gate {

namespace {

Body shared(bus::Bytes bytes) {
  return std::make_shared<const bus::Bytes>(std::move(bytes));
}

/// What a full state of this client begins with.
bus::Bytes head_of_full(const Parcel& packet) {
  bus::Bytes bytes;
  entity::Encoder(bytes).varint(packet.up_seen);
  return bytes;
}

}  // namespace

PacketFrame packet_frame(const Parcel& packet) {
  PacketFrame frame;
  const Body* const body = std::get_if<Body>(&packet.body);
  if (body != nullptr && *body != nullptr && packet.kind != PacketKind::full) {
    frame.head.reserve(net::kPrefixBytes);
    encode(ToClient(Packet{packet.c, packet.kind, {}}), frame.head);
    frame.body = *body;
    return frame;
  }
  // Of this client alone.
  bus::Bytes whole;
  encode(ToClient(Packet{packet.c, packet.kind, {}}), whole);
  if (packet.kind == PacketKind::full) {
    const bus::Bytes head = head_of_full(packet);
    whole.insert(whole.end(), head.begin(), head.end());
  }
  if (body == nullptr) {
    encode(std::get<Ended>(packet.body), whole);
  } else if (*body != nullptr) {
    whole.insert(whole.end(), (*body)->begin(), (*body)->end());
  }
  frame.body = shared(std::move(whole));
  return frame;
}

PacketFrame DeflatedFrames::frame(const Parcel& packet) {
  const std::size_t size = size_of(packet);
  if (size < least_ || size > kDeflateMost) return packet_frame(packet);
  Body plain = std::get<Body>(packet.body);
  if (packet.kind == PacketKind::full) {
    bus::Bytes whole = head_of_full(packet);
    whole.insert(whole.end(), plain->begin(), plain->end());
    plain = shared(std::move(whole));
  }
  const Body small = deflated(plain);
  if (small->empty()) return packet_frame(packet);
  PacketFrame frame;
  encode(ToClient(Packet{packet.c, packet.kind, {}}), frame.head);
  frame.head.front() = kDeflatedPacket;
  frame.body = small;
  ++counters_.packets;
  counters_.before += plain->size();
  counters_.after += small->size();
  return frame;
}

Body DeflatedFrames::deflated(const Body& plain) {
  for (const Kept& kept : kept_) {
    if (kept.plain == plain) return kept.deflated;
  }
  ++counters_.bodies;
  if (kept_.size() == kDeflatedKept) kept_.pop_front();
  kept_.push_back({plain, shared(deflater_.deflated(*plain))});
  return kept_.back().deflated;
}

}  // namespace starbus::nodes::gate
