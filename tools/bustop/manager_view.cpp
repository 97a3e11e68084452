#include "tools/bustop/manager_view.hpp"

#include <map>

#include "tools/terminal/text.hpp"

namespace starbus::bustop {

using nodes::manager::BlockedNode;
using nodes::manager::ClusterNode;
using nodes::manager::ClusterReport;
using nodes::manager::SetbackReport;
using nodes::manager::SetbackRow;
using nodes::manager::ShutdownNode;
using nodes::manager::ShutdownPhase;
using nodes::manager::ShutdownReport;
using nodes::manager::StageReport;
using nodes::manager::StageState;

namespace {

using Align = Table::Align;

constexpr std::size_t kShownNodes = 5;  // that one line names

std::string milliseconds_text(std::uint64_t ms) {
  return human_milliseconds(static_cast<double>(ms));
}

std::string whole(double number) {
  return std::to_string(static_cast<long long>(number));
}

std::string node_text(const ShutdownNode& node) {
  std::string text = printable(node.process);
  if (!node.role.empty()) text += " (" + printable(node.role) + ")";
  if (!node.status.empty()) text += ": " + printable(node.status);
  return text;
}

Tone tone_of(StageState state) {
  if (state == StageState::late) return Tone::bad;
  return state == StageState::done ? Tone::good : Tone::plain;
}

Tone tone_of(const ClusterNode& node) {
  if (!node.answers) return Tone::bad;
  return node.ready ? Tone::good : Tone::warning;
}

std::string blocked_lines(const ShutdownReport& report, const std::string& stage,
                          const Look& look) {
  std::string text;
  for (const BlockedNode& blocked : report.blocked) {
    if (!stage.empty() && blocked.stage != stage) continue;
    std::string line = "  " + node_text(blocked.node);
    if (stage.empty()) line += "; blocked " + printable(blocked.stage);
    if (blocked.gone) line += "; has left since";
    text += toned(look, Tone::bad, line) + "\n";
  }
  return text;
}

std::string waits_for(const StageReport& stage) {
  const std::uint64_t all = stage.nodes.size() + stage.left_out;
  std::string text = printable(stage.name) + ": waits for " + count_of(all, "node");
  for (std::size_t i = 0; i < stage.nodes.size() && i < kShownNodes; ++i) {
    text += "\n  " + node_text(stage.nodes[i]);
  }
  if (all > kShownNodes) text += "\n  and " + std::to_string(all - kShownNodes) + " others";
  return text + "\n";
}

/// Nodes of one role are mostly copies of one program.
std::string mixed_builds(const ClusterReport& report) {
  std::map<std::string, std::map<std::uint64_t, std::string>> seen;  // role, hash: the first node
  for (const ClusterNode& node : report.nodes) {
    if (node.dictionary != 0) seen[node.role].try_emplace(node.dictionary, node.process);
  }
  std::string text;
  for (const auto& [role, builds] : seen) {
    if (builds.size() < 2) continue;
    text += "note: nodes of role " + printable(role) + " are of " + std::to_string(builds.size()) +
            " builds, which differ in their RPC methods:";
    std::size_t shown = 0;
    for (const auto& [hash, process] : builds) {
      if (shown == kShownNodes) break;
      text.append(shown++ == 0 ? " " : ", ").append(printable(process));
    }
    text += builds.size() > kShownNodes ? ", ...\n" : "\n";
  }
  return text;
}

}  // namespace

std::string render_managed(const ClusterReport& report, const Look& look) {
  Table table({{"NODE"},
               {"ROLE"},
               {"STATE"},
               {"BUSY/S", Align::right},
               {"STALLS", Align::right},
               {"POSTED", Align::right},
               {"TASKS", Align::right},
               {"AGE", Align::right},
               {"STATUS", Align::left, true}});
  for (const ClusterNode& node : report.nodes) {
    const bool known = !node.state.empty();
    table.add({node.process,
               node.role.empty() ? "?" : node.role,
               {node.answers ? node.state : "no answer", tone_of(node)},
               known ? whole(node.busy_ms_per_s) + " ms" : "-",
               known ? std::to_string(node.stalls) : "-",
               known ? std::to_string(node.posted) : "-",
               known ? std::to_string(node.tasks) : "-",
               known ? milliseconds_text(node.age_ms) : "-",
               node.status});
  }
  std::string text = table.text(look) + count_of(report.total, "node") + ", as " +
                     printable(report.manager) + " sees them\n";
  if (report.left_out != 0) {
    text += "note: " + count_of(report.left_out, "further node") + " for which it has no room\n";
  }
  return text + mixed_builds(report);
}

std::string render_setbacks(const SetbackReport& report, const Look& look) {
  std::string text;
  std::string quarantined;
  for (const SetbackRow& row : report.rows) {
    std::string line = printable(row.instance) + ": ";
    if (row.quarantined) {
      line += "in quarantine";
      if (quarantined.empty()) quarantined = printable(row.instance);
    } else {
      line += row.pause_ms == 0 ? "watched" : "pauses for " + milliseconds_text(row.pause_ms);
    }
    line += "; " + count_of(row.deaths, "host") + " died while it started or was young, " +
            printable(row.host) + " last, " + milliseconds_text(row.age_ms) + " ago";
    text += toned(look, row.quarantined ? Tone::bad : Tone::warning, line) + "\n";
  }
  if (report.left_out != 0) text += "note: " + count_of(report.left_out, "further one") + "\n";
  if (quarantined.empty()) return text;
  return text +
         "  -> read the logs and core dumps of those hosts; when the cause is removed: "
         "bustop cluster --release " +
         quarantined + "\n";
}

std::string render_shutdown(const ShutdownReport& report, const Look& look) {
  Table table({{"STAGE"},
               {"STATE"},
               {"ENDED", Align::right},
               {"THERE", Align::right},
               {"TOOK", Align::right},
               {"DEADLINE", Align::right},
               {"ROLES"},
               {"NODES", Align::left, true}});
  for (const StageReport& stage : report.stages) {
    std::string roles;
    for (const std::string& role : stage.roles) roles += (roles.empty() ? "" : " ") + role;
    std::string names;
    for (const ShutdownNode& node : stage.nodes) {
      names += (names.empty() ? "" : " ") + node.process;
    }
    table.add({stage.name,
               {std::string(name_of(stage.state)), tone_of(stage.state)},
               std::to_string(stage.ended),
               std::to_string(stage.nodes.size() + stage.left_out),
               stage.state == StageState::waiting ? "-" : milliseconds_text(stage.elapsed_ms),
               milliseconds_text(stage.deadline_ms),
               roles,
               names});
  }
  std::string text = table.text(look);
  if (report.phase == ShutdownPhase::idle) {
    return text + "no shutdown is under way, as " + printable(report.manager) + " knows\n";
  }
  text += std::string(name_of(report.phase)) + " for " + milliseconds_text(report.elapsed_ms) +
          ", " + printable(report.manager) + ": " + printable(report.reason) + "\n";
  return text + blocked_lines(report, "", look);
}

std::string ShutdownCourse::news(const ShutdownReport& report, bool remind) {
  std::string text;
  for (; told_ < report.stages.size(); ++told_) {
    const StageReport& stage = report.stages[told_];
    if (stage.state != StageState::done && stage.state != StageState::late) break;
    const std::string line = printable(stage.name) + ": " + std::string(name_of(stage.state)) +
                             ", " + count_of(stage.ended, "node") + " ended in " +
                             milliseconds_text(stage.elapsed_ms);
    text += toned(look_, tone_of(stage.state), line) + "\n";
    text += blocked_lines(report, stage.name, look_);
  }
  const bool waits = report.phase == ShutdownPhase::running && told_ < report.stages.size() &&
                     !report.stages[told_].nodes.empty();
  if (remind && waits) text += waits_for(report.stages[told_]);
  return text;
}

std::string render_verdict(const ShutdownReport& report, const Look& look) {
  if (report.phase == ShutdownPhase::abandoned) {
    return toned(look, Tone::bad, "given up: the manager lost its place") +
           "\n  -> ask again: the next manager begins with the nodes that are still there\n";
  }
  const std::uint64_t blocked = report.blocked.size() + report.blocked_left_out;
  std::string text = "the cluster is shut down, in " + milliseconds_text(report.elapsed_ms);
  if (blocked == 0) return toned(look, Tone::good, text) + "\n";
  text += ", but " + count_of(blocked, "node") + " did not end in time";
  return toned(look, Tone::bad, text) + "\n" + blocked_lines(report, "", look) +
         "  -> look at their logs; end what is left by hand (systemctl stop, or kill)\n";
}

}  // namespace starbus::bustop
