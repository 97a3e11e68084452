#include "bench/gate/load/mqtt_wire.hpp"

namespace starbus::bench::gate::mqtt {
namespace {

constexpr char kConnect = 0x10;
constexpr char kPublish = 0x30;
constexpr char kSubscribe = static_cast<char>(0x82);

void add_number(std::string& to, std::size_t number) {
  to += static_cast<char>(number >> 8);
  to += static_cast<char>(number & 0xFF);
}

void add_text(std::string& to, std::string_view text) {
  add_number(to, text.size());
  to += text;
}

std::string packet(char head, std::string_view rest) {
  std::string made(1, head);
  std::size_t length = rest.size();
  do {
    const auto seven = static_cast<unsigned char>(length & 0x7F);
    length >>= 7;
    made += static_cast<char>(length == 0 ? seven : seven | 0x80);
  } while (length != 0);
  made += rest;
  return made;
}

std::size_t number_at(std::string_view bytes, std::size_t at) {
  return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])) << 8 |
         static_cast<unsigned char>(bytes[at + 1]);
}

}  // namespace

std::string connect_packet(std::string_view client) {
  std::string rest;
  add_text(rest, "MQTT");
  rest += '\x04';       // 3.1.1
  rest += '\x02';       // a clean session
  add_number(rest, 0);  // no keep-alive
  add_text(rest, client);
  return packet(kConnect, rest);
}

std::string subscribe_packet(std::string_view topic) {
  std::string rest;
  add_number(rest, 1);
  add_text(rest, topic);
  rest += '\0';  // QoS 0
  return packet(kSubscribe, rest);
}

std::string publish_packet(std::string_view topic, std::string_view body) {
  std::string rest;
  add_text(rest, topic);
  rest += body;
  return packet(kPublish, rest);
}

std::optional<Packet> first_packet(std::string_view bytes) {
  std::size_t length = 0;
  std::size_t at = 1;
  for (int shift = 0;; shift += 7, ++at) {
    if (at >= bytes.size() || shift > 21) return std::nullopt;
    length |= static_cast<std::size_t>(bytes[at] & 0x7F) << shift;
    if ((bytes[at] & 0x80) == 0) break;
  }
  ++at;
  if (bytes.size() - at < length) return std::nullopt;
  Packet found;
  found.kind = static_cast<Kind>(static_cast<unsigned char>(bytes[0]) >> 4);
  found.size = at + length;
  found.body = bytes.substr(at, length);
  if (found.kind == Kind::published && length >= 2) {
    const std::size_t name = number_at(found.body, 0);
    if (name + 2 > length) return std::nullopt;
    found.topic = found.body.substr(2, name);
    found.body.remove_prefix(2 + name);
  }
  return found;
}

}  // namespace starbus::bench::gate::mqtt
