#include "daemon/config/protocol_setting.hpp"

#include "bus/core/wire/version.hpp"

namespace starbus::bus::daemon {

std::uint8_t read_protocol(ConfigReader& table) {
  const std::string present = protocol_text(kVersionMinor);
  const std::string previous = protocol_text(kVersionMinor - 1);
  return table.choice("protocol", present, {present, previous}) == present ? kVersionMinor
                                                                           : kVersionMinor - 1;
}

}  // namespace starbus::bus::daemon
