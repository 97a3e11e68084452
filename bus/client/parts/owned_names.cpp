#include "bus/client/parts/owned_names.hpp"

#include <algorithm>
#include <utility>

#include "base/unit_guard.hpp"

namespace starbus::bus {

// --- binding -------------------------------------------------------------------------------------

void OwnedNames::bind(std::string name, Handlers handlers, Done<Bound> done) {
  if (!is_shared_name(name)) {
    bind_exact(std::move(name), nullptr, std::move(handlers), std::move(done));
    return;
  }
  const std::string prefix = name + "#";
  if (auto kept = watchers_.use(prefix); !kept) {
    return context_.complete<Bound>(std::move(done), kept.error());
  }
  watchers_.when_complete(prefix, [this, name = std::move(name), handlers = std::move(handlers),
                                   done = std::move(done)](const Result<>& ready) mutable {
    if (!ready) return context_.complete<Bound>(std::move(done), ready.error());
    bind_next_instance(name, {}, std::move(handlers), std::move(done));
  });
}

void OwnedNames::bind_member(const std::string& group, Handlers handlers, Done<Bound> done) {
  const ProcessCore& process = context_.process;
  bind_exact(group + "#" + process.host() + "." + process.node(),
             std::make_unique<OwnedName::Asked>(OwnedName::Asked{group}), std::move(handlers),
             std::move(done));
}

/// Binds the lowest number that the watch shows as free. Where others were faster many start at
/// once: after each collision it draws from twice as many numbers, so that n starters need some
/// n log n requests in all.
void OwnedNames::bind_next_instance(std::string shared, std::vector<unsigned> refused,
                                    Handlers handlers, Done<Bound> done) {
  const std::size_t most = std::size_t{1} << std::min<std::size_t>(refused.size(), 12);
  static_assert(kMaxInstances <= std::size_t{1} << 12);
  const std::vector<unsigned> free = free_instances(shared, refused, most);
  if (free.empty()) {
    return context_.complete<Bound>(std::move(done),
                                    Error{Errc::too_many_names, shared + " has 4096 instances"});
  }
  const unsigned instance =
      free[std::uniform_int_distribution<std::size_t>(0, free.size() - 1)(draw_)];
  std::string name = shared + "#" + std::to_string(instance);
  bind_exact(std::move(name),
             std::make_unique<OwnedName::Asked>(
                 OwnedName::Asked{std::move(shared), instance, std::move(refused)}),
             std::move(handlers), std::move(done));
}

/// The lowest of them, at most so many.
std::vector<unsigned> OwnedNames::free_instances(const std::string& shared,
                                                 const std::vector<unsigned>& refused,
                                                 std::size_t most) {
  const RowSet* const rows = context_.process.rows(shared + "#");
  const auto own = own_run_.find(shared);
  std::vector<unsigned> free;
  unsigned instance = own == own_run_.end() ? 0 : own->second;
  while (++instance <= kMaxInstances && free.size() < most) {
    const std::string name = shared + "#" + std::to_string(instance);
    if ((rows && rows->rows().contains(name)) || by_name_.contains(name)) continue;
    if (std::ranges::find(refused, instance) == refused.end()) free.push_back(instance);
  }
  return free;
}

void OwnedNames::bind_exact(std::string name, std::unique_ptr<const OwnedName::Asked> asked,
                            Handlers handlers, Done<Bound> done) {
  if (context_.closed) return context_.complete<Bound>(std::move(done), Error{Errc::closed});
  const auto binding = context_.process.bind(name);
  if (!binding) return context_.complete<Bound>(std::move(done), binding.error());
  auto owned = std::make_shared<OwnedName>();
  owned->channel = channel_id(name);
  owned->name = std::make_shared<const std::string>(std::move(name));
  owned->handlers = std::move(handlers);
  owned->begin().bound = std::move(done);
  owned->asked = std::move(asked);
  names_.emplace(*binding, owned);
  set_binding(*owned->name, *binding);
  if (owned->asked) set_binding(owned->asked->name, *binding);
  if (owned->instance() != 0) {
    unsigned& run = own_run_[owned->asked->name];
    if (owned->instance() == run + 1) run = owned->instance();
  }
  context_.link.request_send(0);
}

/// Where several instances of one shared name were asked for, the latest has it.
void OwnedNames::set_binding(std::string_view name, BindingId binding) {
  by_name_.erase(name);  // the key may be the text of another one
  by_name_.emplace(name, binding);
}

std::shared_ptr<OwnedName> OwnedNames::find(BindingId binding) const {
  const auto found = names_.find(binding);
  return found == names_.end() ? nullptr : found->second;
}

void OwnedNames::on_bound(BindingId binding, Epoch epoch) {
  const auto owned = find(binding);
  if (!owned) return;
  if (!owned->under_way) return;
  const Done<Bound> bound = std::exchange(owned->under_way->bound, {});
  if (!owned->leaves() && !owned->moves() && owned->under_way->unbound.empty()) owned->end();
  context_.complete<Bound>(bound, Bound{*owned->name, epoch});
}

void OwnedNames::on_bind_refused(BindingId binding, const Error& reason) {
  const auto owned = forget(binding);
  if (!owned) return;
  Done<Bound> bound = owned->end().bound;
  if (owned->instance() != 0 && reason == Errc::already_bound) {  // another process was faster
    ++collisions_;
    std::vector<unsigned> refused = owned->asked->refused;
    refused.push_back(owned->instance());
    bind_next_instance(owned->asked->name, std::move(refused), std::move(owned->handlers),
                       std::move(bound));
  } else {
    context_.complete<Bound>(std::move(bound), reason);
  }
}

void OwnedNames::unbind(const std::string& name, Done<> done) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) {
    return context_.complete<void>(std::move(done), Error{Errc::not_bound});
  }
  OwnedName& owned = *names_.at(found->second);
  if (!owned.leaves()) {
    const auto begun = begin_unbind(owned);
    if (!begun) return context_.complete<void>(std::move(done), begun.error());
    if (owned.leaves()) leaving_.push_back(found->second);
  }
  owned.begin().unbound.push_back(std::move(done));
}

