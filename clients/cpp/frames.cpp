#include "clients/cpp/frames.hpp"

#include "clients/cpp/limits.hpp"

namespace starbus::game {
namespace {

/// Writes the first byte; the fields follow.
template <class Fields>
Bytes frame_of(std::uint8_t kind, Fields fields) {
  Bytes bytes;
  FieldWriter out(bytes);
  out.byte(kind);
  fields(out);
  return bytes;
}

Greeting greeting_of(FieldReader& in) {
  Greeting frame;
  frame.version = in.number16();
  frame.features = in.number();
  frame.schema = in.number();
  frame.here = in.number();
  frame.heartbeat_ms = in.number32();
  frame.frame_bytes = in.number32();
  return frame;
}
Waiting waiting_of(FieldReader& in) {
  Waiting frame;
  frame.what = static_cast<WaitsFor>(in.byte(1, 4));
  frame.ahead = in.number();
  frame.seconds = in.number32();
  return frame;
}
Welcome welcome_of(FieldReader& in) {
  Welcome frame;
  frame.ticket.session = in.key();
  frame.ticket.token = in.key();
  frame.ticket.gate = in.text(kNameBytes);
  frame.position.turn = in.number32();
  frame.position.c = in.number();
  frame.goes_on = in.flag();
  frame.login = in.number();
  frame.up_seen = in.number();
  frame.up_bind = in.pair();
  const ByteView reentry = in.bytes(kReentryBytes);
  frame.ticket.reentry.assign(reentry.begin(), reentry.end());
  return frame;
}
Packet packet_of(FieldReader& in) {
  Packet frame;
  frame.c = in.number();
  const std::uint8_t kind = in.byte();
  const bool known = (kind >= 1 && kind <= 4) || kind == 8 || kind == 9 || kind == 16 || kind == 17;
  if (in.ok() && !known) in.refuse(Refusal::malformed);
  frame.kind = static_cast<PacketKind>(kind);
  frame.body = in.rest(kPacketBytes);
  return frame;
}
Closed closed_of(FieldReader& in) {
  Closed frame;
  frame.reason = static_cast<CloseReason>(in.byte(1, 18));
  frame.retry_ms = in.number32();
  frame.text = in.text(kCloseTextBytes);
  return frame;
}
Pong pong_of(FieldReader& in) {
  const std::uint64_t time = in.number();
  return {time, in.number()};
}
ToClient to_client_of(std::uint8_t kind, FieldReader& in) {
  switch (kind) {
    case 65:
      return greeting_of(in);
    case 66:
      return waiting_of(in);
    case 67:
      return welcome_of(in);
    case 68:
      return packet_of(in);
    case 69:
      return Busy{in.number()};
    case 70:
      return GoTo{in.text(kNameBytes)};
    case 71:
      return Ping{in.number()};
    case 72:
      return pong_of(in);
    case 73:
      return closed_of(in);
    default:
      in.refuse(Refusal::malformed);
      return Ping{};
  }
}

std::vector<std::uint64_t> open_of(FieldReader& in) {
  std::vector<std::uint64_t> open(in.count(kRequestsOpen));
  for (std::uint64_t& u : open) u = in.number();
  return open;
}

/// Reads the fields of one body, and then nothing more.
template <class T, class Fields>
Read<T> body_of(ByteView bytes, Fields fields) {
  FieldReader in(bytes);
  Read<T> read;
  fields(in, read.value);
  read.refusal = in.finish();
  return read;
}

}  // namespace

Bytes encode(const Hello& frame) {
  return frame_of(1, [&](FieldWriter& out) {
    out.number(frame.least);
    out.number(frame.most);
    out.number(frame.features);
    out.number(frame.schema);
    out.text(frame.program);
  });
}
Bytes encode(const Login& frame) {
  return frame_of(2, [&](FieldWriter& out) {
    out.text(frame.method);
    out.text(frame.account);
    out.bytes(frame.proof);
  });
}
Bytes encode(const Resume& frame) {
  return frame_of(3, [&](FieldWriter& out) {
    out.key(frame.ticket.session);
    out.key(frame.ticket.token);
    out.text(frame.ticket.gate);
    out.number(frame.position.turn);
    out.number(frame.position.c);
    out.bytes(frame.ticket.reentry);
  });
}
Bytes encode(const Confirm&) {
  return frame_of(4, [](FieldWriter&) {});
}
Bytes encode(const Ack& frame) {
  return frame_of(5, [&](FieldWriter& out) { out.number(frame.c); });
}
Bytes encode(const Ask& frame) {
  return frame_of(6, [&](FieldWriter& out) {
    out.number(frame.u);
    out.pair(frame.bind);
    out.bytes(frame.body);
  });
}
Bytes encode(const Ping& frame) {
  return frame_of(7, [&](FieldWriter& out) { out.number(frame.time); });
}
Bytes encode(const Pong& frame) {
  return frame_of(8, [&](FieldWriter& out) {
    out.number(frame.time);
    out.number(frame.here);
  });
}
Bytes encode(const Bye&) {
  return frame_of(9, [](FieldWriter&) {});
}

Read<ToClient> read_to_client(ByteView bytes) {
  FieldReader in(bytes);
  const std::uint8_t kind = in.byte();
  Read<ToClient> read;
  if (in.ok()) read.value = to_client_of(kind, in);
  read.refusal = in.finish();
  return read;
}
Read<FullState> read_full(ByteView bytes) {
  return body_of<FullState>(bytes, [](FieldReader& in, FullState& full) {
    full.up_seen = in.number();
    full.subject = in.text(kNameBytes);
    full.bind = in.pair();
    full.since = in.pair();
    full.up_done = in.number();
    full.open = open_of(in);
    full.groups.resize(in.count(kGroups));
    for (std::string& group : full.groups) group = in.text(kGroupName);
    full.properties = in.bytes(kPartBytes);
  });
}
Read<Call> read_call(ByteView bytes) {
  return body_of<Call>(bytes, [](FieldReader& in, Call& call) {
    call.method = in.word();
    call.types = in.word();
    call.arguments = in.rest(kPacketBytes);
  });
}
Read<Reply> read_reply(ByteView bytes) {
  return body_of<Reply>(bytes, [](FieldReader& in, Reply& reply) {
    reply.u = in.number();
    reply.answer = in.bytes(kPartBytes);
  });
}
Read<Over> read_over(ByteView bytes) {
  return body_of<Over>(bytes, [](FieldReader& in, Over& over) {
    over.reason = static_cast<OverReason>(in.byte(1, 6));
    over.login = in.number();
    over.up_done = in.number();
    over.since = in.pair();
    over.open = open_of(in);
  });
}
Read<Spoken> read_spoken(ByteView bytes) {
  return body_of<Spoken>(bytes, [](FieldReader& in, Spoken& spoken) {
    spoken.group = in.text(kGroupName);
    spoken.body = in.bytes(kPartBytes);
  });
}
Read<Ended> read_ended(ByteView bytes) {
  return body_of<Ended>(bytes, [](FieldReader& in, Ended& ended) {
    ended.reason = static_cast<CloseReason>(in.byte(1, 18));
    ended.closing = in.flag();
    ended.up_done = in.number();
    ended.since = in.pair();
  });
}

std::string_view name_of(CloseReason reason) {
  constexpr std::string_view kNames[] = {
      "version", "malformed", "too_large", "idle",         "too_many",   "denied",
      "banned",  "full",      "token",     "token_reused", "window",     "replaced",
      "ended",   "too_slow",  "later",     "leaving",      "taken_over", "fault"};
  return kNames[static_cast<std::size_t>(reason) - 1];
}
std::string_view name_of(OverReason reason) {
  constexpr std::string_view kNames[] = {"replaced", "switched", "away",
                                         "too_slow", "ended",    "fault"};
  return kNames[static_cast<std::size_t>(reason) - 1];
}
std::string_view name_of(WaitsFor what) {
  constexpr std::string_view kNames[] = {"place", "account", "subject", "gate"};
  return kNames[static_cast<std::size_t>(what) - 1];
}

}  // namespace starbus::game
