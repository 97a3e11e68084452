/// What the ends put in front of a body: written, read back, and pinned byte for byte.
#include "bus/client/envelope.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/bus/core/wire/golden_vectors.hpp"

namespace starbus::bus {
namespace {

Bytes encoded(const Envelope& envelope, std::string_view body = "body") {
  Bytes bytes;
  encode_envelope(envelope, bytes);
  const ByteView view = as_bytes(body);
  bytes.insert(bytes.end(), view.begin(), view.end());
  return bytes;
}

Trace some_trace() {
  Trace trace;
  for (std::size_t i = 0; i < 16; ++i) trace.trace_id[i] = static_cast<std::byte>(i + 1);
  for (std::size_t i = 0; i < 8; ++i) trace.span_id[i] = static_cast<std::byte>(0xa1 + i);
  return trace;
}

Envelope of(EnvelopeKind kind) {
  Envelope envelope;
  envelope.kind = kind;
  envelope.call = kind == EnvelopeKind::message ? 0 : 77;
  return envelope;
}

TEST(Envelope, HasGoldenBytes) {
  Envelope message = of(EnvelopeKind::message);
  message.trace = some_trace();
  EXPECT_EQ(hex_of(encoded(message)), hex_of(golden_bytes("envelope_message")));
  Envelope request = of(EnvelopeKind::request);
  request.reply_lineage = Epoch::of(2, 9);
  EXPECT_EQ(hex_of(encoded(request)), hex_of(golden_bytes("envelope_request")));
  EXPECT_EQ(hex_of(encoded(of(EnvelopeKind::reply))), hex_of(golden_bytes("envelope_reply")));
  Envelope failure = of(EnvelopeKind::failure);
  failure.failure = {Errc::handler_failed, "no such item"};
  EXPECT_EQ(hex_of(encoded(failure, "")), hex_of(golden_bytes("envelope_failure")));
  failure.failure.code = Errc::no_owner;
  failure.reported = Errc::no_owner;
  EXPECT_EQ(hex_of(encoded(failure, "")), hex_of(golden_bytes("envelope_failure_reported")));
}

TEST(Envelope, IsReadBack) {
  for (const char* name : {"envelope_message", "envelope_request", "envelope_reply",
                           "envelope_failure", "envelope_failure_reported"}) {
    const Bytes golden = golden_bytes(name);
    const auto envelope = decode_envelope(golden);
    ASSERT_TRUE(envelope) << name;
    EXPECT_EQ(hex_of(encoded(*envelope, as_text(envelope->body))), hex_of(golden));
  }
  const Bytes failure = golden_bytes("envelope_failure");
  EXPECT_EQ(decode_envelope(failure)->failure.detail, "no such item");
  EXPECT_TRUE(decode_envelope(failure)->reported.is_ok()) << "the library's own";
  const Bytes reported = golden_bytes("envelope_failure_reported");
  EXPECT_EQ(decode_envelope(reported)->reported, Code(Errc::no_owner));
  Bytes no_reason = failure;
  no_reason.resize(no_reason.size() + 4);
  EXPECT_EQ(decode_envelope(no_reason).error(), Errc::bad_bytes) << "a failure has a reason";
  const Bytes message = golden_bytes("envelope_message");
  EXPECT_EQ(decode_envelope(message)->trace, some_trace());
}

TEST(Envelope, OverwritesWhatWasThere) {
  Bytes bytes(100);
  encode_envelope(of(EnvelopeKind::message), bytes);
  EXPECT_EQ(bytes.size(), 2u);
}

TEST(Envelope, CutsALongReason) {
  Envelope failure = of(EnvelopeKind::failure);
  failure.failure = {Errc::handler_failed, std::string(300, 'x')};
  EXPECT_EQ(decode_envelope(encoded(failure))->failure.detail.size(), 255u);
}

TEST(Envelope, RefusesTruncationsOfItself) {
  for (const char* name :
       {"envelope_message", "envelope_request", "envelope_reply", "envelope_failure"}) {
    const Bytes golden = golden_bytes(name);
    const std::size_t size = golden.size() - decode_envelope(golden)->body.size();
    for (std::size_t i = 0; i < size; ++i) {
      const auto decoded = decode_envelope(ByteView(golden).first(i));
      ASSERT_FALSE(decoded) << name << " " << i;
      EXPECT_EQ(decoded.error(), Errc::bad_bytes);
    }
  }
}

TEST(Envelope, RefusesUnknownKindsAndFlags) {
  Bytes bytes = golden_bytes("envelope_reply");
  bytes[0] = std::byte{4};
  EXPECT_FALSE(decode_envelope(bytes));
  bytes[0] = std::byte{2};
  bytes[1] = std::byte{2};
  EXPECT_FALSE(decode_envelope(bytes));
}

RC_GTEST_PROP(Envelope, AnyBytesAreReadOrRefused, (std::vector<std::uint8_t> raw)) {
  if (!raw.empty()) raw[0] = static_cast<std::uint8_t>(raw[0] % 5);
  const auto envelope = decode_envelope(std::as_bytes(std::span(raw)));
  if (envelope) RC_ASSERT(envelope->body.size() <= raw.size());
}

}  // namespace
}  // namespace starbus::bus
