// The client's codec holds to the bytes that gates are tested with.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/hex.hpp"
#include "clients/cpp/frames.hpp"
#include "tests/places.hpp"

namespace starbus::game {
namespace {

using Json = nlohmann::json;

Bytes bytes_of_hex_text(const Json& hex) {
  const std::string bytes = starbus::bytes_of_hex(hex.get<std::string>()).value();
  const ByteView view = bytes_of(bytes);
  return {view.begin(), view.end()};
}
std::uint64_t number_of(const Json& value) {
  return value.is_string() ? std::stoull(value.get<std::string>()) : value.get<std::uint64_t>();
}
Bind bind_of(const Json& pair) {
  return {number_of(pair.at("epoch")), number_of(pair.at("counter"))};
}
Key key_of(const Json& hex) {
  Key key;
  const Bytes bytes = bytes_of_hex_text(hex);
  std::memcpy(key.bytes, bytes.data(), sizeof key.bytes);
  return key;
}

/// What the client says for the fields of a row.
Bytes written(const std::string& kind, const Json& f) {
  const auto number = [&](const char* name) { return number_of(f.at(name)); };
  const auto text = [&](const char* name) { return f.at(name).get<std::string>(); };
  if (kind == "Hello") {
    return encode(Hello{static_cast<std::uint16_t>(number("least")),
                        static_cast<std::uint16_t>(number("most")), number("features"),
                        number("schema"), text("program")});
  }
  if (kind == "Login") {
    return encode(Login{text("method"), text("account"), bytes_of_hex_text(f.at("proof"))});
  }
  if (kind == "Resume") {
    return encode(Resume{{key_of(f.at("session")), key_of(f.at("token")), text("gate"),
                          bytes_of_hex_text(f.at("reentry"))},
                         {static_cast<std::uint32_t>(number("turn")), number("c")}});
  }
  if (kind == "Confirm") return encode(Confirm{});
  if (kind == "Ack") return encode(Ack{number("c")});
  if (kind == "Ask") {
    const Bytes body = bytes_of_hex_text(f.at("body"));
    return encode(Ask{number("u"), bind_of(f.at("bind")), body});
  }
  if (kind == "Ping") return encode(Ping{number("time")});
  if (kind == "Pong") return encode(Pong{number("time"), number("here")});
  EXPECT_EQ(kind, "Bye");
  return encode(Bye{});
}

// What was read, as the file has it.
Json json(std::uint64_t number) {
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  return number < kExact ? Json(number) : Json(std::to_string(number));
}
Json json(ByteView bytes) {
  return hex_of(text_of(bytes));
}
Json json(const Key& key) {
  return json(std::as_bytes(std::span(key.bytes)));
}
Json json(const Bind& bind) {
  return {{"epoch", json(bind.epoch)}, {"counter", json(bind.counter)}};
}
Json json(const std::vector<std::uint64_t>& numbers) {
  Json list = Json::array();
  for (const std::uint64_t each : numbers) list.push_back(json(each));
  return list;
}
template <class T>
Json byte(T value) {
  return static_cast<unsigned>(value);
}

/// The name and the fields of a frame.
struct Shown {
  std::string kind;
  Json fields;
};
Shown shown(const Greeting& v) {
  return {"Greeting",
          {{"version", v.version},
           {"features", json(v.features)},
           {"schema", json(v.schema)},
           {"here", json(v.here)},
           {"heartbeat_ms", v.heartbeat_ms},
           {"frame_bytes", v.frame_bytes}}};
}
Shown shown(const Waiting& v) {
  return {"Waiting", {{"what", byte(v.what)}, {"ahead", json(v.ahead)}, {"seconds", v.seconds}}};
}
Shown shown(const Welcome& v) {
  return {"Welcome",
          {{"session", json(v.ticket.session)},
           {"token", json(v.ticket.token)},
           {"gate", v.ticket.gate},
           {"turn", v.position.turn},
           {"c", json(v.position.c)},
           {"goes_on", v.goes_on},
           {"login", json(v.login)},
           {"up_seen", json(v.up_seen)},
           {"up_bind", json(v.up_bind)},
           {"reentry", json(ByteView(v.ticket.reentry))}}};
}
Shown shown(const Packet& v) {
  return {"Packet", {{"c", json(v.c)}, {"kind", byte(v.kind)}, {"body", json(v.body)}}};
}
Shown shown(const Busy& v) {
  return {"Busy", {{"up_seen", json(v.up_seen)}}};
}
Shown shown(const GoTo& v) {
  return {"GoTo", {{"address", v.address}}};
}
Shown shown(const Ping& v) {
  return {"Ping", {{"time", json(v.time)}}};
}
Shown shown(const Pong& v) {
  return {"Pong", {{"time", json(v.time)}, {"here", json(v.here)}}};
}
Shown shown(const Closed& v) {
  return {"Closed", {{"reason", byte(v.reason)}, {"retry_ms", v.retry_ms}, {"text", v.text}}};
}

Json body_of(const std::string& packet, ByteView bytes, Refusal& refusal) {
  const auto fields = [&](const auto& read, auto make) {
    refusal = read.refusal;
    return read ? make(*read) : Json();
  };
  if (packet == "full") {
    return fields(read_full(bytes), [](const FullState& v) -> Json {
      return {{"up_seen", json(v.up_seen)}, {"subject", v.subject},
              {"bind", json(v.bind)},       {"since", json(v.since)},
              {"up_done", json(v.up_done)}, {"open", json(v.open)},
              {"groups", v.groups},         {"properties", json(v.properties)}};
    });
  }
  if (packet == "call") {
    return fields(read_call(bytes), [](const Call& v) -> Json {
      return {{"method", v.method}, {"types", v.types}, {"arguments", json(v.arguments)}};
    });
  }
  if (packet == "reply") {
    return fields(read_reply(bytes), [](const Reply& v) -> Json {
      return {{"u", json(v.u)}, {"answer", json(v.answer)}};
    });
  }
  if (packet == "over") {
    return fields(read_over(bytes), [](const Over& v) -> Json {
      return {{"reason", byte(v.reason)},
              {"login", json(v.login)},
              {"up_done", json(v.up_done)},
              {"since", json(v.since)},
              {"open", json(v.open)}};
    });
  }
  if (packet == "spoken") {
    return fields(read_spoken(bytes), [](const Spoken& v) -> Json {
      return {{"group", v.group}, {"body", json(v.body)}};
    });
  }
  EXPECT_EQ(packet, "ended");
  return fields(read_ended(bytes), [](const Ended& v) -> Json {
    return {{"reason", byte(v.reason)},
            {"closing", v.closing},
            {"up_done", json(v.up_done)},
            {"since", json(v.since)}};
  });
}

const Json& vectors() {
  static const Json file = [] {
    std::ifstream in(source_file("tests/nodes/gate/vectors/client_frames.json"));
    return Json::parse(in);
  }();
  return file;
}

TEST(GameVectors, FramesHaveGoldenBytes) {
  for (const Json& row : vectors().at("frames")) {
    SCOPED_TRACE(row.at("name").get<std::string>());
    const std::string kind = row.at("frame");
    const Bytes bytes = bytes_of_hex_text(row.at("hex"));
    if (row.at("from") == "client") {
      EXPECT_EQ(json(ByteView(written(kind, row.at("fields")))), row.at("hex"));
      continue;
    }
    const auto read = read_to_client(bytes);
    ASSERT_TRUE(read) << name_of(read.refusal);
    const Shown is = std::visit([](const auto& each) { return shown(each); }, *read);
    EXPECT_EQ(is.kind, kind);
    EXPECT_EQ(is.fields, row.at("fields"));
  }
}

TEST(GameVectors, BodiesOfPacketsHaveGoldenBytes) {
  for (const Json& row : vectors().at("bodies")) {
    Refusal refusal{};
    const Bytes bytes = bytes_of_hex_text(row.at("hex"));
    EXPECT_EQ(body_of(row.at("packet"), bytes, refusal), row.at("fields")) << row.at("name");
    EXPECT_EQ(refusal, Refusal::none) << row.at("name");
  }
}

TEST(GameVectors, MalformedBytesHaveTheirRefusal) {
  for (const Json& row : vectors().at("malformed")) {
    const Bytes bytes = bytes_of_hex_text(row.at("hex"));
    Refusal refusal{};
    if (row.contains("packet")) {
      static_cast<void>(body_of(row.at("packet"), bytes, refusal));
    } else if (row.at("from") == "gate") {
      refusal = read_to_client(bytes).refusal;
    } else {
      continue;  // a client reads no frames of clients
    }
    EXPECT_EQ(name_of(refusal), row.at("refusal").get<std::string>()) << row.at("name");
  }
}

}  // namespace
}  // namespace starbus::game
