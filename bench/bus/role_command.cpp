#include "bench/bus/role_command.hpp"

#include <cstdio>
#include <iostream>

namespace starbus::bench {
namespace {

Address parse_address(const std::string& text) {
  unsigned host = 0;
  unsigned slot = 0;
  std::sscanf(text.c_str(), "%u.%u", &host, &slot);
  return {static_cast<std::uint16_t>(host), static_cast<std::uint16_t>(slot)};
}

}  // namespace

std::string text_of(Address address) {
  return std::to_string(address.host) + "." + std::to_string(address.slot);
}

std::vector<std::string> role_command(const Peer& peer, const LoadOptions& options) {
  std::vector<std::string> command{peer.executable(), "role", std::string(peer.name()),
                                   options.role};
  const auto add = [&](const std::string& option, const std::string& value) {
    command.push_back(option);
    command.push_back(value);
  };
  add("--directory", options.directory);
  add("--self", text_of(options.self));
  for (const Address& partner : options.partners) add("--partner", text_of(partner));
  add("--bytes", std::to_string(options.bytes));
  add("--rate", std::to_string(options.rate));
  add("--seconds", std::to_string(options.seconds));
  add("--window", std::to_string(options.window));
  if (options.to_everyone) command.push_back("--to-everyone");
  if (options.low_latency) command.push_back("--low-latency");
  return command;
}

void add_role_options(CLI::App& role, RoleArguments& arguments) {
  role.group("");  // for the benchmark's own processes; not in the help
  role.add_option("peer", arguments.peer)->required();
  role.add_option("role", arguments.load.role)->required();
  role.add_option("--directory", arguments.load.directory)->required();
  role.add_option("--host", arguments.host);
  role.add_option("--self", arguments.self);
  role.add_option("--partner", arguments.partners);
  role.add_option("--bytes", arguments.load.bytes);
  role.add_option("--rate", arguments.load.rate);
  role.add_option("--seconds", arguments.load.seconds);
  role.add_option("--window", arguments.load.window);
  role.add_flag("--to-everyone", arguments.load.to_everyone);
  role.add_flag("--low-latency", arguments.load.low_latency);
}

int run_role_command(RoleArguments& arguments, RoleFactory make) {
  Peer* peer = find_peer(arguments.peer);
  if (peer == nullptr) {
    std::cerr << "no such peer: " << arguments.peer << "\n";
    return 2;
  }
  if (arguments.load.role == "server") {
    const Result<Plan> plan = Plan::load(arguments.load.directory);
    const Result<void> served = plan ? peer->serve({*plan, arguments.host}) : plan.error();
    if (!served) std::cerr << served.error().what << "\n";
    return 1;
  }
  arguments.load.self = parse_address(arguments.self);
  for (const std::string& text : arguments.partners) {
    arguments.load.partners.push_back(parse_address(text));
  }
  return run_load(*peer, arguments.load, make);
}

}  // namespace starbus::bench
