/// How two sides agree on the socket of a session before bundles flow over it.
///
///   connecting -> listener   "SBC1" nonce                          the wish for a session
///   listener -> connecting   "SBA1" status nonce secret locator    where, and a secret to show
///   there connecting -> session    "SBS1" secret session -> connecting    "SBW1" both may start
///
/// Nonce and secret are 16 random bytes. The locator is a port (tcp), or what to append to the
/// listener's path (ipc), so that it holds through port forwarding and mounts.
#pragma once

#include <array>
#include <string>

#include "bus/core/bytes.hpp"
#include "bus/core/error.hpp"
#include "bus/io/endpoint.hpp"

namespace starbus::bus::io {

using Nonce = std::array<std::byte, 16>;
/// From the operating system; not to be guessed.
Nonce random_nonce();
/// ".1f2e3d4c".
std::string random_suffix();

Bytes encode_request(const Nonce& nonce);
/// bad_bytes; version_mismatch.
Result<Nonce> decode_request(ByteView bytes);

/// The listener's answer: where the session's socket is, or why there is none.
struct Answer {
  Errc status = Errc::ok;
  Nonce nonce{};
  Nonce secret{};
  std::string locator;
};
Bytes encode_answer(const Answer& answer);
/// bad_bytes if malformed, or of another protocol.
Result<Answer> decode_answer(ByteView bytes);

Bytes encode_greeting(const Nonce& secret);
/// Compares in constant time.
bool is_greeting(ByteView bytes, const Nonce& secret);

/// The first message of a session's socket, after the greeting.
inline constexpr std::string_view kWelcome = "SBW1";

/// The session's endpoint as the connecting side sees it; bad_bytes if the locator is malformed.
Result<Endpoint> session_endpoint(const Endpoint& listener, const std::string& locator);

}  // namespace starbus::bus::io
