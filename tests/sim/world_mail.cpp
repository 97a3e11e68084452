// What must hold of mail and logs when everything has come to rest.
#include <algorithm>

#include "tests/sim/world.hpp"

namespace starbus::sim {
namespace {

/// A store walks through all of its rows within two or three seconds: a page of a kind and shard
/// each 100 ms.
constexpr std::uint64_t kSweepGrace = 5'000;

}  // namespace

std::string World::unrest_of_mail() {
  for (const auto& store : stores_) {
    if (!store->up() || store->paused()) return store->name() + " is down";
    if (!store->core().greeted()) return store->name() + " has no session with its busd";
    if (!store->idle()) return store->name() + " has a batch or a move under way";
  }
  for (const std::string& box : boxes_) {
    const std::uint8_t shard = bus::shard_of(bus::channel_id(box));
    const auto keeps = [&](const auto& store) { return store->keeps(shard); };
    if (std::ranges::count_if(stores_, keeps) > 1) {
      throw Violation(bus::shard_name(shard) + " is kept by two stores");
    }
    StoreNode* const store = store_of(box);
    if (!store) return bus::shard_name(shard) + " is kept by nobody";
    if (!store->serves(shard)) return store->name() + " does not serve all its shards";
  }
  for (auto& process : processes_) {
    if (mail.pending(process->application().life()) != 0) return "posts without an end";
  }
  return {};
}

std::string World::unread_mail() {
  for (const auto& [mailbox, content] : stored()) {
    ProcessNode* const reader = owner_of(index_of(mailbox));
    if (!reader || !reader->application().mail().reads(mailbox)) return "nobody reads " + mailbox;
    if (mail.cursor(mailbox) != content.last) return "there is mail to read in " + mailbox;
  }
  return {};
}

StoreNode* World::store_of(const std::string& box) {
  const std::uint8_t shard = bus::shard_of(bus::channel_id(box));
  for (const auto& store : stores_) {
    if (store->keeps(shard)) return store.get();
  }
  return nullptr;
}

std::map<std::string, MailOracle::Content> World::stored() {
  std::map<std::string, MailOracle::Content> all;
  for (const std::string& mailbox : mailboxes()) {
    if (const StoreNode* const store = store_of(mailbox)) all[mailbox] = store->stored(mailbox);
  }
  return all;
}

/// Mail that nobody reads would never come to rest.
void World::claim_mailboxes() {
  for (const std::string& mailbox : mailboxes()) {
    const NameIndex name = index_of(mailbox);
    const auto wants = [&](const auto& process) {
      if (!process->up()) return false;
      const Application& application = process->application();
      return application.owns(name) || application.binding(name);
    };
    if (std::ranges::any_of(processes_, wants)) continue;
    if (ProcessNode* const process = living().empty() ? nullptr : living().front()) {
      process->application().bind(name);
    }
  }
}

bool World::is_mailbox(const std::string& name) const {
  return std::ranges::find(options_.mailboxes, name) != options_.mailboxes.end();
}

// --- logs ----------------------------------------------------------------------------------------

bool World::is_log(const std::string& name) const {
  return std::ranges::find(options_.logs, name) != options_.logs.end();
}

std::string World::unrest_of_logs() {
  for (const std::string& log : logs()) {
    const StoreNode& store = *store_of(log);
    const std::uint64_t last = store.stored(log).last;
    for (auto& process : processes_) {
      if (!process->application().logs().at_end(log, last)) {
        return process->name() + " is not at the end of " + log;
      }
    }
    if (log_oracle.overdue(log, store.quota(log), store.wall_ms(), kSweepGrace)) {
      return "there is something too old in " + log;
    }
  }
  return {};
}

/// Counts and bytes are looked at with each append, and a batch erases only what was durable before
/// it: so the bounds hold behind one that comes alone.
void World::append_to_logs() {
  for (const std::string& log : logs()) {
    if (!processes_.front()->application().post(log, "", 0, {})) {
      throw Violation("at rest, an append to " + log + " is not taken");
    }
  }
}

void World::check_logs() {
  for (const auto& store : stores_) store->check_totals();
  for (const std::string& log : logs()) {
    const StoreNode& store = *store_of(log);
    log_oracle.check(log, store.stored(log), store.quota(log));
  }
}

}  // namespace starbus::sim
