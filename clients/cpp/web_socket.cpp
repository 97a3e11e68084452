#include "clients/cpp/web_socket.hpp"

#include <openssl/evp.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "clients/cpp/frame_stream.hpp"
#include "clients/cpp/limits.hpp"

namespace starbus::game {
namespace {

constexpr std::uint8_t kContinued = 0, kBinary = 2, kClose = 8, kPing = 9, kPong = 10;
constexpr std::uint8_t kLast = 0x80, kMasked = 0x80;
constexpr std::size_t kControlBytes = 125;  // of RFC 6455
constexpr std::string_view kGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

std::string base64(const unsigned char* bytes, std::size_t size) {
  std::string text(4 * ((size + 2) / 3) + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes, static_cast<int>(size));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

/// What a server answers to a key.
std::string accept_of(const std::string& key) {
  const std::string text = key + std::string(kGuid);
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), hash.data(), &size, EVP_sha1(), nullptr);
  return base64(hash.data(), size);
}

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& each : made) each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
  return made;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

/// The value of a field of HTTP; "" if it is not there.
std::string_view field_of(std::string_view head, std::string_view name) {
  while (!head.empty()) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && lower(line.substr(0, colon)) == name) {
      return trimmed(line.substr(colon + 1));
    }
  }
  return {};
}

void append(Bytes& out, std::string_view text) {
  const ByteView bytes = bytes_of(text);
  out.insert(out.end(), bytes.begin(), bytes.end());
}

}  // namespace

WebSocketStream::WebSocketStream(const std::string& host, const std::string& path) {
  std::array<unsigned char, 16> random{};
  RAND_bytes(random.data(), static_cast<int>(random.size()));
  const std::string key = base64(random.data(), random.size());
  expected_ = accept_of(key);
  append(out_, "GET " + path + " HTTP/1.1\r\nHost: " + host +
                   "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13"
                   "\r\nSec-WebSocket-Key: " +
                   key + "\r\n\r\n");
}

bool WebSocketStream::fail(const std::string& why) {
  if (why_.empty()) why_ = why;
  return false;
}

bool WebSocketStream::take(ByteView bytes, Bytes& frames) {
  if (!why_.empty()) return false;
  in_.erase(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(at_));
  at_ = 0;
  in_.insert(in_.end(), bytes.begin(), bytes.end());
  if (!ready_ && !read_upgrade()) return why_.empty();
  while (read_frame(frames)) {
  }
  if (at_ == in_.size()) {
    Bytes().swap(in_);
    at_ = 0;
  }
  return why_.empty();
}

bool WebSocketStream::read_upgrade() {
  const std::string_view text = text_of(in_);
  const std::size_t end = text.find("\r\n\r\n");
  if (std::min(end, in_.size()) + 4 > kUpgradeBytes)
    return fail("its answer to the upgrade has no end");
  if (end == std::string_view::npos) return false;
  const std::string_view head = text.substr(0, end);
  if (!head.starts_with("HTTP/1.1 101")) {
    return fail("answers " +
                std::string(head.substr(0, std::min<std::size_t>(head.find("\r\n"), 64))) +
                " to the upgrade, check the path");
  }
  if (lower(field_of(head, "upgrade")) != "websocket" ||
      field_of(head, "sec-websocket-accept") != expected_) {
    return fail("its answer to the upgrade is not that of a WebSocket");
  }
  at_ = end + 4;
  return ready_ = true;
}

bool WebSocketStream::read_frame(Bytes& frames) {
  const ByteView rest = ByteView(in_).subspan(at_);
  if (rest.size() < 2) return false;
  const auto at = [&](std::size_t i) { return std::to_integer<std::uint8_t>(rest[i]); };
  if ((at(0) & 0x70) != 0 || (at(1) & kMasked) != 0) return fail("a malformed WebSocket frame");
  std::uint64_t size = at(1) & 0x7f;
  std::size_t head = 2;
  if (size >= 126) {
    const std::size_t more = size == 126 ? 2 : 8;
    if (rest.size() < head + more) return false;
    size = 0;
    for (std::size_t i = 0; i < more; ++i) size = size << 8 | at(head + i);
    head += more;
  }
  if (size > kFrameTaken) return fail("a WebSocket frame that is too large");
  if (rest.size() - head < size) return false;
  at_ += head + static_cast<std::size_t>(size);
  return on_frame(at(0), rest.subspan(head, static_cast<std::size_t>(size)), frames);
}

bool WebSocketStream::on_frame(std::uint8_t first, ByteView body, Bytes& frames) {
  const std::uint8_t opcode = first & 0x0f;
  const bool last = (first & kLast) != 0;
  if (opcode >= kClose) {
    if (!last || body.size() > kControlBytes) return fail("a malformed WebSocket frame");
    if (opcode == kClose) return fail("closed by the gate, connect again");
    if (opcode == kPing && out_.size() < kUpgradeBytes) put_message(kPong, body, out_);
    return opcode == kPing || opcode == kPong || fail("a malformed WebSocket frame");
  }
  if (opcode != (within_ ? kContinued : kBinary))
    return fail("a WebSocket message of another kind");
  if (message_.size() + body.size() > kFrameTaken) {
    return fail("a WebSocket message that is too large");
  }
  within_ = !last;
  if (last && message_.empty()) {
    put_frame(body, frames);
    return true;
  }
  message_.insert(message_.end(), body.begin(), body.end());
  if (!last) return true;
  put_frame(message_, frames);
  Bytes().swap(message_);
  return true;
}

void WebSocketStream::put(ByteView frame, Bytes& out) {
  put_message(kBinary, frame, out);
}

void WebSocketStream::put_message(std::uint8_t opcode, ByteView body, Bytes& out) {
  const auto byte = [&](std::uint64_t value) {
    out.push_back(static_cast<std::byte>(value & 0xff));
  };
  byte(kLast | opcode);
  if (body.size() < 126) {
    byte(kMasked | body.size());
  } else {
    const int more = body.size() <= 0xffff ? 2 : 8;
    byte(kMasked | (more == 2 ? 126 : 127));
    for (int i = more; i-- > 0;) byte(static_cast<std::uint64_t>(body.size()) >> (8 * i));
  }
  std::array<unsigned char, 4> mask{};
  RAND_bytes(mask.data(), static_cast<int>(mask.size()));
  for (const unsigned char each : mask) byte(each);
  for (std::size_t i = 0; i < body.size(); ++i) {
    byte(std::to_integer<unsigned>(body[i]) ^ mask[i % 4]);
  }
}

Bytes WebSocketStream::output() {
  Bytes said;
  said.swap(out_);
  return said;
}

}  // namespace starbus::game
