#include "bus/core/wire/version.hpp"

#include <cstdlib>

namespace starbus::bus {

std::string protocol_text(std::uint8_t minor) {
  return std::to_string(kVersionMajor) + "." + std::to_string(minor);
}

Result<> check_minor(std::uint8_t theirs, std::uint8_t ours) {
  if (std::abs(int{theirs} - int{ours}) <= 1) return {};
  return Error{Errc::version_mismatch,
               "the peer speaks " + protocol_text(theirs) + ", this side " + protocol_text(ours)};
}

}  // namespace starbus::bus
