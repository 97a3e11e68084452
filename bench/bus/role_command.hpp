// The command line by which a benchmark starts load processes of itself: `PROGRAM role PEER ROLE
// OPTION...`, written by the driver and read by the hidden subcommand "role".
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bench/bus/load.hpp"

namespace starbus::bench {

// HOST.SLOT
std::string text_of(Address address);

std::vector<std::string> role_command(const Peer& peer, const LoadOptions& options);

struct RoleArguments {
  std::string peer;
  int host = 0;  // of a relay
  std::string self = "0.0";
  std::vector<std::string> partners;
  LoadOptions load;
};
void add_role_options(CLI::App& role, RoleArguments& arguments);

// Runs what was asked for; the process' exit code. "server" is the relay of a peer that has one,
// everything else is a load that `make` knows.
int run_role_command(RoleArguments& arguments, RoleFactory make);

}  // namespace starbus::bench
