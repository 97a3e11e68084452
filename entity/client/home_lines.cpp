#include "entity/client/home_lines.hpp"

#include <algorithm>
#include <utility>

namespace starbus::entity::sessions {

void HomeLines::want(ClientLink& link) {
  if (!link.ready()) return;
  const bus::Process& gate = link.state().gate.process;
  const auto [at, added] = listed_.try_emplace(&link, gate);
  if (!added && at->second == gate) return;
  if (!added) {
    unlist(link);
    listed_.emplace(&link, gate);
  }
  lines_[gate].links.push_back(&link);
}

void HomeLines::forget(ClientLink& link) {
  unlist(link);
}

void HomeLines::unlist(ClientLink& link) {
  const auto found = listed_.find(&link);
  if (found == listed_.end()) return;
  const auto line = lines_.find(found->second);
  if (line != lines_.end()) {
    std::erase(line->second.links, &link);
    if (line->second.links.empty() && line->second.fulls == 0) lines_.erase(line);
  }
  listed_.erase(found);
}

void HomeLines::room(const bus::Process& gate) {
  if (const auto line = lines_.find(gate); line != lines_.end()) line->second.blocked = false;
}

void HomeLines::handled(std::uint64_t ticket) {
  const auto found = tickets_.find(ticket);
  if (found == tickets_.end()) return;
  const auto line = lines_.find(found->second.gate);
  if (line != lines_.end()) {
    line->second.fulls -= std::min(line->second.fulls, found->second.fulls);
    if (line->second.links.empty() && line->second.fulls == 0) lines_.erase(line);
  }
  tickets_.erase(found);
}

bool HomeLines::flush(Carrier& carrier) {
  bool stopped = false;
  for (auto at = lines_.begin(); at != lines_.end();) {
    auto& [gate, line] = *at;
    while (!line.blocked && flush_line(gate, line, carrier)) {
    }
    stopped = stopped || !line.links.empty();
    at = line.links.empty() && line.fulls == 0 ? lines_.erase(at) : std::next(at);
  }
  return stopped;
}

/// Each link that has something, in turn; those whose full state must wait keep their place.
HomeLines::Said HomeLines::gather(Line& line, Carrier& carrier) {
  Said said;
  std::deque<ClientLink*> kept;
  std::size_t bytes = 0;
  std::size_t parts = 0;
  std::size_t fulls = line.fulls;
  const LinkTime now = carrier.now();
  while (!line.links.empty() && bytes < kBundleBytes && parts < kBundleParts &&
         said.sections.size() < kBundleSections) {
    ClientLink* const link = line.links.front();
    line.links.pop_front();
    link->expire(now);
    if (!link->ready()) {
      listed_.erase(link);
      if (link->news_due()) carrier.news_due(*link);
      continue;
    }
    if (link->full_due() && fulls == kFullsAtOnce) {
      ++counters_.fulls_later;
      kept.push_back(link);
      continue;
    }
    bus::Bytes properties;
    if (link->full_due()) {
      ++fulls;
      properties = carrier.properties(*link);
    }
    said.links.push_back(link);
    said.sections.push_back(
        link->draft(kSectionBytes, kBundleParts - parts, std::move(properties), next_handle_));
    const Section& section = said.sections.back();
    if (section.handle == next_handle_ && ++next_handle_ == 0) next_handle_ = 1;
    parts += section.parts.size();
    for (const Part& part : section.parts) bytes += part.body->size();
  }
  line.links.insert(line.links.begin(), kept.begin(), kept.end());
  return said;
}

/// True: something was said, and there may be more.
bool HomeLines::flush_line(const bus::Process& gate, Line& line, Carrier& carrier) {
  const Said said = gather(line, carrier);
  if (said.links.empty()) return false;
  const auto fulls = static_cast<std::size_t>(
      std::ranges::count_if(said.sections, [](const Section& each) { return each.first == 1; }));
  bus::Bytes bundle;
  encode_bundle(said.sections, bundle);
  const std::uint64_t ticket = fulls == 0 ? 0 : next_ticket_++;
  if (!carrier.carry(said.links.front()->state().gate, bundle, ticket)) {
    ++counters_.refused;
    line.blocked = true;
    line.links.insert(line.links.begin(), said.links.begin(), said.links.end());
    return false;
  }
  if (fulls != 0) tickets_.emplace(ticket, Ticket{gate, fulls});
  line.fulls += fulls;
  ++counters_.bundles;
  counters_.fulls += fulls;
  for (std::size_t i = 0; i < said.links.size(); ++i) {
    ClientLink* const link = said.links[i];
    counters_.parts += said.sections[i].parts.size();
    link->taken(said.sections[i]);
    if (link->news_due()) carrier.news_due(*link);
    if (link->ready()) {
      line.links.push_back(link);
    } else {
      listed_.erase(link);
    }
  }
  return true;
}

}  // namespace starbus::entity::sessions
