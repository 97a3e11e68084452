#include "nodes/db/remote/wire.hpp"

#include "nodes/db/limits.hpp"
#include "nodes/db/remote/wire_parts.hpp"

namespace starbus::nodes::db {
namespace {

constexpr std::uint8_t kRequestMark = 0xD1;  // no call of RPC begins so
constexpr std::uint8_t kAnswerMark = 0xD8;
constexpr std::uint8_t kWireVersion = 1;
const entity::Budget kWireBudget{.bytes = kWireBytes};

template <std::size_t I = 0>
Arguments read_arguments(wire::In& in, std::size_t method) {
  if constexpr (I < std::variant_size_v<Arguments>) {
    if (method != I) return read_arguments<I + 1>(in, method);
    Arguments arguments(std::in_place_index<I>);
    wire::get(in, std::get<I>(arguments));
    return arguments;
  } else {
    in.fail({Errc::bad_request, "unknown method; the caller is newer"});
    return {};
  }
}

bus::Bytes begin_answer(Verdict verdict) {
  return {std::byte{kAnswerMark}, static_cast<std::byte>(verdict)};
}

}  // namespace

Result<bus::Bytes> encode_arguments(const Arguments& arguments) {
  bus::Bytes bytes;
  wire::Out out(bytes);
  out.bytes.byte(static_cast<std::uint8_t>(arguments.index()));
  std::visit([&](const auto& each) { wire::put(out, each); }, arguments);
  if (out.wrong != Errc::ok) return out.wrong;
  if (!out.bytes.ok()) return Error(Errc::too_large, "request too large: split it");
  return bytes;
}

bus::Bytes encode_head(const std::string& database, std::uint64_t age_ms) {
  bus::Bytes bytes;
  entity::Encoder out(bytes);
  out.byte(kRequestMark);
  out.byte(kWireVersion);
  out.number(age_ms);
  out.text(database);
  return bytes;
}

Result<Request> decode_request(bus::ByteView body) {
  entity::Decoder bytes(body, kWireBudget);
  if (bytes.byte() != kRequestMark) return Error(Errc::bad_request, "not a document request");
  if (bytes.byte() != kWireVersion) return Error(Errc::bad_request, "unknown protocol version");
  Request request;
  const auto age_ms = bytes.number<std::uint64_t>();
  request.database = bytes.text();
  wire::In in(bytes);
  request.arguments = read_arguments(in, bytes.byte());
  if (in.wrong != Errc::ok) return in.wrong;
  if (bytes.finish() != entity::DataErrc::ok) {
    return Error(Errc::bad_request, std::string(entity::meaning_of(bytes.error())));
  }
  if (auto* const write = std::get_if<WriteRequest>(&request.arguments)) write->age_ms = age_ms;
  return Result<Request>(std::move(request));
}

std::optional<Verdicted> decode_verdict(bus::ByteView body) {
  entity::Decoder bytes(body, kWireBudget);
  if (bytes.byte() != kAnswerMark) return std::nullopt;
  Verdicted verdicted;
  verdicted.verdict = static_cast<Verdict>(bytes.byte());
  if (verdicted.verdict == Verdict::answered) {
    verdicted.answer = bytes.rest();
    return bytes.ok() ? std::optional(verdicted) : std::nullopt;
  }
  if (verdicted.verdict != Verdict::refused) return std::nullopt;
  wire::In in(bytes);
  wire::get(in, verdicted.error);
  if (in.wrong != Errc::ok || verdicted.error.code.is_ok()) return std::nullopt;
  if (bytes.finish() != entity::DataErrc::ok) return std::nullopt;
  return verdicted;
}

bus::Bytes encode_refusal(const Error& error) {
  bus::Bytes bytes = begin_answer(Verdict::refused);
  wire::Out out(bytes);
  wire::put(out, error);
  return bytes;
}

template <class T>
bus::Bytes encode_answer(const T& answer) {
  bus::Bytes bytes = begin_answer(Verdict::answered);
  wire::Out out(bytes);
  wire::put(out, answer);
  if (out.wrong != Errc::ok) return encode_refusal(out.wrong);
  if (!out.bytes.ok()) return encode_refusal({Errc::too_large, "the answer"});
  return bytes;
}

template <class T>
std::optional<T> decode_answer(bus::ByteView answer) {
  entity::Decoder bytes(answer, kWireBudget);
  wire::In in(bytes);
  T value{};
  wire::get(in, value);
  if (in.wrong != Errc::ok || bytes.finish() != entity::DataErrc::ok) return std::nullopt;
  return value;
}

#define STARBUS_DB_ANSWER(T)                             \
  template bus::Bytes encode_answer<T>(const T& answer); \
  template std::optional<T> decode_answer<T>(bus::ByteView answer);
STARBUS_DB_ANSWER(Written)
STARBUS_DB_ANSWER(std::optional<Json>)
STARBUS_DB_ANSWER(Page)
STARBUS_DB_ANSWER(Counted)
STARBUS_DB_ANSWER(std::vector<IndexInfo>)
STARBUS_DB_ANSWER(std::vector<CollectionInfo>)
STARBUS_DB_ANSWER(Nothing)
#undef STARBUS_DB_ANSWER

}  // namespace starbus::nodes::db
