// channels, route, why and tail.
#include <algorithm>

#include "bus/core/wire/name.hpp"
#include "tools/bustop/render.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::bustop {
namespace {

using Align = Table::Align;

struct Advice {
  std::string_view reason;
  std::string_view meaning;
  std::string_view cure;
};
// Reasons of a NACK that are not errors: the origin sends again, so nothing is lost.
constexpr Advice kNackAdvice[] = {
    {"overflow", "a queue on the way was full; its sender is slowed down and sends again",
     "the receiver is slower than its senders: see bustop rates, column QUEUED"},
    {"no_uplink", "its host had no session with busroot; the sender sends again",
     "none if busroot restarts; else see bustop doctor, and busd's log"},
    {"no_session", "the receiver's process had no session with its busd; the sender sends again",
     "none if busd or the process restarts; else look at that process: bustop nodes"},
    {"over_rate", "its sender sends more than its role may; it is slowed down and sends again",
     "raise messages_per_second or bytes_per_second of the role, or send less"},
    {"gap", "a record arrived before an earlier one; the sender sends again",
     "none, unless it keeps growing: then a queue on the way drops"},
    {"lineage", "the record was meant for an earlier life of the channel; it was not handled",
     "none: the sender has got owner_lost for the earlier owner"}};

std::string first_word(const std::string& reason) {
  return reason.substr(0, reason.find_first_of(": "));
}

Advice advice_on(const std::string& reason) {
  const std::string word = first_word(reason);
  for (const ErrorInfo& info : bus::kErrors.errors) {
    if (info.name == word) return {info.name, info.meaning, info.cure};
  }
  for (const Advice& advice : kNackAdvice) {
    if (advice.reason == word) return advice;
  }
  return {};
}

std::string owner_line(const RouteAnswer& route) {
  const RouteInfo& info = route.info;
  std::string line = info.owner + " on " + info.host;
  if (!info.confirmed) line += " (not confirmed yet)";
  return line;
}

std::string not_found_text(const std::string& name, bool root_answered) {
  const std::string set = set_text(name);
  if (!set.empty()) return set;
  return root_answered ? "no owner: messages fail with no_owner"
                       : "not known: busroot does not answer";
}

std::string field(const Look& look, const std::string& label, const std::string& value) {
  return toned(look, Tone::strong, pad_right(label, 9)) + printable(value) + "\n";
}

double rtt_between(const std::optional<LinkInfo>& link) {
  return link ? link->rtt_us : 0;
}

const HostView* find_host(const Cluster& cluster, const std::string& name) {
  const auto found = std::ranges::find(cluster.hosts, name, &HostView::name);
  return found == cluster.hosts.end() ? nullptr : &*found;
}

}  // namespace

std::string set_text(const std::string& name) {
  if (!bus::is_shared_name(name) && !bus::is_group_name(name)) return {};
  return "a set of channels, not one: list them with  bustop channels " + name + "#";
}

std::string cure_of(const std::string& reason) {
  return std::string(advice_on(reason).cure);
}
std::string meaning_of(const std::string& reason) {
  return std::string(advice_on(reason).meaning);
}

std::string render_names(const NamesAnswer& answer, const NamesQuery& query, const Look& look) {
  Table table({{"NAME", Align::left, true},
               {"OWNER"},
               {"EPOCH", Align::right},
               {"LINEAGE", Align::right},
               {"STATE"}});
  for (const NameRow& row : answer.names) {
    table.add({row.name,
               row.owner,
               row.epoch,
               row.lineage,
               {row.state, row.state == "active" ? Tone::good : Tone::warning}});
  }
  std::string result = table.text(look);
  const std::size_t shown = answer.names.size();
  const std::uint64_t total = answer.total.value_or(shown);
  std::string footer = count_of(total, "name");
  if (!query.prefix.empty()) {
    footer += (total == 1 ? " that begins with " : " that begin with ") + printable(query.prefix);
  }
  if (shown < total) footer = std::to_string(shown) + " of " + footer;
  if (!answer.total) footer = "the first " + footer;
  footer += ", as " + printable(answer.from) + " knows";
  if (answer.more) footer += "; more with --all, --limit or a longer prefix";
  result += toned(look, Tone::faint, footer) + "\n";
  if (query.host.empty() && answer.from != "busroot") {
    result +=
        toned(look, Tone::warning, "note: busroot did not answer: names of this host only") + "\n";
  }
  return result;
}

std::vector<Hop> hops_to(const RouteInfo& route, const Cluster& cluster) {
  std::vector<Hop> hops;
  const HostView* target = find_host(cluster, route.host);
  const bool remote = cluster.local.is_root() || route.host != cluster.local.name;
  if (remote && !cluster.local.is_root()) {
    const HostView* local = find_host(cluster, cluster.local.name);
    const bool known = local != nullptr && local->topology;
    hops.push_back({"busd " + cluster.local.name, "busroot",
                    known ? local->topology->uplink.rtt_us : 0,
                    known && !local->topology->uplink.connected ? "not connected" : ""});
  }
  if (remote) {
    const bool down = target == nullptr || !target->connected();
    hops.push_back({"busroot", "busd " + route.host, target ? target->rtt_us() : 0,
                    down ? "not connected" : ""});
  }
  Hop last{"busd " + route.host, route.owner, 0, "not listed by its host"};
  if (target != nullptr) {
    const auto& processes = target->processes();
    const auto owner = std::ranges::find(processes, route.owner, &ProcessInfo::name);
    if (owner != processes.end()) {
      last.rtt_us = rtt_between(owner->link);
      last.remark = owner->connected ? "" : "its link is lost";
    }
  }
  hops.push_back(std::move(last));
  return hops;
}

