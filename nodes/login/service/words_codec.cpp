#include "nodes/login/service/words_codec.hpp"

#include "entity/client/fields.hpp"
#include "nodes/gate/wire/limits.hpp"

namespace starbus::nodes::login {
namespace {

namespace sessions = entity::sessions;
using entity::DataErrc;
using entity::DataError;
using entity::DataResult;
using entity::Decoder;
using entity::Encoder;
using sessions::FieldReader;
using sessions::FieldWriter;
using sessions::kAnyNumber;

constexpr std::uint8_t kAsk = 0xe8;
constexpr std::uint8_t kWaiting = 0xe9;
constexpr std::uint8_t kAdmitted = 0xea;
constexpr std::uint8_t kRefused = 0xeb;
constexpr std::size_t kAddressText = 64;  // IPv6 with a zone, and some

template <class A, class W>
void ask_of(A& a, W& w) {
  a.key(w.session);
  sessions::gate_of(a, w.gate);
  a.text(w.method, gate::kMethodBytes);
  a.text(w.account, gate::kAccountBytes);
  a.bytes(w.proof, gate::kProofBytes);
  a.text(w.address, kAddressText);
}
template <class A, class W>
void waiting_of(A& a, W& w) {
  a.number(w.ahead, kAnyNumber);
  a.number(w.seconds, 0xffff'ffff);
}
template <class A, class W>
void admitted_of(A& a, W& w) {
  a.text(w.account, sessions::kChannelBytes);
  a.number(w.login, kAnyNumber);
  a.bytes(w.ticket, sessions::kTicketBytes);
  a.bytes(w.reentry, sessions::kTicketBytes);
}
template <class A, class W>
void refused_of(A& a, W& w) {
  if constexpr (A::kReads) {
    a.byte(w.reason, 1, static_cast<std::uint8_t>(gate::CloseReason::fault));
  } else {
    a.byte(static_cast<std::uint8_t>(w.reason), 1, 0);
  }
  a.number(w.retry_ms, 0xffff'ffff);
  a.text(w.text, gate::kCloseTextBytes);
}

}  // namespace

void encode(const Ask& word, bus::Bytes& out) {
  Encoder to(out);
  to.byte(kAsk);
  FieldWriter writer(to);
  ask_of(writer, word);
}

void encode(const Answer& word, bus::Bytes& out) {
  Encoder to(out);
  FieldWriter writer(to);
  if (const auto* waiting = std::get_if<Waiting>(&word)) {
    to.byte(kWaiting);
    waiting_of(writer, *waiting);
  } else if (const auto* admitted = std::get_if<Admitted>(&word)) {
    to.byte(kAdmitted);
    admitted_of(writer, *admitted);
  } else {
    to.byte(kRefused);
    refused_of(writer, std::get<Refused>(word));
  }
}

DataResult<Ask> decode_ask(bus::ByteView bytes) {
  Decoder in(bytes);
  Ask word;
  if (in.byte() != kAsk) in.fail(DataErrc::malformed);
  FieldReader reader(in);
  if (in.ok()) ask_of(reader, word);
  if (const DataErrc bad = in.finish(); bad != DataErrc::ok) return DataError(bad);
  return {in_place_value, std::move(word)};
}

DataResult<Answer> decode_answer(bus::ByteView bytes) {
  Decoder in(bytes);
  Answer word;
  FieldReader reader(in);
  switch (in.byte()) {
    case kWaiting:
      waiting_of(reader, word.emplace<Waiting>());
      break;
    case kAdmitted:
      admitted_of(reader, word.emplace<Admitted>());
      break;
    case kRefused:
      refused_of(reader, word.emplace<Refused>());
      break;
    default:
      in.fail(DataErrc::malformed);
  }
  if (const DataErrc bad = in.finish(); bad != DataErrc::ok) return DataError(bad);
  return {in_place_value, std::move(word)};
}

}  // namespace starbus::nodes::login
