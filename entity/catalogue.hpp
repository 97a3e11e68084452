/// The tables that each part of this room has of its limits: one form for all. A part
/// lists them in macros, of which it makes constants and these rows, so that its page in
/// docs/ can be checked against them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace starbus::entity {

/// A bound: "kMaxTimers", its value and unit, why it is there, and what happens when it is reached.
struct LimitInfo {
  std::string_view name;
  std::uint64_t value;
  std::string_view unit;
  std::string_view reason;
  std::string_view when_reached;
};

}  // namespace starbus::entity
