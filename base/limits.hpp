/// One form for the bounds of all libraries: every queue, buffer, name, table and wait has a limit
/// with a name, a unit, a reason, and a defined behaviour when it is reached.
///
///   #define STARBUS_SHOP_LIMITS(X)                                                            ...
///     X(kMaxBasketBytes, 4_KiB, "bytes", "a basket travels in one record", "too_large")
///   STARBUS_LIMITS_OF(kShopLimits, STARBUS_SHOP_LIMITS)     // the constants, and the table
///
/// docs/reference/limits.md is written from the tables, by `starbus-catalogue`. Constants; any
/// thread.
#pragma once

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

consteval std::size_t operator""_KiB(unsigned long long count) {
  return static_cast<std::size_t>(count * 1024);
}
consteval std::size_t operator""_MiB(unsigned long long count) {
  return static_cast<std::size_t>(count * 1024 * 1024);
}

}  // namespace literals

}  // namespace starbus

// A table is a macro TABLE(X) with rows X(constant, value, unit, reason, when reached[, hit by]).
#define STARBUS_LIMIT_CONSTANT(constant, value, ...) \
  inline constexpr std::uint64_t constant = value;
#define STARBUS_LIMIT_CONSTANT32(constant, value, ...) \
  inline constexpr std::uint32_t constant = value;
#define STARBUS_LIMIT_ROW(constant, value, ...) \
  ::starbus::LimitInfo{#constant, constant, __VA_ARGS__},

#define STARBUS_LIMITS_OF(table, TABLE) \
  TABLE(STARBUS_LIMIT_CONSTANT)         \
  inline constexpr ::starbus::LimitInfo table[] = {TABLE(STARBUS_LIMIT_ROW)};
/// With constants of 32 bits.
#define STARBUS_LIMITS_OF32(table, TABLE) \
  TABLE(STARBUS_LIMIT_CONSTANT32)         \
  inline constexpr ::starbus::LimitInfo table[] = {TABLE(STARBUS_LIMIT_ROW)};
