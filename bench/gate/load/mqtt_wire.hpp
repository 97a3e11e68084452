// The part of MQTT 3.1.1 that the load speaks: CONNECT, SUBSCRIBE and PUBLISH with QoS 0, PINGREQ.
// Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace starbus::bench::gate::mqtt {

std::string connect_packet(std::string_view client);
std::string subscribe_packet(std::string_view topic);
std::string publish_packet(std::string_view topic, std::string_view body);
constexpr std::string_view kPing{"\xC0\x00", 2};

enum class Kind : std::uint8_t { connected = 2, published = 3, subscribed = 9, ping_reply = 13 };

struct Packet {
  Kind kind{};
  std::string_view topic{};  // of a message
  std::string_view body{};   // likewise; else all after the length
  std::size_t size = 0;      // with its head
};
// The first packet of what has come; nullopt: not all of it is there.
std::optional<Packet> first_packet(std::string_view bytes);

}  // namespace starbus::bench::gate::mqtt
