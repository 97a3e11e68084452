#include "bus/core/ends/process_core.hpp"

#include <algorithm>
#include <cassert>

#include "bus/core/wire/record_readers.hpp"

namespace starbus::bus {
namespace {

constexpr std::size_t kRowsPerTable = 256;          // small enough to interleave with other records
constexpr std::size_t kWithdrawRoom = 1024 * 1024;  // of the control queue: a 64th of it

}  // namespace

ProcessCore::ProcessCore(ProcessConfig config, ProcessEvents& events, Time now)
    : state_{.config = std::move(config), .now = now},
      events_(events),
      origin_(*this),
      owner_(
          [this](BindingId id, const Delivery& delivery) {
            if (delivery.system) {
              on_system_message(delivery);
            } else {
              events_.on_delivery(id, delivery);
            }
          },
          [this](ByteView record) { control_.add_encoded(record); }),
      durable_(events, [this](ByteView record) { control_.add_encoded(record); }),
      requests_(state_, bindings_, control_),
      binder_({state_, bindings_, requests_, control_, owner_, durable_, events}),
      sender_(state_, bindings_, origin_, events),
      source_({state_, bindings_, requests_, control_, sender_, origin_, owner_, events}),
      target_({state_, bindings_, requests_, origin_, owner_, events}),
      watches_(state_, control_, owner_, events),
      vitals_(state_, bindings_, origin_, control_),
      undelivered_(state_, control_) {
  set_now(now);
}

void ProcessCore::set_now(Time now) {
  thread_.check();
  state_.now = std::max(state_.now, now);
  origin_.set_now(state_.now);
  owner_.set_now(state_.now);
}

// --- session -------------------------------------------------------------------------------------

void ProcessCore::connected(std::uint64_t session_id, Time now) {
  assert(session_id != 0);
  set_now(now);
  if (lease_.has_ended(state_.now)) lose_lease();
  link_lost();
  session_began_ = state_.now;
  session_.emplace(session_id, state_.now);
  control_.open();
  Hello hello;
  hello.minor = state_.config.minor;
  hello.party = PartyKind::process;
  hello.name = state_.config.node;
  hello.role = state_.config.role;
  hello.incarnation = state_.config.incarnation;
  hello.software = state_.config.software;
  hello.attempt = ++attempts_;
  session_->say(hello);
  send_table();
}

void ProcessCore::send_table() {
  Table table;
  table.process = state_.self;
  for (const auto& [id, binding] : bindings_.all()) {
    // One that is being given up is among them: busroot does not free it while a copy of an earlier
    // move could come back, and a copy that finds no owner would.
    const bool leaves = binding->phase == Binding::Phase::unbinding && binding->epoch;
    RowState state = RowState::active;
    if (binding->phase == Binding::Phase::frozen) {
      state = RowState::frozen;
    } else if (binding->phase == Binding::Phase::attaching) {
      state = RowState::attaching;
    } else if (binding->phase != Binding::Phase::active && !leaves) {
      continue;
    }
    table.rows.push_back({binding->name.text(), binding->epoch, binding->lineage, state,
                          requests_.ticket_of(*binding)});
    if (table.rows.size() == kRowsPerTable) {
      control_.add(table);
      table.rows.clear();
    }
  }
  if (!table.rows.empty()) control_.add(table);
  control_.add(TableEnd{});
}

void ProcessCore::link_lost() {
  thread_.check();
  session_.reset();
  state_.greeted = false;
  vitals_.reset();
  control_.reset();
}

Result<> ProcessCore::on_bundle(ByteView bundle, Time now) {
  set_now(now);
  if (!session_) return Error{Errc::closed};
  // Before any record is handled: after a pause of this process the lease may have ended.
  if (lease_.has_ended(state_.now)) {
    lose_lease();
    return Error{Errc::lease_lost, "cut off from busroot for the length of the lease"};
  }
  auto result = session_->receive(bundle, state_.now, *this);
  if (session_) lease_.renew(session_->lease_base());
  advance_moves();
  return result;
}

void ProcessCore::tick(Time now) {
  set_now(now);
  if (lease_.has_ended(state_.now)) lose_lease();
  origin_.tick(state_.now);
  owner_.sweep();
  advance_moves();
  if (control_.overflowed()) link_lost();
  if (!session_) return;
  session_->tick(state_.now);
  if (!state_.greeted) return;
  requests_.repeat();
  vitals_.tick();
  undelivered_.tick();
}

void ProcessCore::send_bundles(const Session::TakeBuffer& take_buffer,
                               const Session::SendBundle& send_bundle) {
  thread_.check();
  owner_.flush_acks();
  durable_.flush();
  // Bye follows the acknowledgements: handled messages must not end as owner_lost.
  if (std::exchange(bye_due_, false)) control_.add(Bye{});
  if (session_) session_->send_bundles(*this, take_buffer, send_bundle);
}

bool ProcessCore::ready(Lane lane) const {
  if (lane == Lane::control) return !control_.empty();
  return state_.greeted && origin_.ready(lane);
}

FillResult ProcessCore::fill_bundle(Lane lane, std::size_t budget, Bytes& out) {
  return lane == Lane::control ? control_.fill_bundle(budget, out)
                               : origin_.fill_bundle(lane, budget, out);
}

void ProcessCore::leave() {
  thread_.check();
  if (std::exchange(state_.left, true)) return;
  lease_.end();
  bye_due_ = session_.has_value();
  end_bindings(Errc::closed);
  origin_.fail_all();
}

// --- the lease -----------------------------------------------------------------------------------

/// Another process may own these names by now, and peers may have heard that this one is dead.
void ProcessCore::lose_lease() {
  lease_.end();
  link_lost();
  ++state_.config.incarnation;
  state_.self = {};
  binder_.clear();
  source_.clear();
  requests_.clear();
  end_bindings(Errc::lease_lost);
  origin_.fail_all(Errc::lease_lost);
  events_.on_lease_lost();
}

/// Ends every binding, without an event of its own, and fails the messages in their outboxes.
void ProcessCore::end_bindings(Errc reason) {
  for (const auto& [channel, binding] : bindings_.all()) binder_.deactivate(channel);
  for (const auto& binding : bindings_.take_all()) {
    const bool frozen = binding->phase == Binding::Phase::frozen;
    sender_.fail_outbox(*binding, frozen ? Errc::owner_lost : reason, frozen);
  }
}

// --- names, moves, watches -----------------------------------------------------------------------

Result<BindingId> ProcessCore::bind(std::string_view name) {
  thread_.check();
  return binder_.bind(name, false, {});
}

Result<BindingId> ProcessCore::bind_durable(std::string_view name, Lineage lineage) {
  thread_.check();
  return binder_.bind(name, true, lineage);
}

void ProcessCore::accept_durable(const ChannelId& channel, std::span<const FilterRow> filter) {
  thread_.check();
  binder_.accept_durable(channel, filter);
}

Result<> ProcessCore::unbind(const ChannelId& channel) {
  thread_.check();
  return binder_.unbind(channel);
}

std::string_view ProcessCore::bound_name(const ChannelId& channel) const {
  const Binding* const binding = bindings_.find(channel);
  return binding ? std::string_view(binding->name.text()) : std::string_view();
}

Epoch ProcessCore::epoch(const ChannelId& channel) const {
  const Binding* const binding = bindings_.find(channel);
  return binding ? binding->epoch : Epoch{};
}

Result<> ProcessCore::move(const ChannelId& channel, const Process& target, Lineage hint) {
  thread_.check();
  return source_.begin(channel, target, hint);
}

bool ProcessCore::moving(const ChannelId& channel) const {
  const Binding* const binding = bindings_.find(channel);
  return binding && (binding->move || binding->paused);
}

void ProcessCore::go_on(const ChannelId& channel, Epoch epoch) {
  thread_.check();
  source_.go_on(channel, epoch);
}

std::size_t ProcessCore::outbox_size(const ChannelId& channel) const {
  const Binding* const binding = bindings_.find(channel);
  return binding && binding->outbox ? binding->outbox->size() : 0;
}

void ProcessCore::advance_moves() {
  source_.advance();
  sender_.flush();
}

Result<> ProcessCore::watch(const std::string& prefix) {
  thread_.check();
  return watches_.begin(prefix);
}

void ProcessCore::unwatch(const std::string& prefix) {
  thread_.check();
  watches_.end(prefix);
}

// --- messages ------------------------------------------------------------------------------------

Result<> ProcessCore::send_from(const ChannelId& from, const Destination& to, Lane lane,
                                ByteView head, ByteView body, Time expires) {
  thread_.check();
  return sender_.send(from, to, lane, head, body, expires);
}

Result<> ProcessCore::multicast_from(const ChannelId& from, std::span<const Recipient> recipients,
                                     Lane lane, ByteView head, ByteView body, Time expires,
                                     FullReceivers* full) {
  thread_.check();
  return sender_.multicast(from, recipients, lane, head, body, expires, full);
}

Result<> ProcessCore::may_send(std::string_view name) const {
  if (!state_.rights.known) {
    return Error{Errc::unreachable,
                 "no session with busd yet: await connect(), or in a node its on_state(ready)"};
  }
  if (!state_.rights.may_send(name)) {
    return Error{Errc::denied,
                 "the role of this process in busd.toml may not send to " + std::string(name)};
  }
  return {};
}

void ProcessCore::send_mail_record(const Process& to, Lineage hint, ByteView record) {
  thread_.check();
  // A store keeps no message above kMaxPostBody, so nothing is too large. If a record is, its
  // reader waits for ever, which is better than to end a daemon.
  (void)send_system(origin_, to, hint, kMailLane, record, kMailToken);
}

void ProcessCore::on_acknowledged(Token token) {
  if (token < kSystemToken) return events_.on_acknowledged(token);
  source_.on_state_acknowledged(token);
}

void ProcessCore::on_failed(Token token, const ChannelId& channel, Lane lane, std::uint64_t seq,
                            Errc reason, bool sent) {
  if (reason == Errc::expired && sent) tell_withdrawn(channel, lane, seq);
  if (token < kSystemToken) return events_.on_failed(token, channel, lane, seq, reason, sent);
  if (token == kMailToken) return events_.on_mail_lost(channel);
  source_.on_state_failed(token);
}

void ProcessCore::withdraw(const ChannelId& channel, Lane lane, std::uint64_t seq) {
  if (origin_.withdraw(channel, lane, seq)) tell_withdrawn(channel, lane, seq);
}

/// A hint, which must not fill the lane of what may not be lost.
void ProcessCore::tell_withdrawn(const ChannelId& channel, Lane lane, std::uint64_t seq) {
  if (!state_.greeted || state_.minor < kWithdrawMinor) return;
  if (control_.bytes() < kWithdrawRoom) control_.add(Withdraw{lane, state_.self, channel, seq});
}

void ProcessCore::on_posted(Token token, Errc status, std::uint64_t number) {
  events_.on_posted(token, status, number);
}

void ProcessCore::on_room() {
  sender_.flush();
  events_.on_room();
}

}  // namespace starbus::bus
