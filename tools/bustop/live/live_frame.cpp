// The drawing half of LiveView.
#include <algorithm>

#include "tools/bustop/live/live_view.hpp"
#include "tools/bustop/render.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::bustop {
namespace {

constexpr std::size_t kHeaderLines = 2;
constexpr std::size_t kFooterLines = 1;
constexpr std::size_t kTitleLine = 1;
constexpr char kEscapeByte = '\x1b';
constexpr const char* kReverse = "\x1b[7m";
constexpr const char* kReset = "\x1b[0m";

const std::vector<std::string>& help_lines() {
  static const std::vector<std::string> kLines = {
      "bustop: the bus as it runs now",
      "",
      "  up, down, j, k      select            page up, page down, home, end: further",
      "  Enter, right        go into the selected host or process",
      "  Esc, Backspace      go up again",
      "  s   r               sort by the next column; reverse",
      "  /                   filter by a part of the name; Esc ends it",
      "  +   -               longer or shorter interval",
      "  p, space            pause",
      "  h, ?                this help",
      "  q                   quit",
      "",
      "  IN: bytes from the peer to its daemon, OUT: bytes to the peer; REC/S: records of the "
      "peer.",
      "  * marks this host. QUEUED that stays above 0 is a peer slower than its senders.",
      "",
      "  any key: back"};
  return kLines;
}

/// The end of the colour sequence that begins at `at`.
std::size_t after_colour(const std::string& line, std::size_t at) {
  const std::size_t end = line.find('m', at);
  return end == std::string::npos ? line.size() : end + 1;
}

std::string interval_text(std::chrono::milliseconds interval) {
  return interval.count() < 1000 ? std::to_string(interval.count()) + " ms"
                                 : std::to_string(interval.count() / 1000) + " s";
}

}  // namespace

std::string clip(const std::string& line, std::size_t width) {
  std::string result;
  std::size_t used = 0;
  bool coloured = false;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t colour = line.find(kEscapeByte, at);
    const std::string part = line.substr(at, colour - at);
    const std::size_t wide = columns(part);
    if (used + wide > width) {
      result += fit(part, width - used);
      if (coloured) result += kReset;
      return result;
    }
    result += part;
    used += wide;
    if (colour == std::string::npos) break;
    at = after_colour(line, colour);
    result += line.substr(colour, at - colour);
    coloured = true;
  }
  return result;
}

std::size_t LiveView::table_height() const {
  constexpr std::size_t kOther = kHeaderLines + kTitleLine + kFooterLines;
  return rows_ > kOther ? rows_ - kOther : 0;
}

std::string LiveView::title() const {
  const Look look{colour_, 0};
  std::string line = toned(look, Tone::strong, "bustop") + "  ";
  if (!loaded_) return line + printable(admin_) + "  ...";
  const Cluster& cluster = data_.cluster;
  std::size_t processes = 0;
  for (const HostView& host : cluster.hosts) processes += host.processes().size();
  if (cluster.root) {
    const RootTopology& root = *cluster.root;
    line += printable(root.name.empty() ? "busroot" : root.name) + " " +
            (root.grace ? toned(look, Tone::warning, "grace") : toned(look, Tone::good, "up")) +
            "  term " + std::to_string(root.term);
  } else {
    line += toned(look, Tone::bad, "no busroot");
  }
  line += "  " + std::to_string(cluster.hosts.size()) + " hosts  " + std::to_string(processes) +
          " processes";
  if (cluster.root) line += "  " + human_count(static_cast<double>(cluster.root->names)) + " names";
  line += "  " + clock_time(data_.unix_ms).substr(0, 8) + "  every " + interval_text(interval());
  if (paused_) line += "  " + toned(look, Tone::warning, "paused");
  return line;
}

std::string LiveView::place_line() const {
  const Look look{colour_, 0};
  if (error_.code != Errc::ok) {
    return toned(look, Tone::bad,
                 printable(admin_) + ": " + printable(text_of(error_)) + ": trying again");
  }
  std::string line = "cluster";
  if (want_.level != LiveLevel::cluster) line += " > " + printable(want_.host);
  if (want_.level == LiveLevel::process) line += " > " + printable(node_of(want_.process));
  if (!loaded_) return line + "  ...";
  if (data_.host_trouble.code != Errc::ok) {
    line += "  " + toned(look, Tone::warning, printable(text_of(data_.host_trouble)));
  }
  if (want_.level == LiveLevel::process && data_.names_scanned < data_.names_total) {
    line += "  " + toned(look, Tone::faint,
                         "of the first " + std::to_string(data_.names_scanned) + " names of " +
                             std::to_string(data_.names_total) + "; all: bustop channels --all");
  }
  return line;
}

std::string LiveView::footer() const {
  const Look look{colour_, 0};
  const auto found = places_.find(want_.level);
  const Place place = found == places_.end() ? Place{} : found->second;
  if (mode_ == Mode::filter) return "/" + printable(place.filter) + "_";
  std::string line =
      std::to_string(shown_.empty() ? 0 : index() + 1) + "/" + std::to_string(shown_.size());
  if (place.sort < table_.columns.size()) {
    line += "  by " + table_.columns[place.sort].title + (place.reverse ? " reversed" : "");
  }
  if (!place.filter.empty()) line += "  filter /" + printable(place.filter);
  return toned(look, Tone::faint, line + "   q quit  Enter in  Esc up  s sort  / filter  h help");
}

void LiveView::add_table(std::vector<std::string>& lines) const {
  if (table_.columns.empty()) return;
  Table table(table_.columns);
  for (const LiveRow& row : shown_) table.add(row.cells);
  const auto coloured = table.lines({colour_, columns_});
  lines.push_back(clip(coloured[0], columns_));
  const std::size_t height = table_height();
  const std::size_t cursor = index();
  const std::size_t first = cursor < height ? 0 : cursor - height + 1;
  for (std::size_t i = first; i < std::min(shown_.size(), first + height); ++i) {
    if (i != cursor) {
      lines.push_back(clip(coloured[i + 1], columns_));
      continue;
    }
    // The bar of the cursor has no colours inside: each would end it.
    const std::string plain = table.lines({false, columns_})[i + 1];
    lines.push_back(kReverse + pad_right(fit(plain, columns_), columns_) + kReset);
  }
}

std::vector<std::string> LiveView::frame() const {
  std::vector<std::string> lines;
  if (mode_ == Mode::help) {
    for (const std::string& line : help_lines()) lines.push_back(clip(line, columns_));
    // On a small screen the way back is the line that must be seen.
    if (lines.size() > rows_)
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(rows_) - 1, lines.end() - 1);
    return lines;
  }
  lines.push_back(clip(title(), columns_));
  lines.push_back(clip(place_line(), columns_));
  add_table(lines);
  lines.resize(std::max(rows_, kFooterLines) - kFooterLines);
  lines.push_back(clip(footer(), columns_));
  return lines;
}

}  // namespace starbus::bustop
