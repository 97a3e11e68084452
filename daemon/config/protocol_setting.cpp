#include "daemon/config/protocol_setting.hpp"

#include "bus/core/wire/version.hpp"

namespace starbus::daemon {

std::uint8_t read_protocol(ConfigReader& table) {
  const std::string present = bus::protocol_text(bus::kVersionMinor);
  const std::string previous = bus::protocol_text(bus::kVersionMinor - 1);
  return table.choice("protocol", present, {present, previous}) == present ? bus::kVersionMinor
                                                                           : bus::kVersionMinor - 1;
}

}  // namespace starbus::daemon
