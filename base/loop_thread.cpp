#include "base/loop_thread.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace starbus {
namespace {

// A thread may have ended; its number then has no name.
std::string name_of_thread(std::int32_t id) {
  std::ifstream file("/proc/self/task/" + std::to_string(id) + "/comm");
  std::string name;
  return std::getline(file, name) ? name : "ended";
}

}  // namespace

constinit thread_local LoopThread::ThreadId LoopThread::current_ = 0;

LoopThread::ThreadId LoopThread::ask_kernel() noexcept {
  return ::gettid();
}

void LoopThread::fail(ThreadId owner) noexcept {
  std::fprintf(stderr,
               "starbus: an object of thread %d (%s) was used by thread %d (%s); post to its loop "
               "instead\n",
               owner, name_of_thread(owner).c_str(), current(), name_of_thread(current()).c_str());
  std::abort();
}

}  // namespace starbus
