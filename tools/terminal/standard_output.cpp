#include "tools/terminal/standard_output.hpp"

#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <string_view>
#include <system_error>

#include "base/write_all.hpp"

namespace starbus::tools {
namespace {

constexpr std::size_t kBuffer = 64 * 1024;

}  // namespace

StandardOutput::StandardOutput()
    : terminal_(::isatty(STDOUT_FILENO) == 1), bytes_(kBuffer), before_(std::cout.rdbuf(this)) {
  setp(bytes_.data(), bytes_.data() + bytes_.size());
}

StandardOutput::~StandardOutput() {
  sync();
  std::cout.rdbuf(before_);
}

int StandardOutput::finish(int code, std::string_view program, int failed) {
  sync();
  if (error_ == 0 || error_ == EPIPE) return code;
  std::cerr << program
            << ": standard output cannot be written: " << std::generic_category().message(error_)
            << std::endl;
  return code == 0 ? failed : code;
}

StandardOutput::int_type StandardOutput::overflow(int_type byte) {
  if (sync() != 0) return traits_type::eof();
  if (traits_type::eq_int_type(byte, traits_type::eof())) return traits_type::not_eof(byte);
  sputc(traits_type::to_char_type(byte));  // there is room now
  return byte;
}

std::streamsize StandardOutput::xsputn(const char* text, std::streamsize size) {
  const std::string_view all(text, static_cast<std::size_t>(size));
  const std::streamsize taken = std::streambuf::xsputn(text, size);
  if (terminal_ && all.find('\n') != std::string_view::npos && sync() != 0) return 0;
  return taken;
}

int StandardOutput::sync() {
  const std::string_view text(pbase(), static_cast<std::size_t>(pptr() - pbase()));
  if (error_ == 0) error_ = write_all(STDOUT_FILENO, text).value();
  setp(bytes_.data(), bytes_.data() + bytes_.size());
  if (error_ == 0) return 0;
  errno = error_;
  return -1;
}

}  // namespace starbus::tools
