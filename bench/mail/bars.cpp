#include "bench/mail/bars.hpp"

#include <string_view>

namespace starbus::bench::mail {
namespace {

struct MailBar {
  std::string_view cases;  // that begin so
  std::string metric;
  Bar bar;
  std::string note;
};

const MailBar kBars[] = {
    // A post that is answered after an fsync against one that is answered before it.
    {"post.", "rate", {Bar::Kind::at_least, 1.5, "nats"}, "with fsync, JetStream's without"},
    {"drain.", "rate", {Bar::Kind::at_least, 200'000}, "a large mailbox is read"},
    {"beside.erase", "ratio", {Bar::Kind::at_most, 2}, "posts beside an erased mailbox"},
    {"boxes.", "rss", {Bar::Kind::at_most, 200}, "memory of a mailbox"},
    {"boxes.", "open_p50", {Bar::Kind::at_most, 1'000}, "opening a mailbox"},
};

}  // namespace

void add_bars(SuiteCase& one) {
  for (const MailBar& each : kBars) {
    for (Row& row : one.rows) {
      if (!one.name.starts_with(each.cases) || row.figure.metric != each.metric) continue;
      row.bar = each.bar;
      row.note = each.note;
    }
  }
  if (one.name != "beside.drain") return;
  // A reader that acknowledges, against one that does not: what its erasing costs.
  const std::string reading = "beside.read";
  one.rows.push_back({one.name + ".p99.ratio_read",
                      "x " + reading,
                      {one.name, "p99"},
                      Row::Figure{reading, "p99"},
                      Bar{Bar::Kind::at_most, 2},
                      "p99 of posts beside a drain, x a reading"});
  one.needs = {reading};
}

}  // namespace starbus::bench::mail
