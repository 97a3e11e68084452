/// What std::cout writes to while a program of ours runs.
///
/// A stream alone forgets why it failed, and nobody asks it behind the last line: a script would
/// take half of an answer for a whole one. Made and asked by main, on its thread; what is written
/// behind a failure is dropped.
#pragma once

#include <streambuf>
#include <string_view>
#include <vector>

namespace starbus::tools {

class StandardOutput : private std::streambuf {
 public:
  StandardOutput();
  ~StandardOutput() override;
  StandardOutput(const StandardOutput&) = delete;
  StandardOutput& operator=(const StandardOutput&) = delete;

  /// Writes what is left. The exit code of the program: `code`, but `failed` where that was 0 and
  /// something could not be written; std::cerr is told why. A reader that goes away, as `head`
  /// does, has what it wanted: `code` stays.
  int finish(int code, std::string_view program, int failed = 1);

 private:
  int_type overflow(int_type byte) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

  const bool terminal_;  // there a line is shown when it is whole
  std::vector<char> bytes_;
  std::streambuf* const before_;
  int error_ = 0;  // errno of the first failure
};

}  // namespace starbus::tools
