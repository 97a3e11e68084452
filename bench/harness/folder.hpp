// A folder of its own for one run, removed with all that is in it. Sockets lie there, whose paths
// must be short.
#pragma once

#include <string>

namespace starbus::bench {

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

}  // namespace starbus::bench
