#include "tests/entity/client/sim/model_bus.hpp"

#include <algorithm>

namespace starbus::entity::sessions::sim {

std::string channel_of(const Pid& process) {
  static constexpr const char* kKinds[] = {"", "gate/", "home/", "desk/"};
  return kKinds[process.host] + std::to_string(process.slot);
}

// --- processes -----------------------------------------------------------------------------------

Pid ModelBus::start(std::uint32_t host, std::uint32_t slot) {
  Pid pid{host, slot, 0};
  pid.incarnation = ++lives_[pid];
  pids_.insert(pid);
  told_[pid] = {dead_.begin(), dead_.end()};
  return pid;
}

bool ModelBus::told(const Pid& reader, const Pid& dead) const {
  const auto found = told_.find(reader);
  return found != told_.end() && found->second.contains(dead);
}

void ModelBus::later(const Pid& pid, std::function<void()> action) {
  turns_.emplace_back(pid, std::move(action));
}

/// What was in its memory; of what it had sent last, some has left.
void ModelBus::forget(const Pid& pid) {
  pids_.erase(pid);
  dead_.push_back(pid);
  notes_.erase(pid);
  deaths_of_.erase(pid);
  std::erase_if(turns_, [&](const auto& each) { return each.first == pid; });
  for (auto at = queues_.begin(); at != queues_.end();) {
    auto& [key, queue] = *at;
    if (key.from == pid) {
      for (std::size_t cut = chance_.below(queue.size() + 1); cut > 0; --cut) queue.pop_back();
    }
    at = queue.empty() ? queues_.erase(at) : std::next(at);
  }
}

void ModelBus::kill(const Pid& pid) {
  forget(pid);
  std::set<std::string> lost{channel_of(pid)};
  std::vector<std::string> names;
  for (const auto& [name, owner] : owners_) names.push_back(name);
  for (const std::string& name : names) {
    Owner& owner = owners_[name];
    if (owner.source == pid) owner.source = {};
    if (owner.pid != pid) {
      if (owner.moving && owner.target == pid) abort(name);
      continue;
    }
    lost.insert(name);
    if (owner.source == Pid{} || owner.moving) {
      owners_.erase(name);
      continue;
    }
    owner = Owner{owner.source, false, {}, {}, {}};
    events_->goes_on(owner.pid, name, ++epochs_, true);
  }
  lose(lost, pid);
  for (const Pid& other : pids_) deaths_of_[other].push_back(pid);
}

/// The owner died: what was sent ends as owner_lost; a suffix that never left may stay.
void ModelBus::lose(const std::set<std::string>& lost, const Pid& owner) {
  for (auto at = queues_.begin(); at != queues_.end();) {
    auto& [key, queue] = *at;
    if (lost.contains(key.to)) {
      const bool channel = key.to.starts_with("player") || key.to.starts_with("account");
      const std::size_t keep = channel && chance_.likely(0.3) ? chance_.below(queue.size() + 1) : 0;
      while (queue.size() > keep) {
        note(queue.front(), Outcome::owner_lost, {}, owner);
        queue.pop_front();
      }
    }
    at = queue.empty() ? queues_.erase(at) : std::next(at);
  }
  for (auto& [reader, notes] : notes_) {  // handled, and the acknowledgement is lost
    bool gone = false;
    for (Note& note : notes) {
      gone = gone || chance_.likely(0.5);
      if (note.by == owner && note.outcome == Outcome::ok && gone) {
        note.outcome = Outcome::owner_lost;
        note.value.reset();
      }
    }
  }
}

bool ModelBus::death_ready(const Pid& reader) const {
  const Pid& dead = deaths_of_.at(reader).front();
  return std::ranges::none_of(queues_, [&](const auto& each) {
    return each.first.from == dead && !each.second.empty() && owner_of(each.first.to) == reader;
  });
}

void ModelBus::tell_death(const Pid& reader) {
  auto& deaths = deaths_of_[reader];
  const Pid dead = deaths.front();
  deaths.pop_front();
  if (deaths.empty()) deaths_of_.erase(reader);
  told_[reader].insert(dead);
  events_->died(reader, dead);
}

// --- messages ------------------------------------------------------------------------------------

Pid ModelBus::owner_of(const std::string& to) const {
  if (const auto found = owners_.find(to); found != owners_.end()) return found->second.pid;
  for (const Pid& pid : pids_) {
    if (channel_of(pid) == to) return pid;
  }
  return {};
}

bool ModelBus::send(Letter letter) {
  if (!alive(letter.from)) return true;
  Queue& queue = queues_[{letter.from, letter.to, letter.lane}];
  queue.push_back(std::move(letter));
  return true;
}

bool ModelBus::may_deliver(const Key& key, const Queue& queue) const {
  return !queue.empty() && !(hold && hold(queue.front())) && !moving(key.to);
}

void ModelBus::note(const Letter& letter, Outcome outcome, std::any value, const Pid& by) {
  if (letter.done && alive(letter.from)) {
    notes_[letter.from].push_back({letter.done, outcome, std::move(value), by});
  }
}

void ModelBus::deliver(const Key& key) {
  Queue& queue = queues_[key];
  const Letter letter = std::move(queue.front());
  queue.pop_front();
  if (queue.empty()) queues_.erase(key);
  const Pid owner = owner_of(key.to);
  if (owner == Pid{}) return note(letter, Outcome::no_owner, {}, owner);
  if (told(owner, letter.from)) return;  // nothing of a dead process after its death was told
  if (trace_ != nullptr) {
    std::fprintf(trace_, "%6lld s  %s -> %s at %s: %s\n", static_cast<long long>(now_),
                 channel_of(letter.from).c_str(), letter.to.c_str(), channel_of(owner).c_str(),
                 letter.what.c_str());
  }
  std::any value = letter.handler(letter.from, owner);
  const auto* const answer = std::any_cast<std::shared_ptr<Later>>(&value);
  if (answer == nullptr) return note(letter, Outcome::ok, std::move(value), owner);
  (*answer)->on_end([this, owner, letter](Outcome outcome, std::any later) {
    note(letter, outcome, std::move(later), owner);
  });
}

// --- names ---------------------------------------------------------------------------------------

void ModelBus::bind(const Pid& at, const std::string& name, std::function<void()> done) {
  if (!owned(name)) {
    owners_[name] = Owner{at, false, {}, {}, {}};
    events_->bound(at, name, ++epochs_);
  }
  done();
}

bool ModelBus::moving(const std::string& name) const {
  const auto found = owners_.find(name);
  return found != owners_.end() && found->second.moving;
}

bool ModelBus::has_source(const std::string& name) const {
  const auto found = owners_.find(name);
  return found != owners_.end() && found->second.source != Pid{};
}

bool ModelBus::move(const std::string& name, const Pid& from, const Pid& target) {
  Owner& owner = owners_[name];
  if (owner.moving || owner.source != Pid{} || owner.pid != from || from == target) return false;
  owner.moving = true;
  owner.target = target;
  owner.frozen = events_->freeze(from, name);
  return true;
}

void ModelBus::attach(const std::string& name) {
  if (!moving(name)) return;
  Owner& owner = owners_[name];
  owner = Owner{owner.target, false, {}, std::move(owner.frozen), owner.pid};
  events_->arrived(owner.pid, name, ++epochs_, owner.frozen);
}

void ModelBus::abort(const std::string& name) {
  Owner& owner = owners_[name];
  owner.moving = false;
  events_->goes_on(owner.pid, name, ++epochs_, false);
}

void ModelBus::free_source(const std::string& name) {
  if (!has_source(name)) return;
  const Pid source = std::exchange(owners_[name].source, Pid{});
  events_->moved(source, name);
}

// --- what happens next ---------------------------------------------------------------------------

ModelBus::Ready ModelBus::what_is_ready() const {
  Ready found;
  for (const auto& [key, queue] : queues_) {
    if (may_deliver(key, queue)) found.letters.push_back(key);
  }
  for (const auto& [pid, notes] : notes_) {
    if (!notes.empty()) found.noted.push_back(pid);
  }
  for (const auto& [pid, list] : deaths_of_) {
    if (death_ready(pid)) found.dying.push_back(pid);
  }
  std::set<Pid> seen;
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    if (seen.insert(turns_[i].first).second) found.turns.push_back(i);
  }
  return found;
}

