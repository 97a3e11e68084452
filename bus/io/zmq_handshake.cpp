#include "bus/io/zmq_handshake.hpp"

#include <sys/random.h>

#include <algorithm>
#include <stdexcept>

#include "base/hex.hpp"
#include "base/numbers.hpp"
#include "base/same_secret.hpp"

namespace starbus::bus::io {
namespace {

constexpr std::string_view kRequest = "SBC1";
constexpr std::string_view kAnswer = "SBA1";
constexpr std::string_view kGreeting = "SBS1";
constexpr std::size_t kTag = 4;

Bytes tagged(std::string_view tag, const Nonce& nonce) {
  Bytes out;
  Writer writer(out);
  writer.bytes(as_bytes(tag));
  writer.bytes(nonce);
  return out;
}

Nonce read_nonce(Reader& reader) {
  Nonce nonce{};
  const ByteView bytes = reader.take(nonce.size());
  std::copy(bytes.begin(), bytes.end(), nonce.begin());
  return nonce;
}

}  // namespace

Nonce random_nonce() {
  Nonce nonce{};
  if (::getrandom(nonce.data(), nonce.size(), 0) != static_cast<ssize_t>(nonce.size())) {
    throw std::runtime_error("getrandom");
  }
  return nonce;
}

std::string random_suffix() {
  const Nonce random = random_nonce();
  static_assert(1 + 2 * sizeof random >= kSessionSuffix);
  return "." + hex_of(as_text(random)).substr(0, kSessionSuffix - 1);
}

Bytes encode_request(const Nonce& nonce) {
  return tagged(kRequest, nonce);
}

Result<Nonce> decode_request(ByteView bytes) {
  Reader reader(bytes);
  const auto tag = as_text(reader.take(kTag));
  const Nonce nonce = read_nonce(reader);
  if (tag.substr(0, 3) != kRequest.substr(0, 3)) {
    return Error{Errc::bad_bytes, "not a request for a session"};
  }
  if (tag != kRequest) return Error{Errc::version_mismatch, "another version of the handshake"};
  if (!reader.done()) return Error{Errc::bad_bytes, "not a request for a session"};
  return nonce;
}

Bytes encode_answer(const Answer& answer) {
  Bytes out;
  Writer writer(out);
  writer.bytes(as_bytes(kAnswer));
  writer.put(static_cast<std::uint16_t>(answer.status));
  writer.bytes(answer.nonce);
  writer.bytes(answer.secret);
  writer.short_text(answer.locator);
  return out;
}

Result<Answer> decode_answer(ByteView bytes) {
  Reader reader(bytes);
  Answer answer;
  const auto tag = as_text(reader.take(kTag));
  const auto status = reader.get<std::uint16_t>();
  answer.nonce = read_nonce(reader);
  answer.secret = read_nonce(reader);
  answer.locator = reader.short_text();
  if (!reader.done() || tag != kAnswer || (status != 0 && !known_error(status))) {
    return Error{Errc::bad_bytes, "the listener's answer is not of this protocol"};
  }
  answer.status = static_cast<Errc>(status);
  return answer;
}

Bytes encode_greeting(const Nonce& secret) {
  return tagged(kGreeting, secret);
}

bool is_greeting(ByteView bytes, const Nonce& secret) {
  return same_secret(bytes, encode_greeting(secret));
}

Result<Endpoint> session_endpoint(const Endpoint& listener, const std::string& locator) {
  const Error bad{Errc::bad_bytes, "the listener's answer names no socket"};
  Endpoint session = listener;
  if (listener.is_local()) {
    const bool plain = locator.size() == kSessionSuffix && locator[0] == '.' &&
                       locator.find_first_not_of(kHexDigits, 1) == locator.npos;
    if (!plain) return bad;
    session.path += locator;
    return session;
  }
  const auto port = parse_number<std::uint16_t>(locator);
  if (!port || *port == 0) return bad;
  session.port = *port;
  return session;
}

}  // namespace starbus::bus::io
