#include "tools/bustop/rates.hpp"

#include <algorithm>

namespace starbus::bustop {
namespace {

std::optional<double> per_second(std::uint64_t before, std::uint64_t after, double seconds) {
  if (after < before || seconds <= 0) return std::nullopt;
  return static_cast<double>(after - before) / seconds;
}

const LinkInfo* find_link(const DaemonReading& reading, const LinkInfo& wanted) {
  const auto found = std::ranges::find_if(reading.links, [&](const LinkInfo& link) {
    return link.id == wanted.id && link.peer == wanted.peer;
  });
  return found == reading.links.end() ? nullptr : &*found;
}

double traffic(const LinkRates& row) {
  return row.rate ? row.rate->bytes_in + row.rate->bytes_out : -1;
}

DaemonRates rates_of(const DaemonReading& before, const DaemonReading& after) {
  DaemonRates rates;
  rates.name = after.name;
  rates.trouble = after.trouble;
  const auto messages = counter_rate(before, after, "messages_forwarded");
  rates.fresh = !messages;
  rates.messages = messages.value_or(0);
  rates.bytes = counter_rate(before, after, "bytes_forwarded").value_or(0);
  rates.nacks = counter_rate(before, after, "nacks_overflow").value_or(0) +
                counter_rate(before, after, "nacks_no_owner").value_or(0);
  for (const LinkInfo& link : after.links) {
    LinkRates row{link.peer, link.kind, link.id, link.queued(), std::nullopt};
    if (const LinkInfo* earlier = find_link(before, link)) {
      row.rate = rate_between(*earlier, link, after.at_s - before.at_s);
    }
    rates.links.push_back(std::move(row));
  }
  std::ranges::stable_sort(rates.links, std::ranges::greater{}, traffic);
  return rates;
}

}  // namespace

std::optional<LinkRate> rate_between(const LinkInfo& before, const LinkInfo& after,
                                     double seconds) {
  const auto records_in = per_second(before.records_in, after.records_in, seconds);
  const auto bytes_in = per_second(before.bytes_in, after.bytes_in, seconds);
  const auto bytes_out = per_second(before.bytes_out, after.bytes_out, seconds);
  const auto bundles_in = per_second(before.bundles_in, after.bundles_in, seconds);
  const auto bundles_out = per_second(before.bundles_out, after.bundles_out, seconds);
  if (!records_in || !bytes_in || !bytes_out || !bundles_in || !bundles_out) return std::nullopt;
  return LinkRate{*records_in, *bytes_in, *bytes_out, *bundles_in, *bundles_out};
}

std::optional<double> counter_rate(const DaemonReading& before, const DaemonReading& after,
                                   const std::string& counter) {
  if (before.trouble.code != Errc::ok || after.trouble.code != Errc::ok) return std::nullopt;
  // Another process of the same name starts its counters afresh.
  if (before.status.pid != after.status.pid) return std::nullopt;
  return per_second(before.status.counter(counter), after.status.counter(counter),
                    after.at_s - before.at_s);
}

std::vector<DaemonRates> compute_rates(const std::vector<DaemonReading>& before,
                                       const std::vector<DaemonReading>& after) {
  std::vector<DaemonRates> result;
  for (const DaemonReading& reading : after) {
    const auto earlier = std::ranges::find(before, reading.name, &DaemonReading::name);
    DaemonReading unknown;
    unknown.trouble = Errc::unreachable;
    result.push_back(rates_of(earlier == before.end() ? unknown : *earlier, reading));
  }
  return result;
}

}  // namespace starbus::bustop
