// Files of a run: texts, and a folder of its own.
#pragma once

#include <string>

#include "bench/harness/result.hpp"

namespace starbus::bench {

// Removed with all that is in it. Sockets lie there, whose paths must be short.
class TemporaryFolder {
 public:
  TemporaryFolder(const std::string& parent, bool keep);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  // Empty if it could not be made.
  const std::string& path() const { return path_; }

 private:
  bool keep_;
  std::string path_;
};

// Where temporary files go: TMPDIR, or /tmp.
std::string temporary_parent();

Result<std::string> read_text(const std::string& path);
Result<void> write_text(const std::string& path, const std::string& text);

}  // namespace starbus::bench
