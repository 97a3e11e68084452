#include "bench/harness/files.hpp"

#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace starbus::bench {

TemporaryFolder::TemporaryFolder(const std::string& parent, bool keep)
    : keep_(keep), path_(parent + "/bench-XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr) path_.clear();
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!keep_ && !path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::string temporary_parent() {
  const char* const base = std::getenv("TMPDIR");
  return base != nullptr && *base != '\0' ? base : "/tmp";
}

Result<std::string> read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Result<void> write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) return fail("cannot write " + path);
  return {};
}

}  // namespace starbus::bench
