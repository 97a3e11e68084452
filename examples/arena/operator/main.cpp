// arena-operator: the operator's view of the arena that scripts/up starts. See view_daemon.hpp, and
// docs/operate/arena.md.
#include "examples/arena/operator/view_daemon.hpp"

int main(int argc, char** argv) {
  const starbus::daemon::DaemonInfo info{
      .name = "arena-operator",
      .version = "1.0",
      .description = "A page for the operator of one run of scripts/up."};
  return starbus::daemon::run_daemon(info, std::make_unique<arena::view::ViewDaemon>(), argc, argv);
}
