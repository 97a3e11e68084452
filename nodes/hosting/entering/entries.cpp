#include "nodes/hosting/entering/entries.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "bus/client/process_name.hpp"
#include "entity/rpc/endpoint.hpp"
#include "nodes/db/error.hpp"
#include "nodes/hosting/limits.hpp"

namespace starbus::nodes::entities {

using entity::Entity;

void Entries::enter(Wanted wanted, Ended ended) {
  context_.thread.check();
  if (context_.draining) {
    return later(std::move(ended), bus::Error(bus::Errc::closed, "the node drains"));
  }
  if (saves_ && !load_) {
    return later(std::move(ended), bus::Error(bus::Errc::bad_config,
                                              "HostOptions::load is not set, and a new "
                                              "entity would replace a saved one"));
  }
  if (context_.endpoint.bound_at(wanted.name) != nullptr) {
    return later(std::move(ended), present(wanted));
  }
  if (waiting_ >= kMaxEntering) {
    return later(std::move(ended), bus::Error(bus::Errc::would_block, "too many enter at once"));
  }
  const auto [at, fresh] = entering_.try_emplace(wanted.name);
  Entry& entry = at->second;
  if (!fresh &&
      (entry.wanted.type != wanted.type || entry.wanted.persistent_id != wanted.persistent_id)) {
    return later(std::move(ended),
                 bus::Error(bus::Errc::already_bound, "another entity enters under this name"));
  }
  entry.waiting.push_back(std::move(ended));
  ++waiting_;
  if (!fresh) return;
  entry.number = ++made_;
  entry.held = std::make_shared<Stranded>(bus::Bytes(), bus::Epoch());
  entry.wanted = std::move(wanted);
  // An object that is bound before the gates are known would refuse all clients.
  context_.endpoint.ready([this, weak = std::weak_ptr(context_.alive), name = at->first,
                           number = entry.number](const bus::Result<>& ready) {
    if (weak.expired() || find(name, number) == nullptr) return;
    if (!ready) return fail(name, ready.error(), false);
    bind(name, number);
  });
}

/// It is bound here. An object that is no such entity has the name otherwise.
bus::Result<Entries::Outcome> Entries::present(const Wanted& wanted) const {
  Entity* const entity = context_.entities->find_persistent(wanted.persistent_id);
  const entity::rpc::CallableBase* const bound = context_.endpoint.bound_at(wanted.name);
  if (entity == nullptr || bound != entity || !entity->type().is_a(*wanted.type)) {
    return bus::Error(bus::Errc::already_bound, "another object of this process has the name");
  }
  return Outcome{entity, Entrance::present, {}};
}

void Entries::later(Ended ended, bus::Result<Outcome> outcome) {
  boost::asio::post(context_.endpoint.loop(),
                    [weak = std::weak_ptr(context_.alive), ended = std::move(ended),
                     outcome = std::move(outcome)] {
                      if (!weak.expired()) ended(outcome);
                    });
}

Entries::Entry* Entries::find(const std::string& name, std::uint64_t number) {
  const auto found = entering_.find(name);
  return found == entering_.end() || found->second.number != number ? nullptr : &found->second;
}

void Entries::bind(const std::string& name, std::uint64_t number) {
  context_.endpoint.bus().bind(name, Stranded::handlers(entering_.at(name).held),
                               [this, weak = std::weak_ptr(context_.alive), name,
                                number](const bus::Result<bus::Bound>& result) {
                                 if (!weak.expired()) bound(name, number, result);
                               });
}

void Entries::bound(const std::string& name, std::uint64_t number,
                    const bus::Result<bus::Bound>& result) {
  Entry* const entry = find(name, number);
  if (entry == nullptr) {
    if (result) names_.release({name});
    return;
  }
  if (result) return load(name, number, result->epoch);
  if (result.error() != bus::Errc::already_bound) return fail(name, result.error(), false);
  const std::string& owner = result.error().detail;
  if (!is_another(owner)) {
    return fail(name, bus::Error(bus::Errc::busy, "a former life of it ends here"), false);
  }
  const Entry ended = std::move(entering_.extract(name).mapped());
  waiting_ -= ended.waiting.size();
  for (const Ended& each : ended.waiting) {
    each(Outcome{nullptr, Entrance::absent, owner});
  }
}

/// The detail of already_bound names the owner, HOST.NODE; or it says that this process is that.
bool Entries::is_another(const std::string& owner) const {
  return owner.find(' ') == std::string::npos &&
         owner != bus::process_name(context_.endpoint.bus());
}

void Entries::load(const std::string& name, std::uint64_t number, bus::Epoch epoch) {
  if (!load_) return loaded(name, number, epoch, std::optional<bus::Bytes>());
  const Wanted& wanted = entering_.at(name).wanted;
  load_(std::string(wanted.type->name()), wanted.persistent_id,
        [this, weak = std::weak_ptr(context_.alive), name, number,
         epoch](const bus::Result<std::optional<bus::Bytes>>& saved) {
          if (!weak.expired()) loaded(name, number, epoch, saved);
        });
}

void Entries::loaded(const std::string& name, std::uint64_t number, bus::Epoch epoch,
                     const bus::Result<std::optional<bus::Bytes>>& saved) {
  Entry* const entry = find(name, number);
  if (entry == nullptr) return;
  if (context_.endpoint.bus().epoch(name) != epoch) {
    return fail(name, bus::Error(bus::Errc::lease_lost), false);
  }
  if (!saved) return fail(name, saved.error(), true);
  if (!*saved && !entry->wanted.may_make) {
    return fail(name, db::Error(db::Errc::not_found, entry->wanted.persistent_id), true);
  }
  auto outcome = make(entry->wanted, epoch, *saved);
  if (!outcome) return fail(name, outcome.error(), true);
  // Those who wait go first: they may set up a new entity before its first message.
  const bus::Handlers handlers = context_.endpoint.adopt(name, *outcome->entity);
  const std::weak_ptr<bool> weak = context_.alive;
  const Entry ended = std::move(entering_.extract(name).mapped());
  waiting_ -= ended.waiting.size();
  for (const Ended& each : ended.waiting) {
    each(*outcome);
    if (weak.expired()) return;
    outcome->how = Entrance::present;
  }
  ended.held->go_on(handlers);
}

bus::Result<Entries::Outcome> Entries::make(const Wanted& wanted, bus::Epoch epoch,
                                            const std::optional<bus::Bytes>& saved) {
  if (context_.draining) return bus::Error(bus::Errc::closed, "the node drains");
  entity::CreateOptions how;
  how.persistent_id = wanted.persistent_id;
  if (saved) how.saved = bus::ByteView(*saved);
  const auto made = context_.entities->create_by_name(wanted.type->name(), how);
  if (!made) return bus::Error(made.error());
  names_.add_owned(**made, epoch);
  return Outcome{*made, saved ? Entrance::loaded : Entrance::made, {}};
}

void Entries::fail(const std::string& name, const bus::Error& why, bool owned) {
  const Entry ended = std::move(entering_.extract(name).mapped());
  waiting_ -= ended.waiting.size();
  ended.held->end(bus::Error(bus::Errc::not_bound, "the entity did not enter: " + why.to_string()));
  if (owned) names_.release({ended.wanted.name});
  const std::weak_ptr<bool> weak = context_.alive;
  for (const Ended& each : ended.waiting) {
    each(why);
    if (weak.expired()) return;
  }
}

void Entries::lose_all() {
  while (!entering_.empty()) {
    const std::string name = entering_.begin()->first;
    fail(name, bus::Error(bus::Errc::lease_lost), false);
  }
}

}  // namespace starbus::nodes::entities
