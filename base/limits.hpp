/// One form for the bounds of all libraries: every queue, buffer, name, table and wait has a limit
/// with a name, a unit, a reason, and a defined behaviour when it is reached.
///
///   #define STARBUS_SHOP_LIMITS(X)                                                            ...
///     X(kMaxBasketBytes, 4_KiB, "bytes", "a basket travels in one record", "too_large")       ...
///     X(kBasketLife, 30min, "customers come back", "the basket is emptied")
///   STARBUS_LIMITS_OF(kShopLimits, STARBUS_SHOP_LIMITS)     // the constants, and the table
///
/// A time has no unit of its own in its row: its constant is a duration of std::chrono. All other
/// constants are numbers. docs/reference/limits.md is written from the tables, by
/// `starbus-catalogue`. Constants; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace starbus {

/// One bound: its name, value and unit, the reason for it, and what happens when it is reached.
struct LimitInfo {
  std::string_view name;
  std::uint64_t value;
  std::string_view unit;
  std::string_view reason;
  std::string_view when_reached;
  std::string_view hit_by{};  ///< the test that reaches it, "Suite.Case"; may be empty
};

inline namespace literals {

using namespace std::chrono_literals;

consteval std::size_t operator""_KiB(unsigned long long count) {
  return static_cast<std::size_t>(count * 1024);
}
consteval std::size_t operator""_MiB(unsigned long long count) {
  return static_cast<std::size_t>(count * 1024 * 1024);
}

}  // namespace literals

/// What the constant of a row is: milliseconds for anything below an hour, so that count() has one
/// meaning. A time that is finer than a millisecond does not compile.
constexpr std::uint64_t limit_of(std::uint64_t value) {
  return value;
}
constexpr std::chrono::milliseconds limit_of(std::chrono::milliseconds value) {
  return value;
}
constexpr std::chrono::hours limit_of(std::chrono::hours value) {
  return value;
}
constexpr std::chrono::days limit_of(std::chrono::days value) {
  return value;
}

/// The unit of a time, as the reference page writes it.
constexpr std::string_view unit_of(std::chrono::milliseconds) {
  return "ms";
}
constexpr std::string_view unit_of(std::chrono::hours) {
  return "hours";
}
constexpr std::string_view unit_of(std::chrono::days) {
  return "days";
}

/// One row of a table: the constant as a number, with its unit.
constexpr LimitInfo limit_row(std::string_view name, std::uint64_t value, std::string_view unit,
                              std::string_view reason, std::string_view when_reached,
                              std::string_view hit_by = {}) {
  return {name, value, unit, reason, when_reached, hit_by};
}
template <class Rep, class Period>
constexpr LimitInfo limit_row(std::string_view name, std::chrono::duration<Rep, Period> value,
                              std::string_view reason, std::string_view when_reached,
                              std::string_view hit_by = {}) {
  const auto count = static_cast<std::uint64_t>(value.count());
  return {name, count, unit_of(value), reason, when_reached, hit_by};
}

}  // namespace starbus

// A table is a macro TABLE(X) with rows X(constant, value, unit, reason, when reached[, hit by]),
// of times without the unit.
#define STARBUS_LIMIT_CONSTANT(constant, value, ...) \
  inline constexpr auto constant = ::starbus::limit_of(value);
#define STARBUS_LIMIT_CONSTANT32(constant, value, ...) \
  inline constexpr std::uint32_t constant = value;
#define STARBUS_LIMIT_ROW(constant, value, ...) \
  ::starbus::limit_row(#constant, constant, __VA_ARGS__),

#define STARBUS_LIMITS_OF(table, TABLE) \
  TABLE(STARBUS_LIMIT_CONSTANT)         \
  inline constexpr ::starbus::LimitInfo table[] = {TABLE(STARBUS_LIMIT_ROW)};
/// With constants of 32 bits.
#define STARBUS_LIMITS_OF32(table, TABLE) \
  TABLE(STARBUS_LIMIT_CONSTANT32)         \
  inline constexpr ::starbus::LimitInfo table[] = {TABLE(STARBUS_LIMIT_ROW)};