/// Whoever gives a name up does not ask again: a name that is in the middle of a move leaves when
/// that has failed. A second unbind while the first is under way waits for the same answer.
Result<> OwnedNames::begin_unbind(OwnedName& owned) {
  const auto begun = context_.process.unbind(owned.channel);
  const bool leaves = !begun && begun.error() == Errc::busy;
  if (leaves || owned.under_way) owned.begin().leaves = leaves;
  if (!begun && !leaves && begun.error() != Errc::not_bound) return begun;
  context_.link.request_send(0);
  return {};
}

void OwnedNames::unbind_waiting() {
  std::erase_if(leaving_, [this](BindingId binding) {
    const auto owned = find(binding);
    if (owned && owned->leaves()) static_cast<void>(begin_unbind(*owned));
    return !owned || !owned->leaves();
  });
}

void OwnedNames::on_unbound(BindingId binding) {
  const auto owned = forget(binding);
  if (!owned) return;
  OwnedName::UnderWay ended = owned->end();
  context_.complete<Bound>(std::move(ended.bound),
                           Error{Errc::not_bound, "unbound before it was granted"});
  for (auto& done : ended.unbound) context_.complete<void>(std::move(done), {});
}

std::shared_ptr<OwnedName> OwnedNames::forget(BindingId binding) {
  const auto found = names_.find(binding);
  if (found == names_.end()) return nullptr;
  auto owned = std::move(found->second);
  names_.erase(found);
  by_name_.erase(*owned->name);
  if (owned->asked) by_name_.erase(owned->asked->name);
  if (owned->instance() != 0) {
    unsigned& run = own_run_[owned->asked->name];
    run = std::min(run, owned->instance() - 1);
    if (run == 0) own_run_.erase(owned->asked->name);
  }
  readers_.disowned(owned->channel, {Errc::not_bound, *owned->name});
  return owned;
}

void OwnedNames::end_all(const Error& reason) {
  by_name_.clear();
  own_run_.clear();
  for (const auto& [id, owned] : std::exchange(names_, {})) {
    const OwnedName::UnderWay ended = owned->end();
    context_.complete<Bound>(ended.bound, reason);
    context_.complete<void>(ended.moved, reason);
    for (const auto& done : ended.unbound) context_.complete<void>(done, {});
  }
}

// --- leaving -------------------------------------------------------------------------------------

/// A watch of the processes on the target's host tells which incarnation the target is.
void OwnedNames::move(const std::string& name, const std::string& target,
                      std::function<Bytes()> freeze, Done<> done) {
  const std::size_t dot = target.find('.');
  if (dot == std::string::npos || !check_node_name(target.substr(0, dot)) ||
      !check_node_name(target.substr(dot + 1))) {
    return context_.complete<void>(std::move(done),
                                   Error{Errc::bad_name, "'" + target + "': HOST.NODE"});
  }
  const std::string prefix = "process/" + target.substr(0, dot + 1);
  if (auto kept = watchers_.use(prefix); !kept) {
    return context_.complete<void>(std::move(done), kept.error());
  }
  watchers_.when_complete(prefix, [this, name, target, freeze = std::move(freeze),
                                   done = std::move(done)](const Result<>& ready) mutable {
    if (!ready) return context_.complete<void>(std::move(done), ready.error());
    begin_move(name, target, std::move(freeze), std::move(done));
  });
}

