#include "tools/bustop/live/live_rows.hpp"

#include <algorithm>

#include "tools/bustop/render.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::bustop {
namespace {

using Align = Table::Align;

/// Collects a row: the cell and what it is sorted by, side by side.
class RowBuilder {
 public:
  explicit RowBuilder(std::string key) { row_.key = std::move(key); }
  RowBuilder& text(Cell cell) {
    row_.cells.push_back(std::move(cell));
    row_.numbers.push_back(0);
    return *this;
  }
  RowBuilder& number(double value, const std::string& shown) {
    row_.cells.emplace_back(shown);
    row_.numbers.push_back(value);
    return *this;
  }
  RowBuilder& traffic(const LinkInfo* link, const LinkRate* rate) {
    const LinkRate none;
    const LinkRate& shown = rate != nullptr ? *rate : none;
    const auto text = [&](std::string value) { return rate != nullptr ? value : "-"; };
    number(shown.records_in, text(human_count(shown.records_in)));
    number(shown.bytes_in, text(human_byte_rate(shown.bytes_in)));
    number(shown.bytes_out, text(human_byte_rate(shown.bytes_out)));
    const double queued = link != nullptr ? static_cast<double>(link->queued()) : 0;
    return number(queued, queued > 0 ? human_bytes(queued) : "-");
  }
  LiveRow take() { return std::move(row_); }

 private:
  LiveRow row_;
};

void add_column(LiveTable& table, const std::string& title, bool numeric, bool elastic = false) {
  table.columns.push_back({title, numeric ? Align::right : Align::left, elastic});
  table.numeric.push_back(numeric);
}

void add_traffic_columns(LiveTable& table) {
  for (const char* title : {"REC/S", "IN", "OUT", "QUEUED"}) add_column(table, title, true);
}

double to_double(std::uint64_t value) {
  return static_cast<double>(value);
}

LiveTable cluster_table(const LiveData& data, const LinkMeter& meter) {
  LiveTable table;
  add_column(table, "HOST", false, true);
  add_column(table, "STATE", false);
  for (const char* title : {"PROCS", "NAMES", "RTT"}) add_column(table, title, true);
  add_traffic_columns(table);
  add_column(table, "VERSION", false);
  for (const HostView& host : data.cluster.hosts) {
    const LinkInfo* link = host.row && host.row->link ? &*host.row->link : nullptr;
    RowBuilder row(host.name);
    row.text(host.local ? host.name + " *" : host.name).text(host_state(host, data.cluster));
    row.number(to_double(host.processes().size()), std::to_string(host.processes().size()));
    row.number(to_double(host.names()), human_count(to_double(host.names())));
    row.number(host.rtt_us(), human_microseconds(host.rtt_us()));
    row.traffic(link, meter.find(host.name)).text(host.software());
    table.rows.push_back(row.take());
  }
  return table;
}

const std::vector<ProcessInfo>& processes_of(const LiveData& data) {
  static const std::vector<ProcessInfo> kNone;
  if (data.host) return data.host->processes;
  const auto found = std::ranges::find(data.cluster.hosts, data.want.host, &HostView::name);
  return found == data.cluster.hosts.end() ? kNone : found->processes();
}

LiveTable host_table(const LiveData& data, const LinkMeter& meter) {
  LiveTable table;
  add_column(table, "NODE", false, true);
  add_column(table, "ROLE", false);
  add_column(table, "PID", true);
  add_column(table, "STATE", false);
  for (const char* title : {"NAMES", "RTT"}) add_column(table, title, true);
  add_traffic_columns(table);
  for (const ProcessInfo& process : processes_of(data)) {
    const LinkInfo* link = process.link ? &*process.link : nullptr;
    RowBuilder row(process.name);
    row.text(node_of(process.name)).text(process.role);
    row.number(static_cast<double>(process.pid), std::to_string(process.pid));
    row.text(process_state(process));
    row.number(to_double(process.names), human_count(to_double(process.names)));
    const double rtt = link != nullptr ? link->rtt_us : 0;
    row.number(rtt, human_microseconds(rtt)).traffic(link, meter.find(process.name));
    table.rows.push_back(row.take());
  }
  return table;
}

LiveTable names_table(const LiveData& data) {
  LiveTable table;
  add_column(table, "NAME", false, true);
  add_column(table, "EPOCH", false);
  add_column(table, "LINEAGE", false);
  add_column(table, "STATE", false);
  for (const NameRow& name : data.names) {
    RowBuilder row(name.name);
    row.text(name.name).text(name.epoch).text(name.lineage).text(name.state);
    table.rows.push_back(row.take());
  }
  return table;
}

}  // namespace

void LinkMeter::feed_link(const std::string& key, const std::optional<LinkInfo>& link, double at_s,
                          std::map<std::string, Known>& fresh) {
  if (!link) return;
  Known& entry = fresh[key];
  entry.link = *link;
  entry.at_s = at_s;
  const auto before = known_.find(key);
  if (before == known_.end() || before->second.link.id != link->id) return;
  entry.rate = rate_between(before->second.link, *link, at_s - before->second.at_s);
}

void LinkMeter::feed(const LiveData& data) {
  std::map<std::string, Known> fresh;
  for (const HostView& host : data.cluster.hosts) {
    if (host.row) feed_link(host.name, host.row->link, data.at_s, fresh);
  }
  for (const ProcessInfo& process : processes_of(data)) {
    feed_link(process.name, process.link, data.at_s, fresh);
  }
  known_ = std::move(fresh);
}

const LinkRate* LinkMeter::find(const std::string& key) const {
  const auto found = known_.find(key);
  return found == known_.end() || !found->second.rate ? nullptr : &*found->second.rate;
}

LiveTable live_table(const LiveData& data, const LinkMeter& meter) {
  switch (data.want.level) {
    case LiveLevel::cluster:
      return cluster_table(data, meter);
    case LiveLevel::host:
      return host_table(data, meter);
    case LiveLevel::process:
      return names_table(data);
  }
  return {};
}

std::vector<LiveRow> arranged(const LiveTable& table, const std::string& filter, std::size_t column,
                              bool reverse) {
  std::vector<LiveRow> rows;
  for (const LiveRow& row : table.rows) {
    if (row.key.find(filter) != std::string::npos) rows.push_back(row);
  }
  if (column >= table.columns.size()) return rows;
  const bool numeric = table.numeric[column];
  std::ranges::stable_sort(rows, [&](const LiveRow& a, const LiveRow& b) {
    const LiveRow& first = reverse ? b : a;
    const LiveRow& second = reverse ? a : b;
    if (numeric && first.numbers[column] != second.numbers[column]) {
      return first.numbers[column] > second.numbers[column];
    }
    if (!numeric && first.cells[column].text != second.cells[column].text) {
      return first.cells[column].text < second.cells[column].text;
    }
    return first.key < second.key;
  });
  return rows;
}

}  // namespace starbus::bustop
