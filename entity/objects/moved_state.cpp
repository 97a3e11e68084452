#include "entity/objects/moved_state.hpp"

#include "entity/objects/limits.hpp"

namespace starbus::entity {
namespace {

constexpr std::uint8_t kMovedForm = 5;

void put_block(Encoder& out, ByteView bytes) {
  out.varint(bytes.size());
  out.raw(bytes.data(), bytes.size());
}
ByteView get_block(Decoder& in) {
  return bus::as_bytes(in.text());
}

void put_parts(Encoder& out, const std::vector<MovedState::Block>& parts) {
  out.varint(parts.size());
  for (const MovedState::Block& part : parts) {
    out.text(part.component);
    put_block(out, part.bytes);
  }
}
void get_parts(Decoder& in, std::vector<MovedState::Block>& parts) {
  const std::size_t count = in.count();
  if (count > kMaxEntityComponents + 2) in.fail(DataErrc::too_large);
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    const std::string_view component = in.text();
    parts.push_back({component, get_block(in)});
  }
}

}  // namespace

void MovedState::write(Encoder& out) const {
  out.byte(kMovedForm);
  out.text(type);
  out.text(persistent_id);
  out.varint(online_id);
  out.varint(flags);
  out.varint(static_cast<std::uint64_t>(left_space));
  out.varint(static_cast<std::uint64_t>(space));
  out.byte(properties ? static_cast<std::uint8_t>(form) : 0);
  if (properties && form == MovedForm::by_name) out.byte(watchers);
  if (properties) put_block(out, *properties);
  put_block(out, timers);
  put_block(out, flows);
  put_parts(out, machines);
  put_parts(out, blocks);
}

std::optional<MovedState> MovedState::read(ByteView bytes) {
  Decoder in(bytes);
  MovedState state;
  if (in.byte() != kMovedForm) in.fail(DataErrc::malformed);
  state.type = in.text();
  state.persistent_id = in.text();
  state.online_id = in.varint();
  state.flags = in.varint();
  state.left_space = OnlineId{in.varint()};
  state.space = OnlineId{in.varint()};
  const std::uint8_t form = in.byte();
  if (form > static_cast<std::uint8_t>(MovedForm::by_name)) in.fail(DataErrc::malformed);
  if (form != 0) {
    state.form = static_cast<MovedForm>(form);
    if (state.form == MovedForm::by_name) state.watchers = in.byte();
    if ((state.watchers & ~kAudienceBits) != 0) in.fail(DataErrc::malformed);
    state.properties = get_block(in);
  }
  state.timers = get_block(in);
  state.flows = get_block(in);
  if (state.timers.empty() != state.flows.empty()) in.fail(DataErrc::malformed);
  get_parts(in, state.machines);
  get_parts(in, state.blocks);
  if (in.finish() != DataErrc::ok || state.online_id == 0 || state.persistent_id.empty()) {
    return std::nullopt;
  }
  return state;
}

}  // namespace starbus::entity
