// A game's client, from the installed package: no gate is there, and the client says so.
#include <iostream>

#include "clients/cpp/client.hpp"
#include "clients/cpp/starbus_client.h"

namespace game = starbus::game;

int main() {
  game::Events silent;
  game::Options options;
  options.settings.addresses = {"127.0.0.1:1"};
  game::Client client(options, silent);
  if (!client.login({"password", "anna", {}})) return 1;
  while (client.trouble().empty()) client.poll(std::chrono::milliseconds(100));
  std::cout << client.trouble() << std::endl;
  return starbus_client_reason_name(STARBUS_BYE) == std::string("bye") ? 0 : 1;
}
