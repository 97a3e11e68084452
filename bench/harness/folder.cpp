#include "bench/harness/folder.hpp"

#include <stdlib.h>

#include <cstdlib>
#include <filesystem>

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

}  // namespace starbus::bench
