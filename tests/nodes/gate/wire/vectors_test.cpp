// The golden bytes of the client protocol. tests/nodes/gate/vectors/client_frames.json is read by
// the clients' tests, too: what it says of a frame goes for every program that speaks it.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/hex.hpp"
#include "entity/archive/decoder.hpp"
#include "entity/client/parts.hpp"
#include "nodes/gate/wire/frames.hpp"
#include "tests/places.hpp"

namespace starbus::nodes::gate {
namespace {

using Json = nlohmann::json;

bus::Bytes bytes_of_text(std::string_view hex) {
  const std::string bytes = bytes_of_hex(hex).value();
  const bus::ByteView view = bus::as_bytes(bytes);
  return {view.begin(), view.end()};
}

/// The fields of one frame or body, as the file has them.
class Fields {
 public:
  explicit Fields(const Json& fields) : fields_(fields) {}
  template <class T = std::uint64_t>
  T number(const char* name) const {
    return number_of<T>(fields_.at(name));
  }
  Bind pair(const char* name) const {
    const Json& pair = fields_.at(name);
    return {number_of<std::uint64_t>(pair.at("epoch")),
            number_of<std::uint64_t>(pair.at("counter"))};
  }
  Key key(const char* name) const {
    const bus::Bytes bytes = this->bytes(name);
    return {bus::load<std::uint64_t>(bytes.data()), bus::load<std::uint64_t>(bytes.data() + 8)};
  }
  std::string text(const char* name) const { return fields_.at(name); }
  bus::Bytes bytes(const char* name) const {
    return bytes_of_text(fields_.at(name).get<std::string>());
  }
  bool flag(const char* name) const { return fields_.at(name); }
  Position position() const { return {number<std::uint32_t>("turn"), number("c")}; }
  std::vector<std::uint64_t> numbers(const char* name) const {
    std::vector<std::uint64_t> numbers;
    for (const Json& each : fields_.at(name)) numbers.push_back(number_of<std::uint64_t>(each));
    return numbers;
  }
  std::vector<std::string> texts(const char* name) const { return fields_.at(name); }

