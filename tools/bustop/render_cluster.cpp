// tree, hosts and nodes.
#include <algorithm>

#include "bus/core/limits.hpp"
#include "tools/bustop/render.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::bustop {
namespace {

using Align = Table::Align;

std::string count_text(std::uint64_t count) {
  return human_count(static_cast<double>(count));
}
std::string bytes_text(std::uint64_t bytes) {
  return bytes == 0 ? "-" : human_bytes(static_cast<double>(bytes));
}
std::string pid_text(std::int64_t pid) {
  return pid == 0 ? "-" : std::to_string(pid);
}

bool silent(const LinkInfo& link) {
  return link.suspect || link.silence_ms > static_cast<double>(bus::kSuspect.count());
}

std::string render_notes(const Cluster& cluster, const Look& look) {
  std::string result;
  for (const std::string& note : notes_on(cluster)) {
    result += toned(look, Tone::warning, "note: " + printable(note)) + "\n";
  }
  return result;
}

/// The rows of a tree: collected first, since the branches depend on what follows.
class TreeRows {
 public:
  void add(std::size_t depth, Cell name, std::vector<Cell> rest) {
    depths_.push_back(depth);
    rest.insert(rest.begin(), std::move(name));
    rows_.push_back(std::move(rest));
  }
  std::string text(Table table, const Look& look) {
    const auto drawn = branches(depths_);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      rows_[i][0].text.insert(0, drawn[i]);
      table.add(std::move(rows_[i]));
    }
    return table.text(look);
  }

 private:
  std::vector<std::size_t> depths_;
  std::vector<std::vector<Cell>> rows_;
};

void add_root(TreeRows& rows, const Cluster& cluster) {
  if (!cluster.root) {
    rows.add(0, {"busroot", Tone::bad}, {"root", "", "", "", {"no answer", Tone::bad}, ""});
    return;
  }
  const RootTopology& root = *cluster.root;
  Cell state = root.grace ? Cell("grace", Tone::warning) : Cell("up", Tone::good);
  rows.add(0, {root.name.empty() ? "busroot" : root.name, Tone::strong},
           {"root", "", count_text(root.names), "", std::move(state), root.software});
}

void add_host(TreeRows& rows, const HostView& host, const Cluster& cluster) {
  rows.add(1, {host.local ? host.name + " *" : host.name, Tone::strong},
           {"busd", "", count_text(host.names()), human_microseconds(host.rtt_us()),
            host_state(host, cluster), host.software()});
  for (const ProcessInfo& process : host.processes()) {
    rows.add(2, node_of(process.name),
             {process.role, pid_text(process.pid), count_text(process.names),
              human_microseconds(process.link ? process.link->rtt_us : 0), process_state(process),
              process.software});
  }
}

}  // namespace

std::string node_of(const std::string& process) {
  const std::size_t dot = process.find('.');
  return dot == std::string::npos ? process : process.substr(dot + 1);
}

Cell host_state(const HostView& host, const Cluster& cluster) {
  if (!host.connected()) {
    const bool awaited = cluster.root && std::ranges::find(cluster.root->waiting_for, host.name) !=
                                             cluster.root->waiting_for.end();
    return awaited ? Cell("awaited", Tone::warning) : Cell("down", Tone::bad);
  }
  if (host.topology && !host.topology->uplink.connected) return {"no uplink", Tone::bad};
  if (host.row && host.row->link && silent(*host.row->link)) {
    return {"silent " + human_milliseconds(host.row->link->silence_ms), Tone::warning};
  }
  if (host.trouble.code != Errc::ok) return {"no answer", Tone::warning};
  return {"up", Tone::good};
}

Cell process_state(const ProcessInfo& process) {
  if (!process.connected) return {"gone", Tone::bad};
  if (process.link && silent(*process.link)) {
    return {"silent " + human_milliseconds(process.link->silence_ms), Tone::warning};
  }
  return {"up", Tone::good};
}

std::vector<std::string> notes_on(const Cluster& cluster) {
  std::vector<std::string> notes;
  if (!cluster.root) {
    notes.push_back("busroot did not answer (" + text_of(cluster.root_trouble) +
                    "): only this host is shown");
  } else if (cluster.root->grace) {
    std::string note = "busroot is in grace: it has restarted and waits for";
    if (cluster.root->waiting_for.empty()) note += " hosts to announce their names";
    for (const std::string& host : cluster.root->waiting_for) note += " " + host;
    notes.push_back(std::move(note));
  }
  for (const HostView& host : cluster.hosts) {
    if (host.trouble.code == Errc::ok) continue;
    notes.push_back(host.name + " did not answer (" + text_of(host.trouble) +
                    "): shown as busroot knows it");
  }
  return notes;
}

std::string render_tree(const Cluster& cluster, const Look& look) {
  TreeRows rows;
  add_root(rows, cluster);
  for (const HostView& host : cluster.hosts) add_host(rows, host, cluster);
  Table table({{"NAME", Align::left, true},
               {"ROLE"},
               {"PID", Align::right},
               {"NAMES", Align::right},
               {"RTT", Align::right},
               {"STATE"},
               {"VERSION"}});
  return rows.text(std::move(table), look) + render_notes(cluster, look);
}

std::string render_hosts(const Cluster& cluster, const Look& look) {
  Table table({{"HOST", Align::left, true},
               {"STATE"},
               {"PROCESSES", Align::right},
               {"NAMES", Align::right},
               {"RTT", Align::right},
               {"IN FLIGHT", Align::right},
               {"QUEUED", Align::right},
               {"SILENCE", Align::right},
               {"VERSION"},
               {"KEY"}});
  for (const HostView& host : cluster.hosts) {
    const LinkInfo* link = host.row && host.row->link ? &*host.row->link : nullptr;
    const std::string key = host.row ? host.row->key : "";
    table.add({host.local ? host.name + " *" : host.name, host_state(host, cluster),
               std::to_string(host.processes().size()), count_text(host.names()),
               human_microseconds(host.rtt_us()), link ? bytes_text(link->in_flight_bytes) : "-",
               link ? bytes_text(link->queued()) : "-",
               link ? human_milliseconds(link->silence_ms) : "-", host.software(),
               key.empty() ? "-" : fit(printable(key), 9)});
  }
  return table.text(look) + render_notes(cluster, look);
}

std::string render_nodes(const Cluster& cluster, const Look& look) {
  Table table({{"PROCESS", Align::left, true},
               {"ROLE"},
               {"PID", Align::right},
               {"STATE"},
               {"NAMES", Align::right},
               {"RTT", Align::right},
               {"IN FLIGHT", Align::right},
               {"QUEUED", Align::right},
               {"VERSION"}});
  for (const HostView& host : cluster.hosts) {
    for (const ProcessInfo& process : host.processes()) {
      const LinkInfo* link = process.link ? &*process.link : nullptr;
      table.add({process.name, process.role, pid_text(process.pid), process_state(process),
                 count_text(process.names), human_microseconds(link ? link->rtt_us : 0),
                 link ? bytes_text(link->in_flight_bytes) : "-",
                 link ? bytes_text(link->queued()) : "-", process.software});
    }
  }
  return table.text(look) + render_notes(cluster, look);
}

}  // namespace starbus::bustop
