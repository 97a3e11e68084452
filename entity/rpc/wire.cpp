#include "entity/rpc/wire.hpp"

#include "bus/core/wire/name.hpp"
#include "entity/rpc/limits.hpp"

namespace starbus::entity::rpc {
namespace {

template <class T>
T fixed(ByteView bytes) {
  return bytes.size() == sizeof(T) ? bus::load<T>(bytes.data()) : T{0};
}

}  // namespace

void put_header(Encoder& out, const CallHeader& header) {
  std::byte bytes[10 + kMaxVarint];
  const bool question = !header.answer_to.empty();
  bytes[0] = static_cast<std::byte>(question ? kQuestionForm : kCallForm);
  bytes[1] = static_cast<std::byte>(header.behalf);
  bus::store(bytes + 2, header.method);
  bus::store(bytes + 6, header.signature);
  std::size_t size = 10;
  if (header.behalf != Behalf::none) size += store_varint(bytes + size, header.client);
  out.raw(bytes, size);
  if (!question) return;
  out.text(header.answer_to);
  out.varint(header.question.epoch);
  out.varint(header.question.number);
}

Errc get_header(Decoder& in, CallHeader& header) {
  const std::uint8_t form = in.byte();
  const std::uint8_t behalf = in.byte();
  header.method = fixed<std::uint32_t>(in.take(4));
  header.signature = fixed<std::uint32_t>(in.take(4));
  if ((form != kCallForm && form != kQuestionForm) ||
      behalf > static_cast<std::uint8_t>(Behalf::any_client)) {
    return Errc::bad_bytes;
  }
  header.behalf = static_cast<Behalf>(behalf);
  if (header.behalf != Behalf::none) header.client = in.varint();
  if (form == kQuestionForm) {
    header.answer_to = in.text();
    header.question.epoch = in.varint();
    header.question.number = in.varint();
    if (in.ok() && !bus::Name::of(header.answer_to)) return Errc::bad_bytes;
  }
  return in.ok() ? Errc::ok : Errc::bad_bytes;
}

void put_reply_head(Encoder& out, ReplyKind kind) {
  const std::byte bytes[2] = {static_cast<std::byte>(kReplyForm), static_cast<std::byte>(kind)};
  out.raw(bytes, sizeof bytes);
}

void put_error(Encoder& out, const Error& error) {
  put_reply_head(out, ReplyKind::error);
  out.varint(error.code.domain());
  out.varint(error.code.number());
  out.text(std::string_view(error.detail).substr(0, kMaxDetail));
}

void put_answer_head(Encoder& out, const AnswerId& question) {
  out.byte(kAnswerForm);
  out.varint(question.epoch);
  out.varint(question.number);
}

bool get_answer_head(Decoder& in, AnswerId& question) {
  const std::uint8_t form = in.byte();
  question.epoch = in.varint();
  question.number = in.varint();
  return in.ok() && form == kAnswerForm;
}

bool get_reply_head(Decoder& in, ReplyKind& kind, Error& error) {
  const std::uint8_t form = in.byte();
  const std::uint8_t byte = in.byte();
  if (!in.ok() || form != kReplyForm || byte > static_cast<std::uint8_t>(ReplyKind::error)) {
    return false;
  }
  kind = static_cast<ReplyKind>(byte);
  if (kind != ReplyKind::error) return true;
  const std::uint64_t domain = in.varint();
  const std::uint64_t number = in.varint();
  const std::string_view text = in.text();
  if (in.finish() != DataErrc::ok || text.size() > kMaxDetail) return false;
  if (domain == 0 || domain > 0xffff || number == 0 || number > 0xffff) return false;
  // A newer peer may have codes that this build does not know: the caller gets them as they are.
  const Code code(static_cast<std::uint16_t>(domain), static_cast<std::uint16_t>(number));
  error = Error(code, std::string(text));
  return true;
}

}  // namespace starbus::entity::rpc
