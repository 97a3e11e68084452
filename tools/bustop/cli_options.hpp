/// The options and sub-commands of bustop, as one command line gives them.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <string>

#include "tools/bustop/commands.hpp"
#include "tools/bustop/gates/gate_commands.hpp"
#include "tools/bustop/manager_commands.hpp"
#include "tools/bustop/spaces/space_report.hpp"

namespace starbus::bustop {

/// What was given, and the defaults of the rest.
struct Options {
  std::string admin;
  std::string root_admin;
  bool json = false;
  bool no_color = false;
  std::chrono::milliseconds timeout{5000};
  std::chrono::milliseconds interval{1000};
  NamesQuery names;
  bool all_names = false;
  std::string name;
  TraceOptions trace;
  WhyOptions why;
  TailOptions tail;
  RatesOptions rates;
  MailOptions mail;
  std::string mail_command;
  std::string shell;
  std::string busd;
  std::string role = "node";
  std::string release;
  ShutdownOptions shutdown;
  ClientsQuery clients;
  bool all_clients = false;
  SpacesQuery spaces;
  bool all_spaces = false;
  AnnounceOptions announce;
  bool no_follow = false;
};

/// Adds all of them to an app, which writes into `options`; these outlive its parsing.
void add_options(CLI::App& app, Options& options);

}  // namespace starbus::bustop
