#include "entity/objects/moved_state.hpp"

#include "entity/objects/limits.hpp"

namespace starbus::entity {
namespace {

constexpr std::uint8_t kMovedForm = 1;

void put_block(Encoder& out, ByteView bytes) {
  out.varint(bytes.size());
  out.raw(bytes.data(), bytes.size());
}
ByteView get_block(Decoder& in) {
  return bus::as_bytes(in.text());
}

}  // namespace

void MovedState::write(Encoder& out) const {
  out.byte(kMovedForm);
  out.text(type);
  out.text(persistent_id);
  out.varint(online_id);
  out.varint(flags);
  out.byte(properties ? 1 : 0);
  if (properties) put_block(out, *properties);
  out.varint(blocks.size());
  for (const Block& block : blocks) {
    out.text(block.component);
    put_block(out, block.bytes);
  }
}

std::optional<MovedState> MovedState::read(ByteView bytes) {
  Decoder in(bytes);
  MovedState state;
  if (in.byte() != kMovedForm) in.fail(DataErrc::malformed);
  state.type = in.text();
  state.persistent_id = in.text();
  state.online_id = in.varint();
  state.flags = in.varint();
  if (in.number<bool>()) state.properties = get_block(in);
  const std::size_t count = in.count();
  if (count > kMaxEntityComponents + 1) in.fail(DataErrc::too_large);
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    const std::string_view component = in.text();
    state.blocks.push_back({component, get_block(in)});
  }
  if (in.finish() != DataErrc::ok || state.online_id == 0 || state.persistent_id.empty()) {
    return std::nullopt;
  }
  return state;
}

}  // namespace starbus::entity
