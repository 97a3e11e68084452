// Package: starbus as a game's developer has it: installed into a folder of this run. And what a
// command costs, in seconds of a processor. One thread uses it. Failures are values.
#pragma once

#include <string>
#include <vector>

#include "bench/harness/files.hpp"
#include "bench/harness/result.hpp"

namespace starbus::bench::compile {

// Processor seconds, user and system, of the command and of all that it starts. The end of what it
// has printed is part of a failure. It must end within an hour.
Result<double> cost_of(const std::vector<std::string>& command);

class Package {
 public:
  // `prefix`: where it is installed. Empty: it is installed from `build`, the build tree whose
  // target `installable` has been built, into a folder that ends with this.
  Package(std::string build, std::string prefix)
      : build_(std::move(build)), prefix_(std::move(prefix)), folder_(temporary_parent(), false) {}

  // Before the first case. From then on its programs are first on PATH, where CMake looks for
  // packages, too; and there is no compiler cache, and one job.
  Result<void> install();
  // Where projects go. Removed with the package.
  const std::string& folder() const { return folder_.path(); }

 private:
  std::string build_;
  std::string prefix_;
  TemporaryFolder folder_;
  bool ready_ = false;
};

}  // namespace starbus::bench::compile
