/// What the tests of the operator's view share: a folder as scripts/up makes it, with programs that
/// sleep.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "examples/arena/operator/run_folder.hpp"
#include "tests/daemon/support.hpp"

namespace arena::view::test {

class Run {
 public:
  Run() {
    ::signal(SIGCHLD, SIG_IGN);
    std::filesystem::create_directory(path() / "start");
  }
  ~Run() {
    for (const Program& program : programs) {
      const RunFolder folder(path(), programs);
      if (const auto process = folder.look(program)) ::kill(process->pid, SIGKILL);
    }
    ::signal(SIGCHLD, SIG_DFL);
  }
  const std::filesystem::path& path() const { return folder_.path(); }
  /// One that can be started; its command line names the folder.
  void add(const std::string& name) {
    const std::string script = "start/" + name;
    write(script, "#!/bin/sh\nexec tail -f " + (path() / "start" / name).string() +
                      " >/dev/null 2>&1 </dev/null\n");
    ::chmod((path() / script).c_str(), 0700);
    programs.push_back({.name = name, .host = "a", .kind = "tail", .node = "", .socket = ""});
  }
  void write(const std::string& name, const std::string& text) const { folder_.write(name, text); }

  std::vector<Program> programs;

 private:
  starbus::daemon::test::TempFolder folder_;
};

/// Until it is so; false after ten seconds.
template <class Is>
bool wait_for(Is is) {
  for (int i = 0; i < 1000; ++i) {
    if (is()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace arena::view::test
