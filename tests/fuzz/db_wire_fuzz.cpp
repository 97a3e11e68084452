/// Requests for documents, as callers send them, and answers, as nodes do; what was read is written
/// and read again.
#include "nodes/db/remote/wire.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace starbus::nodes::db {
namespace {

using bus::require;

void try_request(bus::ByteView bytes) {
  const auto request = decode_request(bytes);
  if (!request) return;
  const auto written = encode_arguments(request->arguments);
  require(written.has_value());
  bus::Bytes body = encode_head(request->database, 0);
  body.insert(body.end(), written->begin(), written->end());
  const auto again = decode_request(body);
  require(again.has_value());
  require(encode_arguments(again->arguments).value() == *written);
}

template <class T>
void try_answer(bus::ByteView bytes) {
  const auto answer = decode_answer<T>(bytes);
  if (!answer) return;
  const bus::Bytes body = encode_answer(*answer);
  const auto verdicted = decode_verdict(body);
  require(verdicted.has_value() && verdicted->verdict == Verdict::answered);
  require(decode_answer<T>(verdicted->answer).has_value());
}

void try_answers(bus::ByteView bytes) {
  const auto verdicted = decode_verdict(bytes);
  if (!verdicted) return;
  if (verdicted->verdict == Verdict::refused) {
    require(encode_refusal(verdicted->error).size() == bytes.size());
    return;
  }
  try_answer<Written>(verdicted->answer);
  try_answer<std::optional<Json>>(verdicted->answer);
  try_answer<Page>(verdicted->answer);
  try_answer<Counted>(verdicted->answer);
  try_answer<std::vector<IndexInfo>>(verdicted->answer);
  try_answer<std::vector<CollectionInfo>>(verdicted->answer);
}

}  // namespace
}  // namespace starbus::nodes::db

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  starbus::nodes::db::try_request(bytes);
  starbus::nodes::db::try_answers(bytes);
  return 0;
}
