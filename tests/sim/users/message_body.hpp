/// What a simulated message says: which one it is for the oracle, and for calls who waits for what.
#pragma once

#include <optional>

#include "bus/core/bytes.hpp"
#include "tests/sim/oracles/oracle.hpp"

namespace starbus::sim {

enum class BodyKind : std::uint8_t { message = 1, request = 2, reply = 3 };

struct MessageBody {
  BodyKind kind = BodyKind::message;
  MessageId message = 0;  // of an announcement: the first recipient's
  std::uint64_t call = 0;
  bus::Lineage lineage{};  // of the caller's process channel
};

inline bus::Bytes encode_body(const MessageBody& body, std::size_t padding) {
  bus::Bytes bytes;
  bus::Writer writer(bytes);
  writer.put(static_cast<std::uint8_t>(body.kind));
  writer.put(body.message);
  writer.put(body.call);
  writer.put(body.lineage.value);
  bytes.resize(bytes.size() + padding);
  return bytes;
}

inline std::optional<MessageBody> decode_body(bus::ByteView bytes) {
  bus::Reader reader(bytes);
  MessageBody body;
  body.kind = static_cast<BodyKind>(reader.get<std::uint8_t>());
  body.message = reader.get<std::uint64_t>();
  body.call = reader.get<std::uint64_t>();
  body.lineage.value = reader.get<std::uint64_t>();
  if (!reader.ok()) return std::nullopt;
  return body;
}

}  // namespace starbus::sim
