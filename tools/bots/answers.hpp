/// Why an answer is no value: the errors of a call, and those of a method that refuses with a
/// starbus::Error. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "clients/cpp/calls.hpp"

namespace starbus::bots {

/// Numbers of docs/reference/errors.md; domain 0: the method's own, of another type.
struct Refusal {
  std::uint16_t domain = 0;
  std::uint16_t number = 0;
  std::string detail{};
  std::string to_string() const;
};
/// nullopt: it is a value.
std::optional<Refusal> refusal_of(const game::Answer& answer);

}  // namespace starbus::bots
