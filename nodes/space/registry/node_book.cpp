#include "nodes/space/registry/node_book.hpp"

#include <algorithm>
#include <chrono>
#include <tuple>

#include "nodes/space/registry/limits.hpp"

namespace starbus::nodes::space {

bool SpaceNode::silent(Time now) const {
  return !announced || now - heard > kNodeSilent;
}

bool SpaceNode::Share::take(std::size_t most, Time now) {
  if (taken == 0 || now - since >= std::chrono::seconds(1)) *this = {now, 0};
  if (taken >= most) return false;
  ++taken;
  return true;
}

bool NodeBook::came(const std::string& process) {
  if (nodes_.contains(process)) return false;
  if (nodes_.size() >= kMaxSpaceNodes) {
    left_out_.insert(process);
    return false;
  }
  left_out_.erase(process);
  nodes_.try_emplace(process);
  return true;
}

void NodeBook::left(const std::string& process) {
  left_out_.erase(process);
  nodes_.erase(process);
}

std::optional<std::string> NodeBook::take_in() {
  if (left_out_.empty() || nodes_.size() >= kMaxSpaceNodes) return std::nullopt;
  std::string process = *left_out_.begin();
  (void)came(process);
  return process;
}

bool NodeBook::may_say(const std::string& process, Time now) {
  const auto found = nodes_.find(process);
  return found != nodes_.end() && found->second.news.take(kNewsPerSecond, now);
}

bool NodeBook::may_be_told(const std::string& process, Time now) {
  const auto found = nodes_.find(process);
  return found != nodes_.end() && found->second.ends.take(kEndsPerSecond, now);
}

bool NodeBook::deserts(const std::string& process) {
  if (const auto found = nodes_.find(process); found != nodes_.end()) found->second.deserted = true;
  const auto deserted =
      std::ranges::count_if(nodes_, [](const auto& each) { return each.second.deserted; });
  return static_cast<std::size_t>(deserted) * 2 > nodes_.size();
}

void NodeBook::announced(const std::string& process, const Announcement& from, Time now) {
  const auto found = nodes_.find(process);
  if (found == nodes_.end()) return;
  SpaceNode& node = found->second;
  const double busy = std::clamp(from.busy_ms_per_s, 0.0, 1000.0);
  node.load = node.announced ? (node.load + busy) / 2 : busy;
  node.announced = true;
  node.deserted = false;
  node.heard = now;
  if (from.seen > node.unsure) node.unsure = 0;
  node.draining = from.draining;
  node.types = {from.types.begin(), from.types.end()};
  node.labels = {from.labels.begin(), from.labels.end()};
  if (node.load >= kNodeFull) node.full = true;
  if (node.load < kNodeOpen) node.full = false;
}

void NodeBook::asked(const std::string& process, Time now) {
  const auto found = nodes_.find(process);
  if (found != nodes_.end()) found->second.asked = now;
}

void NodeBook::unsure(const std::string& process, std::uint64_t number) {
  const auto found = nodes_.find(process);
  if (found != nodes_.end()) found->second.unsure = std::max(found->second.unsure, number);
}

NodeBook::Work* NodeBook::work_of(const std::string& process) {
  const auto found = nodes_.find(process);
  return found == nodes_.end() ? nullptr : &found->second.work;
}

void NodeBook::begins(const std::string& process, const Life& life, std::uint32_t weight) {
  Work* const work = work_of(process);
  if (work == nullptr || !work->lives.insert(life).second) return;
  work->pending.emplace(life, SpaceNode::Pending{weight, false});
  work->weight += weight;
  ++work->starting;
}

void NodeBook::started(const std::string& process, const Life& life, Time now) {
  Work* const work = work_of(process);
  if (work == nullptr) return;
  const auto found = work->pending.find(life);
  if (found == work->pending.end() || found->second.started) return;
  found->second.started = true;
  --work->starting;
  work->settling.emplace_back(now, life);
}

void NodeBook::settled(Work& work, const Life& life) {
  const auto found = work.pending.find(life);
  if (found == work.pending.end()) return;
  work.weight -= found->second.weight;
  if (!found->second.started) --work.starting;
  work.pending.erase(found);
}

void NodeBook::ended(const std::string& process, const Life& life) {
  Work* const work = work_of(process);
  if (work == nullptr) return;
  settled(*work, life);
  work->lives.erase(life);
}

std::uint64_t NodeBook::pending_weight(Work& work, Time now) {
  while (!work.settling.empty() && now - work.settling.front().first >= kSettle) {
    settled(work, work.settling.front().second);
    work.settling.pop_front();
  }
  return work.weight;
}

std::optional<std::string> NodeBook::choose(const SpaceType& type,
                                            const std::set<std::string, std::less<>>& avoid,
                                            Time now) {
  const std::string* best = nullptr;
  std::tuple<double, std::size_t> least;
  for (auto& each : nodes_) {
    const std::string& process = each.first;
    SpaceNode& node = each.second;
    if (node.silent(now) || node.draining || node.full || avoid.contains(process)) continue;
    if (!node.types.contains(type.name)) continue;
    const auto has = [&](const std::string& label) { return node.labels.contains(label); };
    if (!std::ranges::all_of(type.labels, has)) continue;
    Work& work = node.work;
    if (work.starting >= kCreatesPerNode) continue;
    const double load = node.load + static_cast<double>(pending_weight(work, now));
    if (load + type.weight > kNodeFull) continue;
    const std::tuple key(load, work.lives.size());
    if (best != nullptr && !(key < least)) continue;  // the first by name of equal ones
    best = &process;
    least = key;
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

const SpaceNode* NodeBook::find(const std::string& process) const {
  const auto found = nodes_.find(process);
  return found == nodes_.end() ? nullptr : &found->second;
}

bool NodeBook::all_announced() const {
  return std::ranges::all_of(nodes_, [](const auto& each) { return each.second.announced; });
}

}  // namespace starbus::nodes::space
