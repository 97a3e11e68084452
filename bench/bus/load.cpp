#include "bench/bus/load.hpp"

#include <iostream>

#include "bench/bus/role.hpp"

namespace starbus::bench {

std::unique_ptr<Role> make_role(const LoadOptions& options) {
  if (options.role == "sender") return make_sender(options);
  if (options.role == "receiver") return make_receiver(options);
  if (options.role == "requester") return make_requester(options);
  if (options.role == "responder") return make_responder(options);
  return nullptr;
}

int run_load(Peer& peer, const LoadOptions& options, RoleFactory make) {
  use_precise_timers();
  const std::unique_ptr<Role> role = make(options);
  std::string line;
  Result<void> ready = role ? role->connect(peer) : Result<void>(fail("no such role"));
  if (ready) ready = role->prepare();
  if (ready) {
    std::cout << "ready" << std::endl;
    // A receiver must serve greetings while it waits, so only those who greet wait for "go".
    if (options.role == "sender" || options.role == "requester") std::getline(std::cin, line);
    const Result<Json> result = role->run();
    if (result) {
      std::cout << result->dump() << std::endl;
      while (std::getline(std::cin, line)) {
      }
      return 0;
    }
    ready = result.error();
  }
  std::cout << Json{{"error", ready.error().what}}.dump() << std::endl;
  return 1;
}

}  // namespace starbus::bench
