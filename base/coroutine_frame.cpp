#include "base/coroutine_frame.hpp"

#include <cstdio>
#include <cstdlib>

namespace starbus {

void CheckedFrame::end_process() {
  std::fputs(
      "starbus: g++ 12 has laid out the frame of a coroutine wrongly: it awaits in a condition "
      "(if, while, do, for, switch) and declares no variable. Give it one: const bool ok = "
      "co_await ...; scripts/check-coroutines names the line, docs/design/gcc12.md says more\n",
      stderr);
  std::abort();
}

}  // namespace starbus
