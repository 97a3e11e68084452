#include "nodes/gate/wire/login_words.hpp"

#include "entity/client/fields.hpp"
#include "nodes/gate/wire/limits.hpp"

namespace starbus::nodes::gate {
namespace {

using entity::DataErrc;
using entity::Decoder;
using entity::Encoder;
using sessions::FieldReader;
using sessions::FieldWriter;
using sessions::kAnyNumber;
using sessions::kChannelBytes;
using sessions::kTicketBytes;

enum class LoginToldKind : std::uint8_t { waiting = 1, admitted = 2, refused = 3 };

template <class A, class V>
void ask_of(A& a, V& v) {
  a.key(v.session);
  a.text(v.gate.channel, kChannelBytes);
  a.text(v.method, kMethodBytes);
  a.text(v.account, kAccountBytes);
  a.bytes(v.proof, kProofBytes);
  a.text(v.address, kClientAddressBytes);
}
template <class A, class V>
void waiting_of(A& a, V& v) {
  a.number(v.ahead, kAnyNumber);
  a.number(v.seconds, 0xffff'ffff);
}
template <class A, class V>
void admitted_of(A& a, V& v) {
  a.text(v.account, kChannelBytes);
  a.number(v.login, kAnyNumber);
  a.bytes(v.ticket, kTicketBytes);
  a.bytes(v.reentry, kTicketBytes);
}
template <class A, class V>
void refused_of(A& a, V& v) {
  if constexpr (A::kReads) {
    a.byte(v.reason, 1, static_cast<std::uint8_t>(CloseReason::fault));
  } else {
    a.byte(static_cast<std::uint8_t>(v.reason), 1, 0);
  }
  a.number(v.retry_ms, 0xffff'ffff);
  a.text(v.text, kCloseTextBytes);
}

template <class Word>
entity::DataResult<Word> finished(Decoder& in, Word word) {
  if (const DataErrc error = in.finish(); error != DataErrc::ok) return error;
  return word;
}

}  // namespace

void encode(const LoginAsk& ask, bus::Bytes& out) {
  Encoder encoder(out);
  FieldWriter fields(encoder);
  ask_of(fields, ask);
}

entity::DataResult<LoginAsk> decode_login_ask(bus::ByteView bytes) {
  Decoder in(bytes);
  FieldReader fields(in);
  LoginAsk ask;
  ask_of(fields, ask);
  if (in.ok() && !ask.session) in.fail(DataErrc::malformed);
  return finished(in, std::move(ask));
}

void encode(const LoginTold& told, bus::Bytes& out) {
  Encoder encoder(out);
  FieldWriter fields(encoder);
  encoder.byte(static_cast<std::uint8_t>(told.answer.index() + 1));
  fields.key(told.session);
  if (const auto* waiting = std::get_if<LoginWaiting>(&told.answer)) waiting_of(fields, *waiting);
  if (const auto* admitted = std::get_if<LoginAdmitted>(&told.answer))
    admitted_of(fields, *admitted);
  if (const auto* refused = std::get_if<LoginRefused>(&told.answer)) refused_of(fields, *refused);
}

entity::DataResult<LoginTold> decode_login_told(bus::ByteView bytes) {
  Decoder in(bytes);
  FieldReader fields(in);
  LoginTold told;
  auto kind = LoginToldKind::waiting;
  fields.byte(kind, 1, 3);
  fields.key(told.session);
  switch (kind) {
    case LoginToldKind::waiting:
      waiting_of(fields, told.answer.emplace<LoginWaiting>());
      break;
    case LoginToldKind::admitted:
      admitted_of(fields, told.answer.emplace<LoginAdmitted>());
      break;
    case LoginToldKind::refused:
      refused_of(fields, told.answer.emplace<LoginRefused>());
      break;
  }
  return finished(in, std::move(told));
}

}  // namespace starbus::nodes::gate
