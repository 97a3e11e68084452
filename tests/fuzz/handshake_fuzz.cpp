/// What comes in before a session: endpoints, and the exchange that gives a ZeroMQ session its
/// socket. The first byte says which; what is accepted is written back the same.
#include <algorithm>

#include "bus/io/endpoint.hpp"
#include "bus/io/zmq_handshake.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace starbus::bus::io {
namespace {

void try_endpoint(std::string_view text) {
  const auto endpoint = parse_endpoint(text);
  if (!endpoint) return;
  const auto again = parse_endpoint(endpoint->to_string());
  require(again && again->to_string() == endpoint->to_string());
}

void try_request(ByteView bytes) {
  const auto nonce = decode_request(bytes);
  if (nonce) require(std::ranges::equal(encode_request(*nonce), bytes));
}

void try_answer(ByteView bytes) {
  const auto answer = decode_answer(bytes);
  if (!answer) return;
  require(std::ranges::equal(encode_answer(*answer), bytes));
  for (const char* listener : {"ipc:///run/starbus/busd.ipc", "tcp://127.0.0.1:7600"}) {
    const auto session = session_endpoint(*parse_endpoint(listener), answer->locator);
    if (session) require(parse_endpoint(session->to_string()).has_value());
  }
  require(!is_greeting(bytes, answer->secret));
}

}  // namespace
}  // namespace starbus::bus::io

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus::bus;
  if (size == 0) return 0;
  const ByteView rest = fuzz_input(data + 1, size - 1);
  if (data[0] == 'e') io::try_endpoint(as_text(rest));
  if (data[0] == 'r') io::try_request(rest);
  if (data[0] == 'a') io::try_answer(rest);
  return 0;
}
