#include "clients/cpp/calls.hpp"

#include "clients/cpp/limits.hpp"

namespace starbus::game {
namespace {

constexpr std::uint8_t kCallForm = 0xa1;
constexpr std::uint8_t kAnswerForm = 0xa8;

}  // namespace

Bytes call_body(std::uint32_t method, std::uint32_t types, ByteView arguments) {
  Bytes body;
  FieldWriter out(body);
  out.byte(kCallForm);
  out.byte(0);  // on whose behalf: the server knows
  out.word(method);
  out.word(types);
  body.insert(body.end(), arguments.begin(), arguments.end());
  return body;
}

std::uint32_t method_of(ByteView body) {
  constexpr std::size_t kHead = 2;  // form, behalf
  if (body.size() < kHead) return 0;
  FieldReader in(body.subspan(kHead));
  return in.word();
}

Read<Answer> read_answer(ByteView bytes) {
  FieldReader in(bytes);
  Read<Answer> read;
  Answer& answer = read.value;
  if (in.byte() != kAnswerForm) in.refuse(Refusal::malformed);
  answer.kind = static_cast<AnswerKind>(in.byte(0, 2));
  if (answer.kind == AnswerKind::error) {
    answer.domain = in.number16();
    answer.number = in.number16();
    answer.detail = in.text(kDetailBytes);
  } else {
    answer.bytes = in.rest(kPartBytes);
  }
  read.refusal = in.finish();
  return read;
}

}  // namespace starbus::game
