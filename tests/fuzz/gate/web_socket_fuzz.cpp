/// What a hostile gate says to a client by WebSocket, before and after a right answer to the
/// upgrade: in any pieces the same frames come out, none is larger than a client takes, and what
/// has failed stays so.
#include <openssl/evp.h>

#include "clients/cpp/frame_stream.hpp"
#include "clients/cpp/limits.hpp"
#include "clients/cpp/web_socket.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace starbus::game;
using starbus::bus::require;

std::string right_answer(std::string_view request) {
  constexpr std::string_view kField = "Sec-WebSocket-Key: ";
  const std::size_t at = request.find(kField) + kField.size();
  const std::string text = std::string(request.substr(at, request.find("\r\n", at) - at)) +
                           "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  unsigned char hash[20];
  EVP_Digest(text.data(), text.size(), hash, nullptr, EVP_sha1(), nullptr);
  char accept[32];
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(accept), hash, sizeof hash);
  return "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: " + std::string(accept) +
         "\r\n\r\n";
}

/// All frames that come of the bytes, given in pieces of this size.
Bytes frames_of(ByteView bytes, std::size_t piece, bool upgraded, bool& good) {
  WebSocketStream stream("gate:1", "/");
  const Bytes request = stream.output();
  Bytes frames;
  if (upgraded) require(stream.take(bytes_of(right_answer(text_of(request))), frames));
  good = true;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const bool was_good = good;
    good = stream.take(bytes.subspan(at, std::min(piece, bytes.size() - at)), frames);
    require(was_good || !good);
    require(good == stream.why().empty());
    require(stream.output().size() <= 2 * kUpgradeBytes);
  }
  return frames;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const ByteView bytes = std::as_bytes(std::span(data, size));
  const bool upgraded = data[0] % 4 != 0;
  const std::size_t piece = 1 + data[1] % 16;
  bool good = false;
  bool whole_good = false;
  const Bytes pieces = frames_of(bytes.subspan(2), piece, upgraded, good);
  const Bytes whole = frames_of(bytes.subspan(2), size, upgraded, whole_good);
  require(good == whole_good && pieces == whole);
  FrameStream stream;
  stream.append(whole);
  while (const auto frame = stream.next()) require(frame->size() <= kFrameTaken);
  require(!stream.broken());
  return 0;
}
