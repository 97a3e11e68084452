/// The tables that each part of this room has of its limits and errors: one form for all. A part
/// lists them in macros, of which it makes constants, an enum and these rows, so that its page in
/// docs/ can be checked against them.
#pragma once

#include <boost/system/result.hpp>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace starbus::entity {

/// A bound: "kMaxTimers", its value and unit, why it is there, and what happens when it is reached.
struct LimitInfo {
  std::string_view name;
  std::uint64_t value;
  std::string_view unit;
  std::string_view reason;
  std::string_view when_reached;
};

/// A code and what it means.
template <class Code>
struct ErrorInfo {
  Code code;
  std::string_view name;
  std::string_view meaning;
};

/// "too_far"; "ok" for ok. `table` has all codes behind ok, in their order.
template <class Code>
std::string_view name_in(std::span<const ErrorInfo<Code>> table, Code code) {
  if (code == Code::ok) return "ok";
  return table[static_cast<std::size_t>(code) - 1].name;
}

/// Reading the value of a failed result is a programming error and throws this.
template <class Code>
class BadCode : public std::logic_error {
 public:
  explicit BadCode(Code code) : std::logic_error(std::string(name_of(code))) {}
};
template <class Code>
requires std::is_enum_v<Code>
[[noreturn]] void throw_exception_from_error(Code code, const boost::source_location&) {
  throw BadCode<Code>(code);
}

}  // namespace starbus::entity
