#include "tests/places.hpp"

namespace starbus {

std::string source_file(const std::string& path) {
  return std::string(STARBUS_SOURCE_DIR) + "/" + path;
}

std::string program(const std::string& name) {
  return std::string(STARBUS_BIN_DIR) + "/" + name;
}

}  // namespace starbus
