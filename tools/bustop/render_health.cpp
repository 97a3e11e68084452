// rates and doctor.
#include <algorithm>

#include "tools/bustop/render.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::bustop {
namespace {

using Align = Table::Align;

std::string queued_text(std::uint64_t bytes) {
  return bytes == 0 ? "-" : human_bytes(static_cast<double>(bytes));
}

void add_link_row(Table& table, const std::string& daemon, const LinkRates& link) {
  if (!link.rate) {
    table.add(
        {daemon, link.peer, link.kind, "new", "-", "-", "-", "-", queued_text(link.queued_bytes)});
    return;
  }
  const LinkRate& rate = *link.rate;
  table.add({daemon, link.peer, link.kind, human_count(rate.records_in),
             human_byte_rate(rate.bytes_in), human_byte_rate(rate.bytes_out),
             human_count(rate.bundles_in), human_count(rate.bundles_out),
             queued_text(link.queued_bytes)});
}

Tone tone_of(Severity severity) {
  switch (severity) {
    case Severity::info:
      return Tone::faint;
    case Severity::warning:
      return Tone::warning;
    case Severity::error:
      return Tone::bad;
  }
  return Tone::plain;
}

std::string plural(std::size_t count, const std::string& one, const std::string& ending = "s") {
  return std::to_string(count) + " " + one + (count == 1 ? "" : ending);
}

std::string summary(const std::vector<Finding>& findings, const Examination& examination) {
  std::size_t processes = 0;
  for (const HostView& host : examination.cluster.hosts) processes += host.processes().size();
  const auto count = [&](Severity severity) {
    return static_cast<std::size_t>(std::ranges::count(findings, severity, &Finding::severity));
  };
  std::string text = plural(check_count(), "check") + " of " +
                     plural(examination.after.size(), "daemon") + " and " +
                     plural(processes, "process", "es") + ": ";
  if (findings.empty()) return text + "nothing found";
  return text + plural(count(Severity::error), "error") + ", " +
         plural(count(Severity::warning), "warning") + ", " +
         std::to_string(count(Severity::info)) + " to know";
}

// On a machine that is starved every link is slow: that is one thing to read, not thirty.
constexpr std::size_t kMostAlike = 4;

// Findings that differ only in where and what, in the order of the first of each.
std::vector<std::vector<const Finding*>> groups_of(const std::vector<Finding>& findings) {
  std::vector<std::vector<const Finding*>> groups;
  for (const Finding& finding : findings) {
    const auto alike = std::ranges::find_if(groups, [&](const auto& group) {
      const Finding& first = *group.front();
      return first.severity == finding.severity && first.check == finding.check &&
             first.cure == finding.cure;
    });
    if (alike == groups.end()) {
      groups.push_back({&finding});
    } else {
      alike->push_back(&finding);
    }
  }
  return groups;
}

std::string headline(const Finding& finding, const CheckInfo& info, const Look& look) {
  return toned(look, tone_of(finding.severity),
               pad_right(std::string(name_of(finding.severity)), 8)) +
         toned(look, Tone::strong, printable(finding.where)) + ": " + printable(finding.what) +
         "  " + toned(look, Tone::faint, "[" + std::string(info.name) + "]") + "\n";
}

}  // namespace

std::string render_rates(const std::vector<DaemonRates>& rates, double seconds, const Look& look) {
  Table daemons({{"DAEMON"},
                 {"MSG/S", Align::right},
                 {"FORWARDED", Align::right},
                 {"NACK/S", Align::right},
                 {""}});
  Table links({{"AT"},
               {"LINK", Align::left, true},
               {"KIND"},
               {"REC/S IN", Align::right},
               {"IN", Align::right},
               {"OUT", Align::right},
               {"BUNDLES/S IN", Align::right},
               {"OUT", Align::right},
               {"QUEUED", Align::right}});
  for (const DaemonRates& daemon : rates) {
    if (daemon.trouble.code != Errc::ok) {
      daemons.add({daemon.name, "-", "-", "-", {text_of(daemon.trouble), Tone::bad}});
      continue;
    }
    if (daemon.fresh) {
      daemons.add({daemon.name, "-", "-", "-", {"just started", Tone::warning}});
    } else {
      daemons.add({daemon.name,
                   human_count(daemon.messages),
                   human_byte_rate(daemon.bytes),
                   {human_count(daemon.nacks), daemon.nacks > 0 ? Tone::warning : Tone::plain},
                   ""});
    }
    for (const LinkRates& link : daemon.links) add_link_row(links, daemon.name, link);
  }
  return daemons.text(look) + "\n" + links.text(look) +
         toned(look, Tone::faint, "over " + human_seconds(seconds)) + "\n";
}

std::string render_doctor(const std::vector<Finding>& findings, const Examination& examination,
                          const Look& look) {
  std::string result;
  for (const auto& alike : groups_of(findings)) {
    const CheckInfo& info = info_of(alike.front()->check);
    const std::size_t shown = std::min(alike.size(), kMostAlike);
    for (std::size_t i = 0; i < shown; ++i) result += headline(*alike[i], info, look);
    if (shown < alike.size()) {
      result += "        and " + std::to_string(alike.size() - shown) + " more: --json lists all\n";
    }
    result += "        why it matters: " + std::string(info.why) + "\n";
    result += "        what to do:     " + alike.front()->cure + "\n";
  }
  if (examination.unreachable.code != Errc::ok) return result;
  return result + summary(findings, examination) + "\n";
}

}  // namespace starbus::bustop
