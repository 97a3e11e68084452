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
#include <utility>

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

/// "too_far"; "ok" for ok; "unknown" for a number that came from a later version. `table` has all
/// codes behind ok, in their order.
template <class Code>
std::string_view name_in(std::span<const ErrorInfo<Code>> table, Code code) {
  const auto number = static_cast<std::size_t>(code);
  if (number == 0) return "ok";
  return number <= table.size() ? table[number - 1].name : "unknown";
}

/// A failure as a value: the code for programs, the text for people. Cheap without text; travels.
template <class Code>
struct CodedError {
  Code code = Code::ok;
  std::string detail;

  CodedError() = default;
  CodedError(Code c) : code(c) {}  // NOLINT: a code is an error without detail
  CodedError(Code c, std::string text) : code(c), detail(std::move(text)) {}

  /// "wrong_type: a.b is no number"
  std::string to_string() const {
    std::string text(name_of(code));
    if (!detail.empty()) text += ": " + detail;
    return text;
  }
  friend bool operator==(const CodedError& a, Code b) { return a.code == b; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(code, detail);
  }
};

/// Reading the value of a failed result is a programming error and throws this.
template <class Code>
class BadCode : public std::logic_error {
 public:
  explicit BadCode(Code code) : std::logic_error(std::string(name_of(code))) {}
  explicit BadCode(const CodedError<Code>& error) : std::logic_error(error.to_string()) {}
};
template <class Code>
requires std::is_enum_v<Code>
[[noreturn]] void throw_exception_from_error(Code code, const boost::source_location&) {
  throw BadCode<Code>(code);
}
template <class Code>
[[noreturn]] void throw_exception_from_error(const CodedError<Code>& error,
                                             const boost::source_location&) {
  throw BadCode<Code>(error);
}

}  // namespace starbus::entity