void OwnedNames::begin_move(const std::string& name, const std::string& target,
                            std::function<Bytes()> freeze, Done<> done) {
  if (context_.closed) return context_.complete<void>(std::move(done), Error{Errc::closed});
  const std::string process = "process/" + target;
  const RowSet* const rows = context_.process.rows(process.substr(0, process.find('.') + 1));
  if (!rows || !rows->rows().contains(process)) {
    return context_.complete<void>(std::move(done), Error{Errc::no_owner, "no process " + target});
  }
  const WatchRow& row = rows->rows().find(process)->second;
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) {
    return context_.complete<void>(std::move(done), Error{Errc::not_bound});
  }
  OwnedName& owned = *names_.at(found->second);
  if (owned.moves()) {
    return context_.complete<void>(std::move(done), Error{Errc::busy, name + " is moving"});
  }
  if (auto begun = context_.process.move(owned.channel, row.owner, row.lineage); !begun) {
    return context_.complete<void>(std::move(done), begun.error());
  }
  owned.begin().freeze = std::move(freeze);
  owned.begin().moved = std::move(done);
  context_.link.request_send(0);
}

Bytes OwnedNames::on_freeze(BindingId binding) {
  const auto owned = find(binding);
  if (!owned) return {};
  readers_.owned(owned->channel, Epoch{});
  const auto freeze = std::exchange(owned->begin().freeze, nullptr);
  Bytes state;
  if (freeze) {
    guarded(
        UnitKind::message, [&] { return "freeze of " + *owned->name; }, [&] { state = freeze(); });
  }
  return state;
}

void OwnedNames::on_moved(BindingId binding) {
  const auto owned = forget(binding);
  if (!owned) return;
  OwnedName::UnderWay ended = owned->end();
  context_.complete<void>(std::move(ended.moved), {});
  for (auto& done : ended.unbound) context_.complete<void>(std::move(done), {});
}

void OwnedNames::on_move_failed(BindingId binding, Epoch epoch, const Error& reason) {
  const auto owned = find(binding);
  if (!owned) return;
  readers_.owned(owned->channel, epoch);
  owned->begin().freeze = nullptr;
  unbind_waiting();  // it may be given up instead
  boost::asio::post(context_.loop, [this, weak = context_.self, channel = owned->channel, epoch,
                                    done = std::exchange(owned->begin().moved, nullptr), reason] {
    if (const auto held = weak.lock()) {
      context_.process.go_on(channel, epoch);  // which hands nothing over yet
      context_.link.request_send(0);
    }
    BusContext::run<void>(done, reason);
  });
  owned->settle();
}

// --- arriving ------------------------------------------------------------------------------------

void OwnedNames::on_arrival(std::string prefix, ArrivalHandlers handlers) {
  arrivals_.insert_or_assign(std::move(prefix), std::move(handlers));
}

/// Those of the longest prefix; null if there are none.
const ArrivalHandlers* OwnedNames::arrival_handlers(std::string_view name) const {
  const ArrivalHandlers* best = nullptr;
  std::size_t longest = 0;
  for (const auto& [prefix, handlers] : arrivals_) {
    if (!name.starts_with(prefix) || (best && prefix.size() < longest)) continue;
    best = &handlers;
    longest = prefix.size();
  }
  return best;
}

Result<> OwnedNames::on_arriving(const std::string& name, ByteView state) {
  const ArrivalHandlers* const handlers = arrival_handlers(name);
  if (context_.closing || !handlers || !handlers->arrived) {
    return Error{Errc::move_refused, context_.options.node + " takes in no " + name};
  }
  Result<> accepted;
  if (!handlers->accept) return accepted;
  const auto accept = handlers->accept;
  if (guarded(
          UnitKind::message, [&] { return "arrival of " + name; },
          [&] { accepted = accept(name, state); })) {
    return accepted;
  }
  return Error{Errc::move_refused, "the handler of arrivals threw"};
}

void OwnedNames::on_arrived(BindingId binding, const std::string& name, Epoch epoch, Bytes state) {
  auto owned = std::make_shared<OwnedName>();
  owned->name = std::make_shared<const std::string>(name);
  owned->channel = channel_id(name);
  names_.emplace(binding, owned);
  set_binding(*owned->name, binding);
  Arrival arrival{name, epoch, std::move(state)};
  const ArrivalHandlers* const handlers = arrival_handlers(name);
  if (!handlers || !handlers->arrived) return;
  guarded(
      UnitKind::message, [&] { return "arrival of " + name; },
      [&, arrived = handlers->arrived] { owned->handlers = arrived(arrival); });
}

}  // namespace starbus::bus
