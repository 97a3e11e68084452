/// What can go wrong in aoi/, as values: small, because `move` returns one ten thousand times a
/// tick.
#pragma once

#include <boost/system/result.hpp>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace starbus::aoi {

// X(code, meaning, what to do)
#define STARBUS_AOI_ERRORS(X)                                                                    \
  X(bad_position, "a coordinate is not a number or infinite", "check what computes positions")   \
  X(bad_option, "an option is negative, not a number or contradicts another", "correct it")      \
  X(unknown_entity, "no such entity: never added, or removed", "forget the id")                  \
  X(unknown_sensor, "no such sensor: never added, removed, or its entity was", "forget the id")  \
  X(too_many, "a limit of the world is reached; limits.hpp names it", "spread over more worlds") \
  X(too_large, "a radius, a polygon or a state exceeds its limit", "see limits.hpp")             \
  X(busy, "an update was asked for from within one", "wait until it returns")                    \
  X(corrupt, "bytes that no export and no recording wrote", "discard them")                      \
  X(newer_format, "a newer version wrote these bytes", "run that version, or a newer one")       \
  X(stale, "a batch of a numbering that another has replaced", "drop it")                        \
  X(out_of_step, "a batch that does not follow what was told before", "begin a new numbering")

enum class Errc : std::uint8_t {
  ok = 0,
#define X(code, meaning, cure) code,
  STARBUS_AOI_ERRORS(X)
#undef X
};

/// "bad_position"; "ok" for ok.
std::string_view name_of(Errc code);
/// The second column of the table above; empty for ok.
std::string_view meaning_of(Errc code);

/// A code and, where it helps, a constant text of what exactly.
struct Error {
  Errc code = Errc::ok;
  const char* detail = "";

  constexpr Error() = default;
  constexpr Error(Errc c, const char* text = "") : code(c), detail(text) {}  // NOLINT: converts

  /// "bad_option: radius"
  std::string to_string() const;
  friend bool operator==(const Error& a, Errc b) { return a.code == b; }
};

/// Reading the value of a failed Result is a programming error and throws this.
class BadResult : public std::logic_error {
 public:
  explicit BadResult(const Error& error) : std::logic_error(error.to_string()) {}
};
[[noreturn]] inline void throw_exception_from_error(const Error& error,
                                                    const boost::source_location&) {
  throw BadResult(error);
}

template <class T = void>
using Result = boost::system::result<T, Error>;

}  // namespace starbus::aoi