std::size_t ModelBus::Ready::weight() const {
  return (letters.empty() ? 0U : 5U) + (noted.empty() ? 0U : 2U) + (dying.empty() ? 0U : 1U) +
         (turns.empty() ? 0U : 2U);
}

std::size_t ModelBus::weight() const {
  return what_is_ready().weight();
}

void ModelBus::pass() {
  const Ready found = what_is_ready();
  std::size_t pick = chance_.below(found.weight());
  const auto chosen = [&pick](const auto& list, std::size_t weight) {
    if (list.empty()) return false;
    if (pick < weight) return true;
    pick -= weight;
    return false;
  };
  if (chosen(found.letters, 5)) return deliver(found.letters[chance_.below(found.letters.size())]);
  if (chosen(found.noted, 2)) {
    const Pid pid = found.noted[chance_.below(found.noted.size())];
    const Note note = std::move(notes_[pid].front());
    notes_[pid].pop_front();
    return note.done(note.outcome, note.value);
  }
  if (chosen(found.dying, 1)) return tell_death(found.dying[chance_.below(found.dying.size())]);
  const auto at =
      turns_.begin() + static_cast<std::ptrdiff_t>(found.turns[chance_.below(found.turns.size())]);
  const auto action = std::move(at->second);
  turns_.erase(at);
  action();
}

}  // namespace starbus::entity::sessions::sim