std::string render_route(const RouteView& view, const Look& look) {
  const RouteInfo& info = view.route.info;
  std::string result = field(look, "channel", info.name);
  if (!info.id.empty()) result += field(look, "id", info.id);
  if (!info.found) {
    result += field(look, "owner", not_found_text(info.name, view.route.root_answered()));
  } else {
    result += field(look, "owner", owner_line(view.route));
    if (!info.epoch.empty()) {
      result += field(
          look, "epoch",
          info.epoch + ", lineage " + info.lineage + (info.state.empty() ? "" : ", " + info.state));
    }
    Table table({{"HOP"}, {"FROM"}, {"TO", Align::left, true}, {"ROUND TRIP", Align::right}, {""}});
    double sum = 0;
    bool whole = true;
    for (std::size_t i = 0; i < view.hops.size(); ++i) {
      const Hop& hop = view.hops[i];
      sum += hop.rtt_us;
      whole = whole && hop.rtt_us > 0;
      table.add({std::to_string(i + 1),
                 hop.from,
                 hop.to,
                 human_microseconds(hop.rtt_us),
                 {hop.remark, Tone::bad}});
    }
    table.add({"",
               {"sum", Tone::strong},
               "",
               {human_microseconds(sum), Tone::strong},
               {whole ? "" : "without the hops that are not known", Tone::faint}});
    result += "\n" + table.text(look);
  }
  if (view.route.root_trouble.code != Errc::ok) {
    result += toned(look, Tone::warning,
                    "note: busroot did not answer (" + printable(text_of(view.route.root_trouble)) +
                        "): this is what " + printable(view.route.from) + " knows of itself") +
              "\n";
  }
  return result;
}

std::string render_why(const WhyView& view, const Look& look) {
  std::string result = field(look, "channel", view.name);
  if (view.route_trouble.code != Errc::ok) {
    result += field(look, "owner", "not known: " + text_of(view.route_trouble));
  } else {
    result += field(look, "owner",
                    view.route.info.found ? owner_line(view.route)
                                          : not_found_text(view.name, view.route.root_answered()));
  }
  std::string asked;
  for (const std::string& daemon : view.asked) asked += (asked.empty() ? "" : ", ") + daemon;
  if (view.failures.empty()) {
    result += "\nnothing recorded by " + printable(asked) + ".\n" +
              "Each daemon keeps its latest 4096 failures in memory, so this means: since they "
              "started, or since\nthose scrolled away, no message for this channel was refused or "
              "dropped there. It does not\nshow what the owner's handler did. A message that still "
              "waits is not a failure: see  bustop route\nand, on the sender's host, its windows. "
              "Senders on other hosts: --everywhere.\n";
  } else {
    Table table({{"AGO", Align::right}, {"WHERE"}, {"ORIGIN"}, {"REASON", Align::left, true}});
    for (const FailureRow& row : view.failures) {
      table.add({human_milliseconds(row.age_ms), row.where, row.origin, {row.reason, Tone::bad}});
    }
    result += "\n" + table.text(look) + "\n";
    std::vector<std::string> told;
    for (const FailureRow& row : view.failures) {
      const std::string word = first_word(row.reason);
      if (cure_of(word).empty() || std::ranges::find(told, word) != told.end()) continue;
      told.push_back(word);
      result += toned(look, Tone::strong, printable(word)) + ": " + meaning_of(word) + "\n  -> " +
                cure_of(word) + "\n";
    }
  }
  for (const std::string& daemon : view.silent) {
    result += toned(look, Tone::warning, "note: " + printable(daemon) + " did not answer") + "\n";
  }
  return result;
}

std::string render_tail_line(const TailLine& line, const Look& look) {
  if (line.skipped > 0) {
    return toned(look, Tone::warning,
                 "... " + std::to_string(line.skipped) + " lines skipped: read too slowly") +
           "\n";
  }
  std::string result = toned(look, Tone::faint, clock_time(line.time_ms)) + "  " +
                       pad_right(printable(line.lane), 4) + "  " + printable(line.origin) + "  #" +
                       std::to_string(line.seq);
  if (line.count > 1) result += "+" + std::to_string(line.count - 1);
  result += "  " + human_bytes(static_cast<double>(line.bytes));
  if (line.text.empty()) return result + "\n";
  const std::size_t used = columns(result) - (look.colour ? 7 : 0) + 2;
  std::string text = printable(line.text);
  if (look.width > used) text = fit(text, look.width - used);
  return result + "  " + text + "\n";
}

}  // namespace starbus::bustop
