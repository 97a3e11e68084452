/// The header that the client library puts before a message's body; daemons do not read it.
///
///   u8 kind  (0 message, 1 request, 2 reply, 3 failure)
///   u8 flags (1: a trace context of 24 bytes follows)
///   request: u64 call, u64 lineage of the caller's process channel (the reply needs no PROBE)
///   reply:   u64 call
///   failure: u64 call, u16 error, u8 length, text; if the handler has failed it, and not the
///            library for it: u16 domain, u16 number of the handler's code, since release 1.2
#pragma once

#include <array>

#include "bus/core/bytes.hpp"
#include "bus/core/error.hpp"
#include "bus/core/wire/ids.hpp"

namespace starbus::bus {

/// W3C trace context: set by programs that follow a request through many processes, carried by
/// starbus.
struct Trace {
  std::array<std::byte, 16> trace_id{};
  std::array<std::byte, 8> span_id{};

  explicit operator bool() const { return trace_id != std::array<std::byte, 16>{}; }
  friend bool operator==(const Trace&, const Trace&) = default;
};

enum class EnvelopeKind : std::uint8_t { message = 0, request = 1, reply = 2, failure = 3 };

struct Envelope {
  EnvelopeKind kind = EnvelopeKind::message;
  Trace trace;
  std::uint64_t call = 0;
  Lineage reply_lineage;
  Error failure;
  Code reported;  // of a failure: the handler's own code; ok: the library's failure
  ByteView body;  // after the envelope
};

/// Overwrites `out` with the envelope, without the body.
void encode_envelope(const Envelope& envelope, Bytes& out);
/// bad_bytes if it is malformed.
Result<Envelope> decode_envelope(ByteView message);

}  // namespace starbus::bus
