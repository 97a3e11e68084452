// Clients: what must hold at every instant, when all has come to rest, and when nothing is broken.
#include <algorithm>

#include "bus/client/parts/bus_parts.hpp"
#include "tests/sim/clients/client_node.hpp"
#include "tests/sim/world.hpp"

namespace starbus::sim {
namespace {

constexpr Time kCalmAnswer = from_ms(20'000);
// The clock of a client steps by 10 ms, and an answer takes four calm hops of up to 4 ms each way.
constexpr Time kFirstMoment = from_ms(100);
// What the bodies and replies of a client may have: see ClientWorkload.
constexpr std::size_t kLargestOfClient = 256 * 1024;

}  // namespace

void World::count_end(Code code) {
  using bus::Errc;
  if (code == Errc::deadline) ++counts[Event::deadlines];
  if (code == Errc::would_block) ++counts[Event::would_block];
  if (code == Errc::no_owner) ++counts[Event::no_owner];
  if (code == Errc::owner_lost) ++counts[Event::owner_lost];
  if (code == Errc::expired) ++counts[Event::expired];
  if (code == Errc::handler_failed) ++counts[Event::handler_failed];
}

Counts client_counts(ClientNode& client) {
  Counts counts = process_counts(client.parts().process);
  const bus::BusCounters all = client.bus().counters();
  counts[Event::late_replies] = all.replies_late;
  counts[Event::unknown_replies] = all.replies_unknown;
  return counts;
}

void World::check_clients() {
  if (clients_.empty()) return;
  if (!client_oracle.violation().empty()) throw Violation(client_oracle.violation());
  for (auto& client : clients_) {
    if (!client->up()) continue;
    const bus::BusCounters all = client->bus().counters();
    if (all.unacknowledged_bytes >
        bus::kProcessWindow + bus::kReplyReserveTotal + 2 * kLargestOfClient) {
      throw Violation(client->name() + ": its windows hold " +
                      std::to_string(all.unacknowledged_bytes) + " bytes");
    }
    counts[Event::kept_replies] += all.replies_kept;
    if (all.replies_kept > bus::kKeptReplies * clients_.size() * std::size(bus::kDataLanes)) {
      throw Violation(client->name() + " keeps " + std::to_string(all.replies_kept) + " replies");
    }
  }
  if (checks_ % 16 != 0) return;
  for (auto& client : clients_) {
    if (!client->up() || client->paused() || client->stands_still()) continue;
    auto late = client_oracle.overdue(client->user().life(), now() - from_ms(100));
    if (!late.empty()) throw Violation(client->name() + ": " + late);
  }
}

std::string World::unrest_of_clients() {
  std::set<bus::Process> selves;
  std::size_t bindings = 0;
  for (auto& client : clients_) {
    if (!client->up() || client->paused()) return client->name() + " is down";
    const bus::ProcessCore& core = client->parts().process;
    if (!core.greeted()) return client->name() + " has no session with its busd";
    if (!core.origin().idle()) return client->name() + " has unacknowledged messages";
    if (!client->user().settled()) return client->name() + " waits for a name, or for room";
    if (client->parts().replies.kept() != 0) return client->name() + " keeps replies";
    selves.insert(core.self());
    bindings += core.binding_count();
  }
  const bus::Directory& directory = root_->router()->directory();
  if (directory.size() != bindings) return "busroot knows names that nobody owns";
  std::string reason;
  directory.list("", "", [&](const bus::Directory::Entry& entry) {
    if (!selves.contains(entry.owner().process())) {
      reason = "nobody who lives owns " + std::string(entry.name());
    }
    if (!entry.confirmed) reason = std::string(entry.name()) + " is not confirmed";
    return reason.empty();
  });
  if (!reason.empty()) return reason;
  if (reason = unrest_of_client_watches(); !reason.empty()) return reason;
  return client_oracle.open([&](std::uint64_t life) {
    return std::ranges::any_of(clients_, [life](const auto& client) {
      return client->up() && client->user().life() == life;
    });
  });
}

std::string World::unrest_of_client_watches() {
  for (const std::string& prefix :
       {std::string(kClientService) + "#", std::string(kClientGroup) + "#"}) {
    std::set<std::string> truth;
    root_->router()->directory().list(prefix, "", [&](const bus::Directory::Entry& entry) {
      truth.insert(std::string(entry.name()));
      return true;
    });
    for (auto& client : clients_) {
      const bus::RowSet* const rows = client->parts().process.rows(prefix);
      if (!rows) continue;
      const bool same = std::ranges::equal(
          truth, rows->rows(), [](const auto& a, const auto& b) { return a == b.first; });
      if (!rows->complete() || !same) {
        return "the watch of " + client->name() + " on " + prefix + " is not the truth";
      }
    }
  }
  return {};
}

/// Nothing is broken: everything that is asked succeeds.
void World::ask_in_calm() {
  // What is sent in an owner's first moment may count as older than it: docs/guide/bus.md.
  run_for(kFirstMoment);
  for (auto& client : clients_) {
    ClientUser& user = client->user();
    client->run([&] {
      ClientUser::Asking asking;
      asking.calm = true;
      for (auto& other : clients_) {
        asking.to = "entity/" + other->name();
        user.call(asking);
        user.send(asking, true);
      }
      asking.to = kClientService;
      user.call(asking);
      user.send(asking, true);
      asking.to = kClientGroup;
      user.announce(asking, bus::WhenFull::wait);
    });
  }
  run_until([this] { return unrest().empty(); }, kCalmAnswer, "answers while nothing is broken");
}

}  // namespace starbus::sim
