// busroot: the router between the hosts of a cluster. See busroot.hpp, and
// docs/operate/operations.md for running it.
#include "bus/core/wire/version.hpp"
#include "busroot/busroot.hpp"
#include "daemon/main_loop.hpp"

int main(int argc, char** argv) {
  const starbus::daemon::DaemonInfo info{
      .name = "busroot",
      .version = starbus::bus::kVersion,
      .description = "Routes messages between hosts, and grants names.",
      .admin_listen = "127.0.0.1:7601",
      .ends_at_once = true};
  return starbus::daemon::run_daemon(info, std::make_unique<starbus::busroot::Busroot>(), argc,
                                     argv);
}
