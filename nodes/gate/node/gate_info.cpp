#include "nodes/gate/node/gate_info.hpp"

#include <algorithm>

#include "entity/client/fields.hpp"

namespace starbus::nodes::gate {
namespace {

constexpr std::uint8_t kQuestion = 0xe0;
constexpr std::uint8_t kInfo = 0xe1;

}  // namespace

bus::Bytes info_question() {
  return {std::byte{kQuestion}};
}

bool is_info_question(bus::ByteView bytes) {
  return bytes.size() == 1 && bytes.front() == std::byte{kQuestion};
}

void encode(const GateInfo& info, bus::Bytes& out) {
  entity::Encoder to(out);
  to.byte(kInfo);
  to.text(info.address);
  to.varint(info.sessions);
  to.varint(info.room);
}

std::optional<GateInfo> decode_gate_info(bus::ByteView bytes) {
  entity::Decoder in(bytes);
  GateInfo info;
  if (in.byte() != kInfo) return std::nullopt;
  info.address = in.text();
  info.sessions = in.varint();
  info.room = in.varint();
  if (info.address.size() > entity::sessions::kChannelBytes) return std::nullopt;
  if (in.finish() != entity::DataErrc::ok) return std::nullopt;
  return info;
}

}  // namespace starbus::nodes::gate
