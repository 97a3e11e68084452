// Cores: the measured server has the first one for itself, as far as this benchmark goes; all else
// that it starts meanwhile has the others. On a machine of one core they share it. One thread uses
// it.
#pragma once

#include <sched.h>

#include <string>
#include <vector>

namespace starbus::bench::space {

class Cores {
 public:
  // `apart`: false changes nothing.
  explicit Cores(bool apart);
  ~Cores();
  Cores(const Cores&) = delete;
  Cores& operator=(const Cores&) = delete;

  // The command that runs the server; empty: it runs anywhere.
  std::vector<std::string> launcher() const;

 private:
  cpu_set_t before_{};
  int first_ = -1;  // the core of the server; -1: none
};

}  // namespace starbus::bench::space
