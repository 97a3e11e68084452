#include "bench/mail/bars.hpp"

#include <optional>
#include <string_view>

#include "bench/harness/table.hpp"

namespace starbus::bench::mail {
namespace {

struct Bar {
  std::string_view rows;  // that begin so
  std::string_view metric;
  std::string_view peer;    // a ratio to this one; empty: the figure itself
  std::string_view beside;  // a ratio to this row; empty: none
  bool at_least = true;
  double bar = 0;
  std::string_view about;
};

// A post that is answered after an fsync against one that is answered before it.
constexpr Bar kBars[] = {
    {"post.", "rate", "nats", "", true, 1.5, "posts, with fsync, x JetStream's without"},
    {"drain.", "rate", "", "", true, 200'000, "a large mailbox is read, messages/s"},
    {"beside.erase", "ratio", "", "", false, 2, "p99 of posts beside an erased mailbox, x alone"},
    // Of a reader that acknowledges, against one that does not: what its erasing costs.
    {"beside.drain", "p99", "", "beside.read", false, 2,
     "p99 of posts beside a drain, x a reading"},
    {"boxes.", "rss", "", "", false, 200, "memory of a mailbox, bytes"},
    {"boxes.", "open_p50", "", "", false, 1'000, "opening a mailbox, median, us"},
};

std::optional<double> figure_of(const Report& report, const Row& row, const Bar& bar) {
  const std::string metric(bar.metric);
  if (!bar.beside.empty()) return report.ratio_to_row(row.name, std::string(bar.beside), metric);
  if (bar.peer.empty()) return report.value(row.name, "starbus", metric);
  return report.ratio(row.name, std::string(bar.peer), metric);
}

}  // namespace

bool check_bars(const Report& report, const std::vector<Row>& rows, std::string& text) {
  constexpr std::size_t kRow = 16;
  constexpr std::size_t kAbout = 52;
  constexpr std::size_t kColumn = 12;
  bool all = true;
  for (const Bar& bar : kBars) {
    for (const Row& row : rows) {
      if (!row.name.starts_with(bar.rows)) continue;
      const auto figure = figure_of(report, row, bar);
      const bool met = figure && (bar.at_least ? *figure >= bar.bar : *figure <= bar.bar);
      all = all && met;
      text += padded(row.name, kRow, true) + padded(std::string(bar.about), kAbout, true) +
              padded(shown(figure), kColumn, false) + "  " + (bar.at_least ? ">=" : "<=") +
              padded(shown(bar.bar), kColumn, false) + "  " +
              (met ? "met" : (figure ? "NOT MET" : "NOT MEASURED")) + "\n";
    }
  }
  return all;
}

}  // namespace starbus::bench::mail
