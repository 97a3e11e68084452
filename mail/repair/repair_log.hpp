#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "mail/repair/repair_mail.hpp"

namespace starbus::mail {

/// The steps of a repair as a file of JSON lines, each written before the step is done, with the
/// bodies of messages that are erased again. The first step makes the file. One thread.
class RepairLog {
 public:
  explicit RepairLog(std::filesystem::path path) : path_(std::move(path)) {}

  /// False: it could not be written.
  bool add(const RepairStep& step);
  bool good() const { return file_.good(); }
  std::uint64_t count() const { return count_; }
  std::uint64_t lost() const { return lost_; }  // messages
  const std::filesystem::path& path() const { return path_; }

 private:
  const std::filesystem::path path_;
  std::ofstream file_;
  std::uint64_t count_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace starbus::mail
