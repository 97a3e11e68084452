#include "tests/places.hpp"

#include <cstdlib>
#include <string_view>

namespace starbus {

std::string source_file(const std::string& path) {
  return std::string(STARBUS_SOURCE_DIR) + "/" + path;
}

std::string program(const std::string& name) {
  return std::string(STARBUS_BIN_DIR) + "/" + name;
}

bool long_runs() {
  const char* const wish = std::getenv("STARBUS_LONG");  // NOLINT: before there are threads
  return wish != nullptr && std::string_view(wish) == "1";
}

}  // namespace starbus
