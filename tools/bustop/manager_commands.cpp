#include "tools/bustop/manager_commands.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "nodes/manager/report_json.hpp"
#include "tools/bustop/bus_trouble.hpp"
#include "tools/bustop/commands.hpp"
#include "tools/bustop/json_out.hpp"
#include "tools/bustop/manager_link.hpp"
#include "tools/bustop/manager_view.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::bustop {
namespace {

using nodes::manager::ClusterReport;
using nodes::manager::SetbackReport;
using nodes::manager::SetbackRow;
using nodes::manager::ShutdownPhase;
using nodes::manager::ShutdownReport;
using std::chrono::milliseconds;

constexpr milliseconds kPoll(100);  // below the time for which the manager keeps its last report
constexpr int kPollsPerReminder = 20;
// For the next manager, or the same one again: its name is free at the latest with the lease of its
// earlier owner, and a supervisor takes some seconds.
constexpr milliseconds kAskAgain(45'000);
constexpr milliseconds kAskAgainPause(500);

int say(const ManagerContext& context, const bus::Error& error) {
  return bustop::say(
      context, error,
      {.no_owner = "start starbus-manager on some host; bustop route manager/cluster"});
}

int exit_code(const ShutdownReport& report) {
  if (report.phase == ShutdownPhase::abandoned) return kExitFailed;
  return report.blocked.empty() ? kExitOk : kExitBad;
}

/// Whether the manager that has answered so does not carry the shutdown on.
bool is_lost(const bus::Result<ShutdownReport>& report) {
  return !report || report->phase == ShutdownPhase::idle ||
         report->phase == ShutdownPhase::abandoned;
}

/// A manager that takes over knows nothing of the shutdown: stages that are empty by now are over
/// at once with it.
bus::Result<ShutdownReport> ask_again(const ManagerContext& context, ManagerLink& link,
                                      const std::string& reason) {
  context.err << "bustop: the manager is gone, or has lost its place; the next one is asked\n"
              << std::flush;
  const auto limit = std::chrono::steady_clock::now() + kAskAgain;
  for (;;) {
    auto report = link.shut_down(reason);
    if (!is_lost(report) || std::chrono::steady_clock::now() >= limit) return report;
    link.wait(kAskAgainPause);
  }
}

/// Follows the shutdown to its end. The manager ends soon after it has reported that. Without a
/// reason nothing is begun, and so not again either.
int follow(const ManagerContext& context, ManagerLink& link, ShutdownReport report,
           const std::string& reason) {
  ShutdownCourse course(context.look);
  for (int polls = 0; report.phase == ShutdownPhase::running; ++polls) {
    const bool remind = polls % kPollsPerReminder == kPollsPerReminder - 1;
    if (!context.json) context.out << course.news(report, remind) << std::flush;
    link.wait(kPoll);
    auto next = link.shutdown_report();
    if (is_lost(next) && !reason.empty()) next = ask_again(context, link, reason);
    if (!next) return say(context, next.error());
    report = std::move(*next);
    if (report.phase == ShutdownPhase::idle) {
      return say(context, {bus::Errc::no_owner,
                           "another manager has taken over, and does not "
                           "continue the shutdown: ask again"});
    }
  }
  if (context.json) {
    context.out << dump(nodes::manager::to_json(report));
  } else {
    context.out << course.news(report, false) << render_verdict(report, context.look);
  }
  return exit_code(report);
}

}  // namespace

int run_cluster(const ManagerContext& context) {
  ManagerLink link(context.busd, context.role, context.timeout);
  if (const auto connected = link.connect(); !connected) return say(context, connected.error());
  ClusterReport all;
  for (bool more = true; more;) {
    auto page = link.cluster(all.nodes.empty() ? "" : all.nodes.back().process);
    if (!page) return say(context, page.error());
    more = page->more && !page->nodes.empty();
    page->nodes.insert(page->nodes.begin(), all.nodes.begin(), all.nodes.end());
    all = std::move(*page);
  }
  const auto setbacks = link.setbacks();
  // A manager of before does not know the question.
  const auto held = setbacks ? *setbacks : SetbackReport();
  if (!setbacks) say(context, setbacks.error());
  if (context.json) {
    auto json = nodes::manager::to_json(all);
    json["setbacks"] = nodes::manager::to_json(held);
    context.out << dump(json);
  } else {
    context.out << render_managed(all, context.look) << render_setbacks(held, context.look);
  }
  return std::ranges::any_of(held.rows, &SetbackRow::quarantined) ? kExitBad : kExitOk;
}

int run_release(const ManagerContext& context, const std::string& instance) {
  ManagerLink link(context.busd, context.role, context.timeout);
  if (const auto connected = link.connect(); !connected) return say(context, connected.error());
  const auto released = link.release(instance);
  if (!released) return say(context, released.error());
  if (context.json) {
    context.out << dump({{"instance", instance}, {"released", *released}});
  } else {
    context.out << printable(instance)
                << (*released ? ": released\n" : ": nothing is held against it\n");
  }
  return *released ? kExitOk : kExitNotFound;
}

int run_entity(const ManagerContext& context, const std::string& channel) {
  ManagerLink link(context.busd, context.role, context.timeout);
  if (const auto connected = link.connect(); !connected) return say(context, connected.error());
  const auto shown = link.entity(channel);
  if (!shown) {
    const bool absent =
        shown.error() == bus::Errc::no_owner || shown.error() == bus::Errc::no_handler;
    if (!absent) return say(context, shown.error());
    context.err << "bustop: " << printable(shown.error().to_string()) << "\n  -> bustop route "
                << printable(channel) << "\n";
    return kExitNotFound;
  }
  const auto json = nlohmann::ordered_json::parse(*shown, nullptr, false);
  if (json.is_discarded()) {
    return say(context, {bus::Errc::bad_bytes, channel + " has answered with no JSON"});
  }
  context.out << (context.json ? json.dump(2) + "\n" : render_entity(json, context.look));
  return kExitOk;
}

int run_shutdown(const ManagerContext& context, const ShutdownOptions& options) {
  ManagerLink link(context.busd, context.role, context.timeout);
  if (const auto connected = link.connect(); !connected) return say(context, connected.error());
  auto report = options.reason.empty() ? link.shutdown_report() : link.shut_down(options.reason);
  if (!report) return say(context, report.error());
  if (options.follow && report->phase != ShutdownPhase::idle) {
    return follow(context, link, std::move(*report), options.reason);
  }
  context.out << (context.json ? dump(nodes::manager::to_json(*report))
                               : render_shutdown(*report, context.look));
  if (report->phase == ShutdownPhase::idle && !context.json) {
    context.out << "  -> bustop shutdown --reason TEXT begins it\n";
  }
  return exit_code(*report);
}

}  // namespace starbus::bustop
