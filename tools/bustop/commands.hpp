/// The sub-commands: each fetches, renders and prints, and returns the exit code of the process.
/// Failures go to `err` with what to do about them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

#include "nodes/manager/placement/setback_report.hpp"
#include "tools/bustop/gates/gate_readings.hpp"
#include "tools/cluster/cluster_view.hpp"
#include "tools/terminal/table.hpp"

namespace starbus::bustop {

inline constexpr int kExitOk = 0;
inline constexpr int kExitNotFound = 1;     // route of a channel without an owner; doctor: warnings
inline constexpr int kExitBad = 2;          // doctor: errors
inline constexpr int kExitUnreachable = 3;  // the daemon at --admin does not answer
inline constexpr int kExitFailed = 4;       // it answered, but not with what was asked for
inline constexpr int kExitUsage = 64;

/// The context of every command, for one run of the program.
struct Context {
  const ClusterView& view;
  std::ostream& out;
  std::ostream& err;
  Look look;
  bool json = false;
  std::string admin;  // for messages
  /// Waits between two readings; tests do not.
  std::function<void(std::chrono::milliseconds)> sleep;
  /// Reads the setbacks of services from the manager, for doctor. Not set: they are not read.
  std::function<bus::Result<nodes::manager::SetbackReport>()> setbacks = {};
  /// Reads gates and logins, likewise.
  std::function<bus::Result<GateReadings>()> gates = {};
};

int run_tree(const Context& context);
int run_hosts(const Context& context);
int run_nodes(const Context& context);
int run_channels(const Context& context, const NamesQuery& query);
int run_route(const Context& context, const std::string& name);

struct TraceOptions {
  std::string name;
  std::string lane = "call";
};
int run_trace(const Context& context, const TraceOptions& options);

struct WhyOptions {
  std::string name;
  std::size_t limit = 20;
  bool everywhere = false;
};
int run_why(const Context& context, const WhyOptions& options);

struct TailOptions {
  std::string name;
  std::size_t count = 0;  // lines; 0: until interrupted
  bool here = false;      // the messages that pass this host, whichever host has the owner
};
int run_tail(const Context& context, const TailOptions& options);

struct RatesOptions {
  std::chrono::milliseconds interval{1000};
  bool once = false;
  bool local = false;
};
int run_rates(const Context& context, const RatesOptions& options);

struct MailOptions {
  std::string host;        // of this host only; empty: of all that keep mail
  std::string prefix;      // of mail ls
  std::string name;        // of mail peek and purge
  std::uint64_t upto = 0;  // of mail purge; 0: all
  std::uint64_t from = 0;
  std::size_t limit = 0;  // 0: 100 mailboxes, 20 messages
  bool all = false;
};
int run_mail_ls(const Context& context, const MailOptions& options);
int run_mail_peek(const Context& context, const MailOptions& options);
int run_mail_purge(const Context& context, const MailOptions& options);
int run_mail_stats(const Context& context, const MailOptions& options);

int run_doctor(const Context& context, std::chrono::milliseconds interval);

/// Prints the error and its cure.
int report(const Context& context, const Error& error);

}  // namespace starbus::bustop
