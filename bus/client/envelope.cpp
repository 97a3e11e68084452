#include "bus/client/envelope.hpp"

namespace starbus::bus {
namespace {
constexpr std::uint8_t kTraced = 1;
}

void encode_envelope(const Envelope& envelope, Bytes& out) {
  out.clear();
  Writer writer(out);
  writer.put(static_cast<std::uint8_t>(envelope.kind));
  writer.put(envelope.trace ? kTraced : std::uint8_t{0});
  if (envelope.trace) {
    writer.bytes(envelope.trace.trace_id);
    writer.bytes(envelope.trace.span_id);
  }
  if (envelope.kind == EnvelopeKind::message) return;
  writer.put(envelope.call);
  if (envelope.kind == EnvelopeKind::request) writer.put(envelope.reply_lineage.value);
  if (envelope.kind == EnvelopeKind::failure) {
    writer.put(static_cast<std::uint16_t>(errc_of(envelope.failure)));
    writer.short_text(std::string_view(envelope.failure.detail).substr(0, 255));
    if (!envelope.reported.is_ok()) {
      writer.put(envelope.reported.domain());
      writer.put(envelope.reported.number());
    }
  }
}

Result<Envelope> decode_envelope(ByteView message) {
  Reader reader(message);
  Envelope envelope;
  bool has_code = false;
  const auto kind = reader.get<std::uint8_t>();
  const auto flags = reader.get<std::uint8_t>();
  envelope.kind = static_cast<EnvelopeKind>(kind);
  if (flags & kTraced) {
    const ByteView id = reader.take(envelope.trace.trace_id.size());
    const ByteView span = reader.take(envelope.trace.span_id.size());
    if (reader.ok()) {
      std::memcpy(envelope.trace.trace_id.data(), id.data(), id.size());
      std::memcpy(envelope.trace.span_id.data(), span.data(), span.size());
    }
  }
  if (envelope.kind != EnvelopeKind::message) envelope.call = reader.get<std::uint64_t>();
  if (envelope.kind == EnvelopeKind::request) {
    envelope.reply_lineage.value = reader.get<std::uint64_t>();
  }
  if (envelope.kind == EnvelopeKind::failure) {
    envelope.failure.code = static_cast<Errc>(reader.get<std::uint16_t>());
    envelope.failure.detail = reader.short_text();
    has_code = !reader.empty();
    if (has_code) {
      const auto domain = reader.get<std::uint16_t>();
      envelope.reported = {domain, reader.get<std::uint16_t>()};
    }
  }
  envelope.body = reader.rest();
  const bool empty_code = has_code && envelope.reported.is_ok();  // a failure has a reason
  if (!reader.ok() || kind > 3 || flags > kTraced || empty_code) {
    return Error{Errc::bad_bytes, "malformed envelope"};
  }
  return envelope;
}

}  // namespace starbus::bus
