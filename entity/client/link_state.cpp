// A ClientLink as it travels.
#include <algorithm>

#include "entity/client/fields.hpp"
#include "entity/client/link.hpp"

namespace starbus::entity::sessions {
namespace {

constexpr std::uint8_t kLinkForm = 2;
constexpr std::uint64_t kMostTime = 24U * 3'600U * 1'000U;  // of milliseconds: far beyond kAwayTime

template <class A, class V>
void flag_of(A& a, V& v) {
  std::uint8_t bit = v ? 1 : 0;
  a.byte(bit, 0, 1);
  if constexpr (A::kReads) v = bit == 1;
}

template <class A, class V>
void state_of(A& a, V& v) {
  a.key(v.session);
  gate_of(a, v.gate);
  a.number(v.turn, 0xffff'ffff);
  a.key(v.seal);
  a.text(v.account, kChannelBytes);
  pair_of(a, v.bind);
  pair_of(a, v.top);
  a.number(v.login, kAnyNumber);
  pair_of(a, v.since);
  a.number(v.up_done, kAnyNumber);
  list_of(a, v.open, kRequestsOpen, [&](auto& u) { a.number(u, kAnyNumber); });
  pair_of(a, v.run);
  a.number(v.next, kAnyNumber);
  flag_of(a, v.full_due);
  flag_of(a, v.closing);
  flag_of(a, v.lost);
  a.number(v.acked, kAnyNumber);
  a.number(v.allowed, kMostCredit);
  list_of(a, v.sizes, kLinkParts + 2, [&](auto& size) { a.number(size, 2 * kPartBytes); });
  list_of(a, v.groups, kLinkGroups, [&](auto& group) { a.text(group, kGroupName); });
}

void updates_of(FieldWriter& a, const std::vector<WaitingUpdate>& updates) {
  a.count(updates.size(), 0);
  for (const WaitingUpdate& update : updates) {
    a.number(update.slot, 0);
    a.byte(update.priority, 0, 0);
    // 0: never too old.
    const auto left = static_cast<std::uint64_t>(update.left.count());
    a.number(update.left == kNeverOld ? 0 : std::min<std::uint64_t>(left, kMostTime - 1) + 1, 0);
    a.bytes(*update.body, kDroppableBytes);
  }
}

void updates_of(FieldReader& a, Decoder& in, std::vector<WaitingUpdate>& updates) {
  const std::size_t count = a.count(0, kDroppableSlots);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    WaitingUpdate update;
    std::uint64_t left = 0;
    Bytes body;
    a.number(update.slot, kAnyNumber);
    a.byte(update.priority, 0, 0xff);
    a.number(left, kMostTime);
    a.bytes(body, kDroppableBytes);
    bytes += body.size();
    if (bytes > kDroppableBytes) in.fail(DataErrc::too_large);
    update.left = left == 0 ? kNeverOld : LinkTime(left - 1);
    update.body = std::make_shared<const Bytes>(std::move(body));
    updates.push_back(std::move(update));
  }
}

void parts_of(FieldWriter& a, const CompactQueue<Part>& parts) {
  a.count(parts.size(), 0);
  for (const Part& part : parts) {
    a.byte(static_cast<std::uint8_t>(part.kind), 0, 0);
    a.bytes(*part.body, kPartBytes);
  }
}

void parts_of(FieldReader& a, Decoder& in, CompactQueue<Part>& parts) {
  const std::size_t count = a.count(0, kLinkParts + 2);
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    Part part;
    Bytes body;
    a.byte(part.kind, static_cast<std::uint8_t>(PartKind::call),
           static_cast<std::uint8_t>(PartKind::over));
    a.bytes(body, 2 * kPartBytes);
    part.body = std::make_shared<const Bytes>(std::move(body));
    parts.push_back(std::move(part));
  }
}

bool in_order(const LinkState& state) {
  if (state.next == 0 || state.acked >= state.next || state.bind > state.top) return false;
  if (state.sizes.size() != state.next - 1 - state.acked) return false;
  if (state.full_due && state.next != 1) return false;
  const bool none = state.full_due || state.closing || !state.unsent.empty() ||
                    !state.groups.empty() || state.away.has_value() || !state.droppable.empty();
  if (!state.session && (none || state.next != 1)) return false;
  if (state.session && state.account.empty()) return false;
  for (std::size_t i = 0; i < state.open.size(); ++i) {
    const std::uint64_t before = i == 0 ? 0 : state.open[i - 1];
    if (state.open[i] <= before || state.open[i] > state.up_done) return false;
  }
  // The last word is the last part, and there is none without it.
  const auto over = [](const Part& part) { return part.kind == PartKind::over; };
  const auto overs = std::ranges::count_if(state.unsent, over);
  return overs == (state.closing ? 1 : 0) && (!state.closing || over(state.unsent.back()));
}

}  // namespace

bool operator==(const LinkState& a, const LinkState& b) {
  Bytes left;
  Bytes right;
  encode(a, left);
  encode(b, right);
  return left == right;
}

void encode(const LinkState& state, Bytes& out) {
  Encoder to(out);
  FieldWriter writer(to);
  to.byte(kLinkForm);
  state_of(writer, state);
  optional_of(writer, state.away, [&](const LinkTime& away) {
    writer.number(std::min<std::uint64_t>(static_cast<std::uint64_t>(away.count()), kMostTime), 0);
  });
  updates_of(writer, state.droppable);
  parts_of(writer, state.unsent);
}

DataResult<LinkState> decode_link(ByteView bytes) {
  Decoder in(bytes);
  FieldReader reader(in);
  LinkState state;
  if (in.byte() != kLinkForm) in.fail(DataErrc::malformed);
  state_of(reader, state);
  optional_of(reader, state.away, [&](LinkTime& away) {
    std::uint64_t passed = 0;
    reader.number(passed, kMostTime);
    away = LinkTime(passed);
  });
  updates_of(reader, in, state.droppable);
  parts_of(reader, in, state.unsent);
  if (in.ok() && !in_order(state)) in.fail(DataErrc::malformed);
  if (const DataErrc bad = in.finish(); bad != DataErrc::ok) return DataError(bad);
  return {in_place_value, std::move(state)};
}

}  // namespace starbus::entity::sessions
