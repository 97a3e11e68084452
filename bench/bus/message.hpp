// The header at the start of every message of the load, in the byte order of the machine: both ends
// are always this executable.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "bench/bus/plan.hpp"

namespace starbus::bench {

enum class Kind : std::uint32_t {
  kGreeting,  // sender to receivers, repeated until each has answered
  kWelcome,   // the answer
  kData,
  kCredit,  // receiver to sender: `number` messages have arrived
  kEnd,     // sender to receivers: `number` messages were sent
  kFinished,
  kRequest,
  kReply,
};

struct Header {
  Kind kind = Kind::kData;
  Address from;
  std::uint64_t number = 0;
  std::int64_t stamp_ns = 0;
};
static_assert(sizeof(Header) == 24);
constexpr std::size_t kSmallestMessage = sizeof(Header);

inline Header read_header(std::string_view message) {
  Header header;
  std::memcpy(&header, message.data(), sizeof header);
  return header;
}

inline void write_header(std::string& message, const Header& header) {
  std::memcpy(message.data(), &header, sizeof header);
}

}  // namespace starbus::bench
