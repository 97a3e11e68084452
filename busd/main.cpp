// busd: the bus daemon of one host. See busd.hpp, and docs/operate/operations.md for running it.
#include "bus/core/wire/version.hpp"
#include "busd/busd.hpp"
#include "daemon/main_loop.hpp"

int main(int argc, char** argv) {
  const starbus::daemon::DaemonInfo info{
      .name = "busd",
      .version = starbus::bus::kVersion,
      .description = "Routes messages between the processes of one host, and to busroot.",
      .admin_listen = "127.0.0.1:7611",
      .ends_at_once = true};
  return starbus::daemon::run_daemon(info, std::make_unique<starbus::busd::Busd>(), argc, argv);
}
