#include "base/text_of_file.hpp"

#include <fstream>
#include <sstream>
#include <utility>

namespace starbus {

std::string text_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();  // what the buffer throws ends here
  return in.bad() || text.bad() ? std::string() : std::move(text).str();
}

}  // namespace starbus
