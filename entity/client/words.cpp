#include "entity/client/words.hpp"

#include <type_traits>

#include "entity/client/fields.hpp"

namespace starbus::entity::sessions {
namespace {

/// The first byte of the first word of each kind; the others follow.
constexpr std::uint8_t kToSubject = 0xc1;
constexpr std::uint8_t kAnswer = 0xca;
constexpr std::uint8_t kToAccount = 0xcb;
constexpr std::uint8_t kToGate = 0xce;
constexpr std::uint8_t kAskAccount = 0xd1;
constexpr std::uint8_t kAccountAnswer = 0xd5;

/// What an answer is: from 0 to `last`.
template <class A, class V, class Kind>
void kind_of(A& a, V& kind, Kind last) {
  if constexpr (A::kReads) {
    a.byte(kind, 0, static_cast<std::uint8_t>(last));
  } else {
    a.byte(static_cast<std::uint8_t>(kind), 0, 0);
  }
}

template <class A, class W>
void fields(A& a, W& w) {
  using Word = std::remove_const_t<W>;
  if constexpr (std::is_same_v<Word, SetLink>) {
    a.key(w.session);
    gate_of(a, w.gate);
    a.number(w.turn, 0xffff'ffff);
    pair_of(a, w.bind);
    a.number(w.login, kAnyNumber);
    a.text(w.account, kChannelBytes);
    a.key(w.seal);
    optional_of(a, w.closing, [&](auto& closing) { closing_of(a, closing); });
  } else if constexpr (std::is_same_v<Word, Unlink>) {
    pair_of(a, w.bind);
    reason_of(a, w.reason);
  } else if constexpr (std::is_same_v<Word, Relink>) {
    a.key(w.session);
    pair_of(a, w.bind);
    a.number(w.turn, 0xffff'ffff);
    gate_of(a, w.gate);
    list_of(a, w.passes, kRelinkChain, [&](auto& pass) {
      a.key(pass.secret);
      a.key(pass.seal);
    });
  } else if constexpr (std::is_same_v<Word, Resync> || std::is_same_v<Word, Pulse>) {
    a.key(w.session);
    a.number(w.turn, 0xffff'ffff);
    pair_of(a, w.bind);
    pair_of(a, w.run);
    a.number(w.next, kAnyNumber);
  } else if constexpr (std::is_same_v<Word, Credit>) {
    a.key(w.session);
    pair_of(a, w.bind);
    pair_of(a, w.run);
    a.number(w.n, kAnyNumber);
    a.number(w.bytes, kAnyNumber);
  } else if constexpr (std::is_same_v<Word, ClientGone>) {
    a.key(w.session);
    pair_of(a, w.bind);
  } else if constexpr (std::is_same_v<Word, Unknown>) {
    a.key(w.session);
    a.number(w.turn, 0xffff'ffff);
  } else if constexpr (std::is_same_v<Word, Request>) {
    a.key(w.session);
    a.number(w.turn, 0xffff'ffff);
    pair_of(a, w.bind);
    a.number(w.u, kAnyNumber);
    a.bytes(w.body, kRequestBytes);
  } else if constexpr (std::is_same_v<Word, Left>) {
    a.key(w.session);
    pair_of(a, w.bind);
    a.text(w.subject, kChannelBytes);
    reason_of(a, w.reason);
    closing_of(a, w.closing);
  } else if constexpr (std::is_same_v<Word, LinkLost>) {
    a.text(w.subject, kChannelBytes);
  } else if constexpr (std::is_same_v<Word, Prove>) {
    // nothing to say
  } else if constexpr (std::is_same_v<Word, BindSession>) {
    a.key(w.session);
    gate_of(a, w.gate);
    a.number(w.turn, 0xffff'ffff);
    a.key(w.seal);
    a.bytes(w.ticket, kTicketBytes);
  } else if constexpr (std::is_same_v<Word, Where>) {
    a.key(w.session);
    pair_of(a, w.bind);
  } else if constexpr (std::is_same_v<Word, Bound>) {
    a.key(w.session);
    pair_of(a, w.bind);
    a.text(w.subject, kChannelBytes);
  } else if constexpr (std::is_same_v<Word, End>) {
    a.key(w.session);
    pair_of(a, w.bind);
    reason_of(a, w.reason);
    optional_of(a, w.closing, [&](auto& closing) { closing_of(a, closing); });
  } else if constexpr (std::is_same_v<Word, AccountAnswer>) {
    kind_of(a, w.kind, AccountAnswerKind::later);
    pair_of(a, w.bind);
    a.text(w.subject, kChannelBytes);
    a.number(w.login, kAnyNumber);
    a.number(w.turn, 0xffff'ffff);
    gate_of(a, w.gate);
  } else {
    static_assert(std::is_same_v<Word, Answer>);
    kind_of(a, w.kind, AnswerKind::ending);
    pair_of(a, w.bind);
    pair_of(a, w.run);
    a.number(w.next, kAnyNumber);
    a.number(w.turn, 0xffff'ffff);
    gate_of(a, w.gate);
    optional_of(a, w.closing, [&](auto& closing) { closing_of(a, closing); });
  }
}

template <class... W>
void write(const std::variant<W...>& word, std::uint8_t first, Bytes& out) {
  Encoder to(out);
  to.byte(static_cast<std::uint8_t>(first + word.index()));
  FieldWriter writer(to);
  std::visit([&](const auto& each) { fields(writer, each); }, word);
}

template <class W>
void write_one(const W& word, std::uint8_t first, Bytes& out) {
  Encoder to(out);
  to.byte(first);
  FieldWriter writer(to);
  fields(writer, word);
}

template <class W>
DataResult<W> read_one(ByteView bytes, std::uint8_t first) {
  Decoder in(bytes);
  W word;
  if (in.byte() != first) in.fail(DataErrc::malformed);
  FieldReader reader(in);
  if (in.ok()) fields(reader, word);
  if (const DataErrc bad = in.finish(); bad != DataErrc::ok) return DataError(bad);
  return {in_place_value, std::move(word)};
}

template <class Variant, std::size_t I = 0>
void read_alternative(std::size_t index, Decoder& in, Variant& word) {
  if constexpr (I < std::variant_size_v<Variant>) {
    if (index != I) return read_alternative<Variant, I + 1>(index, in, word);
    FieldReader reader(in);
    fields(reader, word.template emplace<I>());
  } else {
    in.fail(DataErrc::malformed);
  }
}

template <class Variant>
DataResult<Variant> read(ByteView bytes, std::uint8_t first) {
  Decoder in(bytes);
  const std::uint8_t form = in.byte();
  Variant word;
  if (form < first) in.fail(DataErrc::malformed);
  if (in.ok()) read_alternative(static_cast<std::size_t>(form - first), in, word);
  if (const DataErrc bad = in.finish(); bad != DataErrc::ok) return DataError(bad);
  return {in_place_value, std::move(word)};
}

}  // namespace

void encode(const ToSubject& word, Bytes& out) {
  write(word, kToSubject, out);
}
void encode(const ToAccount& word, Bytes& out) {
  write(word, kToAccount, out);
}
void encode(const AskAccount& word, Bytes& out) {
  write(word, kAskAccount, out);
}
void encode(const ToGate& word, Bytes& out) {
  write(word, kToGate, out);
}
void encode(const Answer& word, Bytes& out) {
  write_one(word, kAnswer, out);
}
void encode(const AccountAnswer& word, Bytes& out) {
  write_one(word, kAccountAnswer, out);
}

DataResult<ToSubject> decode_to_subject(ByteView bytes) {
  return read<ToSubject>(bytes, kToSubject);
}
DataResult<ToAccount> decode_to_account(ByteView bytes) {
  return read<ToAccount>(bytes, kToAccount);
}
DataResult<AskAccount> decode_ask_account(ByteView bytes) {
  return read<AskAccount>(bytes, kAskAccount);
}
DataResult<ToGate> decode_to_gate(ByteView bytes) {
  return read<ToGate>(bytes, kToGate);
}
DataResult<Answer> decode_answer(ByteView bytes) {
  return read_one<Answer>(bytes, kAnswer);
}
DataResult<AccountAnswer> decode_account_answer(ByteView bytes) {
  return read_one<AccountAnswer>(bytes, kAccountAnswer);
}

}  // namespace starbus::entity::sessions