 private:
  /// Numbers that a double does not hold exactly are texts.
  template <class T>
  static T number_of(const Json& value) {
    const std::uint64_t number =
        value.is_string() ? std::stoull(value.get<std::string>()) : value.get<std::uint64_t>();
    return static_cast<T>(number);
  }
  const Json& fields_;
};

FromClient from_client(const std::string& kind, const Fields& f) {
  if (kind == "Hello") {
    return Hello{f.number<std::uint16_t>("least"), f.number<std::uint16_t>("most"),
                 f.number("features"), f.number("schema"), f.text("program")};
  }
  if (kind == "Login") return Login{f.text("method"), f.text("account"), f.bytes("proof")};
  if (kind == "Resume") {
    return Resume{f.key("session"), f.key("token"), f.text("gate"), f.position(),
                  f.bytes("reentry")};
  }
  if (kind == "Confirm") return Confirm{};
  if (kind == "Ack") return Ack{f.number("c")};
  if (kind == "Ask") return Ask{f.number("u"), f.pair("bind"), f.bytes("body")};
  if (kind == "Ping") return Ping{f.number("time")};
  if (kind == "Pong") return Pong{f.number("time"), f.number("here")};
  if (kind == "Bye") return Bye{};
  throw std::logic_error("no such frame: " + kind);
}

ToClient to_client(const std::string& kind, const Fields& f) {
  if (kind == "Greeting") {
    return Greeting{f.number<std::uint16_t>("version"),
                    f.number("features"),
                    f.number("schema"),
                    f.number("here"),
                    f.number<std::uint32_t>("heartbeat_ms"),
                    f.number<std::uint32_t>("frame_bytes")};
  }
  if (kind == "Waiting") {
    return Waiting{f.number<WaitsFor>("what"), f.number("ahead"),
                   f.number<std::uint32_t>("seconds")};
  }
  if (kind == "Welcome") {
    return Welcome{f.key("session"),    f.key("token"),    f.text("gate"),
                   f.position(),        f.flag("goes_on"), f.number("login"),
                   f.number("up_seen"), f.pair("up_bind"), f.bytes("reentry")};
  }
  if (kind == "Packet") return Packet{f.number("c"), f.number<PacketKind>("kind"), f.bytes("body")};
  if (kind == "Busy") return Busy{f.number("up_seen")};
  if (kind == "GoTo") return GoTo{f.text("address")};
  if (kind == "Ping") return Ping{f.number("time")};
  if (kind == "Pong") return Pong{f.number("time"), f.number("here")};
  if (kind == "Closed") {
    return Closed{f.number<CloseReason>("reason"), f.number<std::uint32_t>("retry_ms"),
                  f.text("text")};
  }
  throw std::logic_error("no such frame: " + kind);
}

/// A full state as a packet has it: what the gate says first, and what the home does.
struct Full {
  std::uint64_t up_seen = 0;
  sessions::FullState state{};
  friend bool operator==(const Full&, const Full&) = default;
};
void encode(const Full& full, bus::Bytes& out) {
  entity::Encoder(out).varint(full.up_seen);
  sessions::encode(full.state, out);
}
entity::DataResult<Full> decode_full_packet(bus::ByteView bytes) {
  entity::Decoder in(bytes);
  const std::uint64_t up_seen = in.varint();
  if (!in.ok()) return entity::DataError(in.error());
  auto state = sessions::decode_full(in.rest());
  if (!state) return state.error();
  return Full{up_seen, *std::move(state)};
}

template <class T>
void expect_same(const T& value, const entity::DataResult<T>& read, const bus::Bytes& bytes) {
  bus::Bytes written;
  encode(value, written);
  EXPECT_EQ(hex_of(bus::as_text(written)), hex_of(bus::as_text(bytes)));
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_TRUE(*read == value);
}

void expect_body(const std::string& kind, const Fields& f, const bus::Bytes& bytes) {
  if (kind == "full") {
    const Full full{f.number("up_seen"),
                    {f.text("subject"), f.pair("bind"), f.pair("since"), f.number("up_done"),
                     f.numbers("open"), f.texts("groups"), f.bytes("properties")}};
    return expect_same(full, decode_full_packet(bytes), bytes);
  }
  if (kind == "reply") {
    const sessions::Reply reply{f.number("u"), f.bytes("answer")};
    return expect_same(reply, sessions::decode_reply(bytes), bytes);
  }
  if (kind == "over") {
    const sessions::Over over{
        f.number<sessions::Reason>("reason"),
        {f.number("login"), f.number("up_done"), f.pair("since"), f.numbers("open")}};
    return expect_same(over, sessions::decode_over(bytes), bytes);
  }
  if (kind == "spoken") {
    return expect_same(Spoken{f.text("group"), f.bytes("body")}, decode_spoken(bytes), bytes);
  }
  if (kind == "ended") {
    const Ended ended{f.number<CloseReason>("reason"), f.flag("closing"), f.number("up_done"),
                      f.pair("since")};
    return expect_same(ended, decode_ended(bytes), bytes);
  }
  EXPECT_EQ(kind, "call");  // as news, opaque to the gate: its parts are those of the home
  EXPECT_EQ(bus::load<std::uint32_t>(bytes.data()), f.number<std::uint32_t>("method"));
  EXPECT_EQ(bus::load<std::uint32_t>(bytes.data() + 4), f.number<std::uint32_t>("types"));
}

entity::DataErrc refusal_of(const Json& malformed, const bus::Bytes& bytes) {
  const auto code = [](const auto& read) {
    return read ? entity::DataErrc::ok : static_cast<entity::DataErrc>(read.error().code.number());
  };
  if (malformed.contains("from")) {
    return malformed.at("from") == "client" ? code(decode_from_client(bytes))
                                            : code(decode_to_client(bytes));
  }
  const std::string packet = malformed.at("packet");
  if (packet == "full") return code(decode_full_packet(bytes));
  if (packet == "reply") return code(sessions::decode_reply(bytes));
  if (packet == "over") return code(sessions::decode_over(bytes));
  return packet == "spoken" ? code(decode_spoken(bytes)) : code(decode_ended(bytes));
}

const Json& vectors() {
  static const Json file = [] {
    std::ifstream in(source_file("tests/nodes/gate/vectors/client_frames.json"));
    return Json::parse(in);
  }();
  return file;
}

TEST(ClientVectors, FramesHaveGoldenBytes) {
  for (const Json& row : vectors().at("frames")) {
    SCOPED_TRACE(row.at("name").get<std::string>());
    const bus::Bytes bytes = bytes_of_text(row.at("hex").get<std::string>());
    const Fields fields(row.at("fields"));
    if (row.at("from") == "client") {
      expect_same(from_client(row.at("frame"), fields), decode_from_client(bytes), bytes);
    } else {
      expect_same(to_client(row.at("frame"), fields), decode_to_client(bytes), bytes);
    }
  }
}

TEST(ClientVectors, BodiesOfPacketsHaveGoldenBytes) {
  for (const Json& row : vectors().at("bodies")) {
    SCOPED_TRACE(row.at("name").get<std::string>());
    expect_body(row.at("packet"), Fields(row.at("fields")),
                bytes_of_text(row.at("hex").get<std::string>()));
  }
}

TEST(ClientVectors, MalformedBytesHaveTheirRefusal) {
  for (const Json& row : vectors().at("malformed")) {
    const bus::Bytes bytes = bytes_of_text(row.at("hex").get<std::string>());
    EXPECT_EQ(name_of(refusal_of(row, bytes)), row.at("refusal").get<std::string>())
        << row.at("name");
  }
}

// A frame that is cut is no other frame; but for a packet, whose body is all that is left.
TEST(ClientVectors, NoBeginningOfAFrameIsAnother) {
  for (const Json& row : vectors().at("frames")) {
    if (row.at("frame") == "Packet") continue;
    const bus::Bytes bytes = bytes_of_text(row.at("hex").get<std::string>());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const bus::ByteView cut = bus::ByteView(bytes).first(size);
      const bool read = row.at("from") == "client" ? decode_from_client(cut).has_value()
                                                   : decode_to_client(cut).has_value();
      EXPECT_FALSE(read) << row.at("name") << " cut at " << size;
    }
  }
}

}  // namespace
}  // namespace starbus::nodes::gate
