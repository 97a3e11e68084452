/// What gates ask each other before one hands its sessions over. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bus/core/bytes.hpp"

namespace starbus::nodes::gate {

/// What a gate is for another one.
struct GateInfo {
  std::string address{};       // as clients use it; may be empty
  std::uint64_t sessions = 0;  // that it has
  std::uint64_t room = 0;      // for so many more; 0: it drains, or is full
  friend bool operator==(const GateInfo&, const GateInfo&) = default;
};

/// The body of the question.
bus::Bytes info_question();
bool is_info_question(bus::ByteView bytes);
/// Appends.
void encode(const GateInfo& info, bus::Bytes& out);
/// nullopt: malformed.
std::optional<GateInfo> decode_gate_info(bus::ByteView bytes);

}  // namespace starbus::nodes::gate
