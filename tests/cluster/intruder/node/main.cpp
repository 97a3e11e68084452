// starbus-test-intruder SOCKET HOST SESSIONS VICTIM_PREFIX USER PACE: a hostile program, until it
// is killed, or its parent ends. It becomes the user of that number if it may; 0 keeps the present
// one. Each session does its worst once in PACE milliseconds, or as often as busd takes it for 0.
// Prints "ready" when its sessions are open, and then each second how many are.
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>

#include "tests/cluster/intruder/node/intruder.hpp"

namespace {

using namespace std::chrono_literals;

constexpr unsigned kMostTime = 660;  // seconds: the longest run of the benchmark, and then some

bool become(unsigned user) {
  if (user == 0 || ::getuid() != 0) return true;
  return ::setgroups(0, nullptr) == 0 && ::setgid(user) == 0 && ::setuid(user) == 0;
}

/// It ends with the program that has started it, and by itself after kMostTime. The kernel forgets
/// the wish for the former when the user changes, so this comes after that.
bool end_with(pid_t parent) {
  ::alarm(kMostTime);
  return ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::getppid() == parent;
}

void raise_open_files() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::cerr << "usage: starbus-test-intruder SOCKET HOST SESSIONS VICTIM_PREFIX USER PACE\n";
    return 2;
  }
  const pid_t parent = ::getppid();
  raise_open_files();
  if (!become(static_cast<unsigned>(std::atoi(argv[5])))) {
    std::cerr << "cannot become user " << argv[5] << "\n";
    return 1;
  }
  if (!end_with(parent)) return 1;
  starbus::cluster_test::Intruder intruder(
      {.socket = argv[1],
       .host = argv[2],
       .victim = argv[4],
       .sessions = static_cast<std::size_t>(std::atoi(argv[3])),
       .pace = std::chrono::milliseconds(std::atoi(argv[6]))});
  intruder.open_all(15s);
  std::cout << "ready" << std::endl;
  auto said = std::chrono::steady_clock::now();
  for (;;) {
    intruder.pass();
    if (std::chrono::steady_clock::now() - said < 1s) continue;
    said = std::chrono::steady_clock::now();
    std::cout << intruder.open_sessions() << " sessions" << std::endl;
  }
}
