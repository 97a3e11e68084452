#include "nodes/login/desk/words.hpp"

#include "entity/client/fields.hpp"
#include "nodes/login/core/limits.hpp"

namespace starbus::nodes::login {
namespace {

using entity::DataErrc;
using entity::Decoder;
using entity::Encoder;
using entity::sessions::FieldReader;
using entity::sessions::FieldWriter;
using entity::sessions::kChannelBytes;
using entity::sessions::kTicketBytes;

enum class ToldKind : std::uint8_t { waiting = 1, admitted = 2, refused = 3 };

template <class A, class V>
void ask_of(A& a, V& v) {
  a.key(v.session);
  a.text(v.gate.channel, kChannelBytes);
  a.text(v.method, kMethodBytes);
  a.text(v.account, kTypedBytes);
  a.bytes(v.proof, kProofBytes);
  a.text(v.address, kAddressBytes);
}
template <class A, class V>
void waiting_of(A& a, V& v) {
  a.number(v.ahead, entity::sessions::kAnyNumber);
  a.number(v.seconds, 0xffff'ffff);
}
template <class A, class V>
void admitted_of(A& a, V& v) {
  a.text(v.account, kChannelBytes);
  a.number(v.login, entity::sessions::kAnyNumber);
  a.bytes(v.ticket, kTicketBytes);
  a.bytes(v.reentry, kTicketBytes);
}
template <class A, class V>
void refused_of(A& a, V& v) {
  if constexpr (A::kReads) {
    a.byte(v.reason, 1, static_cast<std::uint8_t>(gate::CloseReason::fault));
  } else {
    a.byte(static_cast<std::uint8_t>(v.reason), 1, 0);
  }
  a.number(v.retry_ms, 0xffff'ffff);
  a.text(v.text, kRefusalBytes);
}

template <class Word>
entity::DataResult<Word> finished(Decoder& in, Word word) {
  if (const DataErrc error = in.finish(); error != DataErrc::ok) return error;
  return word;
}

}  // namespace

void encode(const Ask& ask, bus::Bytes& out) {
  Encoder encoder(out);
  FieldWriter fields(encoder);
  ask_of(fields, ask);
}

entity::DataResult<Ask> decode_ask(bus::ByteView bytes) {
  Decoder in(bytes);
  FieldReader fields(in);
  Ask ask;
  ask_of(fields, ask);
  if (in.ok() && !ask.session) in.fail(DataErrc::malformed);
  return finished(in, std::move(ask));
}

void encode(const Told& told, bus::Bytes& out) {
  Encoder encoder(out);
  FieldWriter fields(encoder);
  encoder.byte(static_cast<std::uint8_t>(told.answer.index() + 1));
  fields.key(told.session);
  if (const auto* waiting = std::get_if<Waiting>(&told.answer)) waiting_of(fields, *waiting);
  if (const auto* admitted = std::get_if<Admitted>(&told.answer)) admitted_of(fields, *admitted);
  if (const auto* refused = std::get_if<Refused>(&told.answer)) refused_of(fields, *refused);
}

entity::DataResult<Told> decode_told(bus::ByteView bytes) {
  Decoder in(bytes);
  FieldReader fields(in);
  Told told;
  auto kind = ToldKind::waiting;
  fields.byte(kind, 1, 3);
  fields.key(told.session);
  switch (kind) {
    case ToldKind::waiting:
      waiting_of(fields, told.answer.emplace<Waiting>());
      break;
    case ToldKind::admitted:
      admitted_of(fields, told.answer.emplace<Admitted>());
      break;
    case ToldKind::refused:
      refused_of(fields, told.answer.emplace<Refused>());
      break;
  }
  return finished(in, std::move(told));
}

}  // namespace starbus::nodes::login
