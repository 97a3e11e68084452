#include "nodes/gate/core/home_table.hpp"

#include <algorithm>

#include "nodes/gate/core/limits.hpp"

namespace starbus::nodes::gate {

const Introduction* HomeTable::find(const bus::Process& home, std::uint32_t handle) const {
  const auto found = homes_.find(home);
  if (found == homes_.end()) return nullptr;
  const auto at = found->second.handles.find(handle);
  return at == found->second.handles.end() ? nullptr : &at->second;
}

void HomeTable::introduce(const bus::Process& home, std::uint32_t handle, const Introduction& at) {
  watch(home, at.session);
  Home& there = homes_[home];
  if (const auto known = there.handles.find(handle); known != there.handles.end()) {
    // A handle that is drawn again stands for the new one.
    if (const auto other = there.sessions.find(known->second.session);
        other != there.sessions.end() && other->second == handle) {
      other->second = 0;
    }
  }
  std::uint32_t& mine = there.sessions[at.session];
  const auto now = there.handles.find(mine);
  if (now != there.handles.end() && now->second.session == at.session &&
      at.bind < now->second.bind) {
    there.handles.erase(handle);  // the subject before speaks late, from the same home
    return;
  }
  if (mine != handle) there.handles.erase(mine);
  mine = handle;
  there.handles[handle] = at;
}

void HomeTable::watch(const bus::Process& home, const SessionId& session) {
  if (!homes_[home].sessions.try_emplace(session, 0).second) return;
  std::vector<bus::Process>& homes = of_session_[session];
  homes.push_back(home);
  if (homes.size() <= kHomesOfSession) return;
  drop(homes.front(), session);
  homes.erase(homes.begin());
}

void HomeTable::drop(const bus::Process& process, const SessionId& session) {
  const auto found = homes_.find(process);
  if (found == homes_.end()) return;
  Home& home = found->second;
  if (const auto at = home.sessions.find(session); at != home.sessions.end()) {
    home.handles.erase(at->second);
    home.sessions.erase(at);
  }
  if (home.sessions.empty()) homes_.erase(found);
}

void HomeTable::forget(const SessionId& session) {
  const auto found = of_session_.find(session);
  if (found == of_session_.end()) return;
  for (const bus::Process& process : found->second) drop(process, session);
  of_session_.erase(found);
}

void HomeTable::died(const bus::Process& process) {
  if (!dead_.insert(process).second) return;
  dead_order_.push_back(process);
  if (dead_order_.size() > kDeathsKept) {
    dead_.erase(dead_order_.front());
    dead_order_.pop_front();
  }
  const auto found = homes_.find(process);
  if (found == homes_.end()) return;
  found->second.handles.clear();
  dying_.push_back(process);
}

std::optional<std::pair<SessionId, bus::Process>> HomeTable::next_of_dead() {
  while (!dying_.empty()) {
    const bus::Process process = dying_.front();
    const auto found = homes_.find(process);
    if (found == homes_.end()) {
      dying_.pop_front();
      continue;
    }
    const SessionId session = found->second.sessions.begin()->first;
    drop(process, session);
    if (const auto at = of_session_.find(session); at != of_session_.end()) {
      std::erase(at->second, process);
      if (at->second.empty()) of_session_.erase(at);
    }
    return std::pair(session, process);
  }
  return {};
}

}  // namespace starbus::nodes::gate
