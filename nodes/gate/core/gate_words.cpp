#include "nodes/gate/core/gate_words.hpp"

#include <limits>
#include <type_traits>
#include <utility>

#include "entity/client/fields.hpp"
#include "nodes/gate/core/limits.hpp"

namespace starbus::nodes::gate {
namespace {

using entity::DataErrc;
using entity::DataError;
using entity::DataResult;
using entity::Decoder;
using entity::Encoder;
using sessions::kAnyNumber;
using sessions::kChannelBytes;
using sessions::PartKind;

constexpr std::uint8_t kGateWord = 0xd8;
constexpr std::uint8_t kTakenWord = 0xde;
constexpr std::uint64_t kMostMinutes = 24U * 3'600'000U;  // of milliseconds away
constexpr std::uint8_t kLastReason = static_cast<std::uint8_t>(CloseReason::fault);

/// A value of an enum as one byte.
template <class A, class V>
void enum_of(A& a, V& value, std::uint8_t least, std::uint8_t most) {
  if constexpr (A::kReads) {
    a.byte(value, least, most);
  } else {
    a.byte(static_cast<std::uint8_t>(value), least, most);
  }
}
template <class A, class V>
void bool_of(A& a, V& value) {
  std::uint8_t bit = value ? 1 : 0;
  a.byte(bit, 0, 1);
  if constexpr (A::kReads) value = bit == 1;
}
template <class A, class V>
void body_bytes(A& a, V& body, std::size_t most) {
  if constexpr (A::kReads) {
    bus::Bytes bytes;
    a.bytes(bytes, most);
    body = std::make_shared<const bus::Bytes>(std::move(bytes));
  } else {
    a.bytes(body ? *body : bus::Bytes{}, most);
  }
}
template <class A, class V>
void at_of(A& a, V& v) {
  a.key(v.session);
  a.number(v.turn, 0xffff'ffff);
  pair_of(a, v.bind);
  pair_of(a, v.run);
  a.text(v.subject, kChannelBytes);
}
template <class A, class V>
void part_of(A& a, V& v) {
  enum_of(a, v.kind, static_cast<std::uint8_t>(PartKind::full),
          static_cast<std::uint8_t>(sessions::kLastPart));
  body_bytes(a, v.body, 2 * sessions::kPartBytes);
}
template <class A, class V>
void held_of(A& a, V& v) {
  at_of(a, v.at);
  process_of(a, v.home);
  a.number(v.n, kAnyNumber);
  part_of(a, v.part);
}
template <class A, class V>
void mark_of(A& a, V& v) {
  pair_of(a, v.bind);
  pair_of(a, v.run);
  a.number(v.n, kAnyNumber);
}
template <class A, class V>
void position_of(A& a, V& v) {
  a.number(v.turn, 0xffff'ffff);
  a.number(v.c, kAnyNumber);
}
template <class A, class V>
void give_of(A& a, V& v) {
  a.key(v.session);
  a.key(v.token);
  position_of(a, v.position);
  gate_of(a, v.taker);
  a.text(v.address, kAddressBytes);
  a.number(v.number, kAnyNumber);
}

// --- the record ----------------------------------------------------------------------------------

template <class A, class V>
void hand_of(A& a, V& v) {
  a.number(v.turn, 0xffff'fffe);
  a.key(v.secret);
  list_of(a, v.passes, sessions::kRelinkChain, [&](auto& pass) {
    a.key(pass.secret);
    a.key(pass.seal);
  });
  list_of(a, v.givers, kGivers, [&](auto& gate) { gate_of(a, gate); });
  a.number(v.shown, 0xffff'ffff);
}
template <class A, class V>
void order_of(A& a, V& v) {
  pair_of(a, v.bind);
  pair_of(a, v.run);
  a.number(v.next, kAnyNumber);
  process_of(a, v.home);
  list_of(a, v.held, kHeldParts, [&](auto& part) { held_of(a, part); });
  list_of(a, v.early, kEarlyParts, [&](auto& part) { held_of(a, part); });
}
/// A window has packets of subjects and groups: a session that has ended is not handed over.
template <class A, class V>
void parcel_of(A& a, V& v) {
  a.number(v.c, kAnyNumber);
  enum_of(a, v.kind, static_cast<std::uint8_t>(PacketKind::full),
          static_cast<std::uint8_t>(PacketKind::spoken));
  a.number(v.up_seen, kAnyNumber);
  if constexpr (A::kReads) {
    Body body;
    body_bytes(a, body, 2 * sessions::kPartBytes);
    v.body = std::move(body);
  } else {
    body_bytes(a, std::get<Body>(v.body), 0);
  }
  mark_of(a, v.mark);
  mark_of(a, v.last);
}
template <class A, class V>
void window_of(A& a, V& v) {
  a.number(v.next, kAnyNumber);
  a.number(v.acked, kAnyNumber);
  mark_of(a, v.marked);
  mark_of(a, v.credited);
  list_of(a, v.packets, kWindowPackets, [&](auto& parcel) { parcel_of(a, parcel); });
}
void requests_of(sessions::FieldWriter& a, const RequestTable::State& v) {
  a.number(v.seen, 0);
  pair_of(a, v.bind);
  a.count(v.pending.size(), 0);
  for (const auto& [u, body] : v.pending) {
    a.number(u, 0);
    a.bytes(body, 0);
  }
  a.count(v.open.size(), 0);
  for (const std::uint64_t u : v.open) a.number(u, 0);
}
void requests_of(sessions::FieldReader& a, RequestTable::State& v) {
  a.number(v.seen, kAnyNumber);
  pair_of(a, v.bind);
  for (std::size_t left = a.count(0, sessions::kRequestsOpen); left > 0; --left) {
    std::uint64_t u = 0;
    bus::Bytes body;
    a.number(u, kAnyNumber);
    a.bytes(body, sessions::kRequestBytes);
    v.pending.emplace_hint(v.pending.end(), u, std::move(body));
  }
  for (std::size_t left = a.count(0, 2 * sessions::kRequestsOpen); left > 0; --left) {
    std::uint64_t u = 0;
    a.number(u, kAnyNumber);
    v.open.insert(v.open.end(), u);
  }
}
template <class A, class V>
void take_of(A& a, V& v) {
  a.key(v.session);
  gate_of(a, v.giver);
  a.text(v.account, kChannelBytes);
  a.text(v.subject, kChannelBytes);
  a.number(v.login, kAnyNumber);
  a.bytes(v.reentry, kReentryBytes);
  std::uint64_t away = static_cast<std::uint64_t>(v.away.count());
  a.number(away, kMostMinutes);
  if constexpr (A::kReads) v.away = std::chrono::milliseconds(away);
  a.key(v.tokens.current);
  a.key(v.tokens.next);
  list_of(a, v.tokens.erased, kTokensErased, [&](auto& key) { a.key(key); });
  hand_of(a, v.hand);
  order_of(a, v.order);
  window_of(a, v.window);
  requests_of(a, v.requests);
  list_of(a, v.groups, sessions::kLinkGroups,
          [&](auto& group) { a.text(group, sessions::kGroupName); });
  list_of(a, v.spoken, kOriginsKept, [&](auto& origin) {
    process_of(a, origin.process);
    a.number(origin.highest, kAnyNumber);
    a.number(origin.before, kAnyNumber);
  });
}

/// What the parts of a record say of each other; a decoder cannot say it by bounds.
bool in_order(const Take& take) {
  if (!take.session || take.hand.turn == 0 || !take.hand.secret || take.account.empty()) {
    return false;
  }
  if (take.window.next == 0 || take.window.acked >= take.window.next) return false;
  std::uint64_t c = take.window.next - take.window.packets.size();
  if (c != take.window.acked + 1) return false;
  for (const Parcel& parcel : take.window.packets) {
    if (parcel.c != c++) return false;
  }
  std::uint64_t before = take.order.next;
  for (const HeldPart& part : take.order.held) {
    if (part.n <= before || part.at.bind != take.order.bind) return false;
    before = part.n;
  }
  const auto& pending = take.requests.pending;
  const auto& open = take.requests.open;
  return (pending.empty() || pending.rbegin()->first <= take.requests.seen) &&
         (open.empty() || *open.rbegin() <= take.requests.seen);
}

// --- what is forwarded ---------------------------------------------------------------------------

template <class A, class W>
void forwarded_fields(A& a, W& w) {
  using Word = std::remove_const_t<W>;
  if constexpr (std::is_same_v<Word, ForwardedParts>) {
    at_of(a, w.at);
    process_of(a, w.home);
    a.number(w.first, kAnyNumber);
    list_of(a, w.parts, sessions::kBundleParts, [&](auto& part) { part_of(a, part); });
  } else if constexpr (std::is_same_v<Word, sessions::Bound>) {
    a.key(w.session);
    pair_of(a, w.bind);
    a.text(w.subject, kChannelBytes);
  } else if constexpr (std::is_same_v<Word, sessions::End>) {
    a.key(w.session);
    pair_of(a, w.bind);
    reason_of(a, w.reason);
    optional_of(a, w.closing, [&](auto& closing) { closing_of(a, closing); });
  } else if constexpr (std::is_same_v<Word, ForwardedSpoken>) {
    process_of(a, w.origin);
    a.number(w.number, kAnyNumber);
    a.text(w.group, sessions::kGroupName);
    body_bytes(a, w.body, 2 * sessions::kPartBytes);
  } else {
    give_of(a, w);
  }
}

template <std::size_t I = 0>
void read_forwarded(std::size_t index, sessions::FieldReader& a, Forwarded& word) {
  using What = decltype(word.what);
  if constexpr (I < std::variant_size_v<What>) {
    if (index != I) return read_forwarded<I + 1>(index, a, word);
    forwarded_fields(a, word.what.template emplace<I>());
  }
}

template <class A, class V>
void word_fields(A& a, V& w) {
  using Word = std::remove_const_t<V>;
  if constexpr (std::is_same_v<Word, Give>) {
    give_of(a, w);
  } else if constexpr (std::is_same_v<Word, NoGive>) {
    a.key(w.session);
    a.number(w.number, kAnyNumber);
    enum_of(a, w.reason, 1, kLastReason);
    bool_of(a, w.reenter);
  } else if constexpr (std::is_same_v<Word, Take>) {
    take_of(a, w);
  } else if constexpr (std::is_same_v<Word, StubDone>) {
    a.key(w.session);
    a.number(w.turn, 0xffff'ffff);
  } else {
    a.key(w.session);
    std::uint8_t hops = w.hops;
    a.byte(hops, 1, kForwardHops);
    std::uint8_t which = static_cast<std::uint8_t>(w.what.index());
    a.byte(which, 0, std::variant_size_v<decltype(w.what)> - 1);
    if constexpr (A::kReads) {
      w.hops = hops;
      read_forwarded(which, a, w);
    } else {
      std::visit([&](const auto& each) { forwarded_fields(a, each); }, w.what);
    }
  }
}

template <std::size_t I = 0>
void read_word(std::size_t index, Decoder& in, GateWord& word) {
  if constexpr (I < std::variant_size_v<GateWord>) {
    if (index != I) return read_word<I + 1>(index, in, word);
    sessions::FieldReader reader(in);
    word_fields(reader, word.emplace<I>());
  } else {
    in.fail(DataErrc::malformed);
  }
}

}  // namespace

bool encode(const GateWord& word, bus::Bytes& out) {
  const std::size_t before = out.size();
  Encoder to(out);
  to.byte(static_cast<std::uint8_t>(kGateWord + word.index()));
  sessions::FieldWriter writer(to);
  std::visit([&](const auto& each) { word_fields(writer, each); }, word);
  if (out.size() - before <= kTakeBytes) return true;
  out.resize(before);
  return false;
}

DataResult<GateWord> decode_gate_word(bus::ByteView bytes) {
  if (bytes.size() > kTakeBytes) return DataError(DataErrc::too_large);
  Decoder in(bytes);
  const std::uint8_t form = in.byte();
  GateWord word;
  if (form < kGateWord) in.fail(DataErrc::malformed);
  if (in.ok()) read_word(static_cast<std::size_t>(form - kGateWord), in, word);
  if (const auto* take = std::get_if<Take>(&word); in.ok() && take != nullptr && !in_order(*take)) {
    in.fail(DataErrc::malformed);
  }
  if (const DataErrc bad = in.finish(); bad != DataErrc::ok) return DataError(bad);
  return {in_place_value, std::move(word)};
}

void encode(Taken answer, bus::Bytes& out) {
  Encoder to(out);
  to.byte(kTakenWord);
  to.byte(static_cast<std::uint8_t>(answer));
}

DataResult<Taken> decode_taken(bus::ByteView bytes) {
  Decoder in(bytes);
  Taken answer = Taken::taken;
  if (in.byte() != kTakenWord) in.fail(DataErrc::malformed);
  sessions::FieldReader reader(in);
  reader.byte(answer, 0, static_cast<std::uint8_t>(Taken::refused));
  if (const DataErrc bad = in.finish(); bad != DataErrc::ok) return DataError(bad);
  return answer;
}

}  // namespace starbus::nodes::gate
