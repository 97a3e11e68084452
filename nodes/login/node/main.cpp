// starbus-login: finds out who players are. See login_app.hpp and docs/operate/login.md.
#include "bus/core/wire/version.hpp"
#include "nodes/login/node/login_app.hpp"

int main(int argc, char** argv) {
  namespace nodes = starbus::nodes;
  return nodes::run_node({.role = "login",
                          .version = starbus::bus::kVersion,
                          .description = "Finds out who players are, for the gates of a game.",
                          .program = "starbus-login",
                          .config_file = "/etc/starbus/login.toml"},
                         std::make_unique<nodes::login::LoginApp>(), argc, argv);
}
