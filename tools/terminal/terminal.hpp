#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bus/core/error.hpp"

namespace starbus::bustop {

/// The terminal of this process, in raw mode and on its alternate screen between enter() and
/// leave(). The destructor leaves, and so do crashes: a handler for fatal signals restores the
/// terminal first. One instance, one thread. io_error if standard input or output is not a
/// terminal.
class Terminal {
 public:
  struct Size {
    std::size_t columns = 80;
    std::size_t rows = 24;
  };

  Terminal() = default;
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  bus::Result<> enter();
  void leave();

  static bool is_terminal();  // standard output
  static Size size();
  /// Draws the lines from the top and clears the rest. In one write, so that nothing flickers.
  void draw(const std::vector<std::string>& lines);

 private:
  bool entered_ = false;
};

}  // namespace starbus::bustop
