// What must hold at every instant, and what must hold when everything has come to rest.
#include <algorithm>

#include "tests/sim/clients/client_node.hpp"
#include "tests/sim/world.hpp"

namespace starbus::sim {
namespace {

// What one message, or the state of a moving entity, may have: see Workload::pick_size. Seeds with
// large bodies have World::large_body beyond it.
#ifdef STARBUS_TIGHT
static_assert(bus::kChannelWindow < 64 * 1024, "the header of tests/sim/tight is not the first");
constexpr std::size_t kLargestRecord = 10 * 1024;
#else
constexpr std::size_t kLargestRecord = 256 * 1024;
#endif

}  // namespace

void World::check_step() {
  check_owners();
  check_clients();
  if (options_.watch_queues) note_full_queues();
  if (++checks_ % 64 == 0) check_limits();
}

void World::check_owners() {
  for (const Name& each : names_) {
    const ProcessNode* owner = nullptr;
    for (const auto& process : processes_) {
      // One that is stopped fences itself before it does anything.
      if (!process->up() || process->paused() || !process->owns(each.id)) continue;
      if (owner) {
        throw Violation("two active owners of " + each.text + ": " + owner->name() + " and " +
                        process->name());
      }
      owner = process.get();
    }
  }
}

/// Which queues have no room for a typical message.
void World::note_full_queues() {
  const auto full = [](std::size_t bytes, std::size_t limit) {
    constexpr std::size_t kMessage = 128;
    return bytes + kMessage > limit;
  };
  const auto look = [&](const bus::Router& router) {
    std::size_t total = 0;
    for (const bus::LinkStatus& link : router.link_status()) {
      counts[Event::full_link] += link.in_flight + bus::kBundleTarget > bus::kLinkClock;
      for (std::size_t lane = 1; lane < bus::kLanes; ++lane) {
        counts[Event::full_lane] += full(link.queued[lane], bus::kDaemonQueue);
        total += link.queued[lane];
      }
    }
    counts[Event::full_total] += full(total, bus::kQueuesTotal);
  };
  if (root_->up()) {
    look(*root_->router());
    counts[Event::full_hold] += full(root_->router()->held().bytes(), bus::kHoldTotal);
  }
  for (const auto& host : hosts_) {
    if (host->up()) look(*host->router());
  }
}

void World::check_limits() {
  const auto check = [](const std::string& who, std::uint64_t value, std::uint64_t limit,
                        const char* what) {
    if (value <= limit) return;
    throw Violation(who + ": " + what + " holds " + std::to_string(value) + " of at most " +
                    std::to_string(limit) + " bytes");
  };
  const auto check_links = [&](const std::string& who, const bus::Router& router) {
    for (const bus::LinkStatus& link : router.link_status()) {
      check(who, link.in_flight, bus::kLinkClock + bus::kConsumedReport, "a link");
      check(who, link.queued[0], bus::kControlQueue, "a control queue");
      for (std::size_t lane = 1; lane < bus::kLanes; ++lane) {
        // A record that is larger than the queue goes alone.
        check(who, link.queued[lane],
              std::max<std::size_t>(bus::kDaemonQueue, kLargestRecord + large_body), "a queue");
      }
    }
  };
  if (root_->up()) {
    check_links("busroot", *root_->router());
    check("busroot", root_->router()->held().bytes(), bus::kHoldTotal, "the hold queue");
  }
  for (const auto& host : hosts_) {
    if (host->up()) check_links(host->name(), *host->router());
  }
  for (const auto& process : processes_) {
    if (!process->up()) continue;
    // A message that is larger than the window goes alone. The window does not count the state of a
    // moving entity, whose outbox may hold such a message, too.
    check(process->name(), process->core().origin().unacknowledged_bytes(),
          std::max<std::size_t>(bus::kProcessWindow, large_body) + kLargestRecord + large_body,
          "the window of the process");
  }
}

// --- the end -------------------------------------------------------------------------------------

bool World::lives(const Oracle::Sender& sender) {
  if (name(sender.name).kind == NameKind::mover) {
    ProcessNode* const owner = owner_of(sender.name);
    const Application::Copy* copy = owner ? owner->application().copy_of(sender.name) : nullptr;
    return copy && copy->life == sender.life;
  }
  return std::ranges::any_of(processes_, [&](const auto& process) {
    return process->up() && process->application().life() == sender.life;
  });
}

std::string World::unrest() {
  if (!root_->up()) return "busroot is down";
  if (root_->router()->in_grace()) return "busroot is in grace";
  for (auto& host : hosts_) {
    if (!host->up() || host->paused()) return host->name() + " is down";
    if (!host->router()->uplink().greeted) return host->name() + " has no session with busroot";
  }
  for (auto& process : processes_) {
    if (!process->up() || process->paused()) return process->name() + " is down";
    const Application& application = process->application();
    if (!process->core().greeted()) return process->name() + " has no session with its busd";
    if (!process->core().origin().idle()) return process->name() + " has unacknowledged messages";
    if (process->core().move_count() != 0) return process->name() + " has a move under way";
    if (application.calls_pending() != 0) return process->name() + " has pending calls";
    if (application.binds_pending() != 0) return process->name() + " has pending binds";
    if (!application.outboxes_empty()) return process->name() + " has messages in an outbox";
  }
  if (!clients_.empty()) return unrest_of_clients();
  if (auto reason = unrest_of_mail(); !reason.empty()) return reason;
  if (auto reason = unrest_of_names(); !reason.empty()) return reason;
  if (auto reason = unrest_of_watches(); !reason.empty()) return reason;
  if (!oracle.all_concluded([this](const Oracle::Sender& sender) { return lives(sender); })) {
    return "messages without an end";
  }
  return {};
}

std::string World::unrest_of_names() {
  const bus::RootRouter& root = *root_->router();
  std::size_t owned = 0;
  for (const Name& each : names_) {
    const auto* entry = root.directory().find(each.id);
    if (each.kind == NameKind::store) {
      ++owned;
      const auto owns = [&](const auto& store) {
        return entry->owner().process() == store->core().self();
      };
      if (!entry || !entry->confirmed || std::ranges::none_of(stores_, owns)) {
        return each.text + " is no store's";
      }
      continue;
    }
    ProcessNode* const owner = owner_of(by_id_.at(each.id));
    if (!owner && each.kind != NameKind::free) return each.text + " has no owner";
    if (!owner && entry) return each.text + " has no owner, but busroot knows one";
    if (!owner) continue;
    ++owned;
    if (!entry) return "busroot does not know " + each.text;
    if (entry->owner().process() != owner->core().self()) {
      return "busroot knows another owner of " + each.text;
    }
    if (!entry->confirmed) return each.text + " is not confirmed";
    if (entry->lineage != owner->core().owner().lineage(each.id)) {
      return "busroot knows another lineage of " + each.text;
    }
  }
  std::string stranger;
  root.directory().list("server/", "", [&](const bus::Directory::Entry& entry) {
    ++owned;
    const bus::Process& owner = entry.owner().process();
    const auto is = [&](const auto& node) { return node->up() && node->core().self() == owner; };
    if (std::ranges::none_of(processes_, is) && std::ranges::none_of(stores_, is)) {
      stranger = "nobody who lives owns " + std::string(entry.name());
    }
    return true;
  });
  if (!stranger.empty()) return stranger;
  if (root.directory().size() != owned) return "busroot knows names that nobody owns";
  if (!root.moves().empty()) return "busroot remembers a move";
  return {};
}

std::string World::unrest_of_watches() {
  std::vector<bus::WatchRow> truth;
  root_->router()->directory().list("", "", [&](const bus::Directory::Entry& entry) {
    bus::WatchRow& row = truth.emplace_back();
    row.name = entry.name();
    row.owner = entry.owner().process();
    row.epoch = entry.epoch;
    row.lineage = entry.lineage;
    return true;
  });
  for (auto& process : processes_) {
    const bus::RowSet* rows = process->core().rows("");
    if (!rows) continue;
    const bool same = std::ranges::equal(truth, rows->rows(), [](const auto& a, const auto& b) {
      return a.name == b.first && a.owner == b.second.owner && a.epoch == b.second.epoch &&
             a.lineage == b.second.lineage;
    });
    if (!rows->complete() || !same) return "the watch of " + process->name() + " is not the truth";
  }
  return {};
}

/// What busroot believes about names that do not come to rest.
std::string World::describe_moves() {
  std::string text;
  if (!root_->up()) return text;
  for (const auto& [id, move] : root_->router()->moves()) {
    const auto* entry = root_->router()->directory().find(id);
    if (!entry) continue;
    text += "; " + std::string(entry->name()) + " of " + name_process(entry->owner().process()) +
            " at " + entry->epoch.to_string() + (entry->confirmed ? "" : " unconfirmed");
    if (move.moving) text += ", moving to " + name_process(move.moving.target);
    if (move.granted) text += ", granted to " + name_process(move.granted.target);
    if (move.source) text += ", copy at " + name_process(move.source->process);
    if (move.rollback) text += ", rolled back";
  }
  return text;
}

void World::heal_and_check(Time limit, const std::function<void()>& meanwhile) {
  network.heal();
  network.release();
  isolated_until_.clear();
  root_->start();
  for (auto& host : hosts_) host->start();
  for (auto& host : hosts_) host->resume();
  for (Node* program : programs()) program->resume();
  for (auto& store : stores_) {
    store->resume();
    store->disk().room = SimDisk::Room::plenty;
  }
  converge(limit, meanwhile);
  if (!logs().empty()) {
    append_to_logs();
    converge(limit, meanwhile);
  }
  if (!stores_.empty()) {
    mail.check(stored(), log_oracle.histories());
    check_logs();
  }
  if (!clients_.empty()) ask_in_calm();
  oracle.check_end([this](const Oracle::Sender& sender) { return lives(sender); });
  for (const NameIndex name : names_of(NameKind::mover)) {
    const ProcessNode* const owner = owner_of(name);
    const Application::Copy* const copy = owner->application().copy_of(name);
    oracle.check_state(name, copy->life, copy->state, owner->name());
  }
}

void World::converge(Time limit, const std::function<void()>& meanwhile) {
  const auto look = [this] {
    std::string found = unrest();
    if (found.empty()) found = unread_mail();
    return found.empty() ? unrest_of_logs() : found;
  };
  const Time end = now() + limit;
  for (std::string reason = look(); !reason.empty(); reason = look()) {
    if (now() >= end) throw Violation("no convergence: " + reason + describe_moves());
    run_for(from_ms(100));
    if (meanwhile) meanwhile();
    claim_mailboxes();
    for (auto& client : clients_) client->start();
    for (auto& process : processes_) {
      if (!process->up()) process->start();
      if (process->application().calls_overdue(now())) {
        throw Violation(process->name() + ": a call outlived its deadline");
      }
    }
  }
}

}  // namespace starbus::sim
