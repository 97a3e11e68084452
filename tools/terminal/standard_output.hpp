/// The buffer of std::cout in our programs.
///
/// A stream does not remember why it failed, and is not checked after the last line, so a script
/// would take a part of an answer for the whole. main creates and checks it, on its thread; output
/// after a failure is dropped.
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

  /// Writes the rest and returns the exit code of the program: `code`, or `failed` if `code` is 0
  /// and a write failed; then the reason is on std::cerr. `code` stays if the reader closed the
  /// pipe, as `head` does.
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
