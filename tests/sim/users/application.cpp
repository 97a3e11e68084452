#include "tests/sim/users/application.hpp"

#include "tests/sim/users/message_body.hpp"
#include "tests/sim/world.hpp"

namespace starbus::sim {

using bus::Errc;
using bus::Lane;

Application::Application(World& world, ProcessNode& node, std::uint64_t life)
    : world_(world),
      node_(node),
      mail_(world, node,
            [this](const bus::Process& to, bus::ByteView record) { send_mail_record(to, record); }),
      logs_(world, node,
            [this](const bus::Process& to, bus::ByteView record) { send_mail_record(to, record); }),
      life_(life),
      next_call_(life << 32) {}

std::string Application::where() const {
  return node_.name();
}

const Application::Copy* Application::copy_of(NameIndex name) const {
  const auto found = copies_.find(world_.name(name).id);
  return found == copies_.end() ? nullptr : &found->second;
}

Application::Copy* Application::copy_of_binding(bus::BindingId binding) {
  for (auto& [channel, copy] : copies_) {
    if (copy.binding == binding) return &copy;
  }
  return nullptr;
}

NameIndex Application::name_of_binding(bus::BindingId binding) const {
  return bindings_.at(binding);
}

bool Application::outboxes_empty() const {
  return std::ranges::all_of(copies_, [](const auto& item) { return item.second.outbox.empty(); });
}

// --- names ---------------------------------------------------------------------------------------

void Application::bind(NameIndex name) {
  const auto binding = node_.core().bind(world_.name(name).text);
  if (!binding) return;
  bindings_[*binding] = name;
  binding_.insert(name);
  node_.pump();
}

void Application::unbind(NameIndex name) {
  if (!node_.core().unbind(world_.name(name).id)) return;
  ++world_.counts[Event::unbinds];
  binding_.erase(name);
  owned_.erase(name);
  mail_.disowned(world_.name(name).text);
  unbinding_.insert(name);
  copies_.erase(world_.name(name).id);
  node_.pump();
}

void Application::on_welcome(bool first) {
  note_outbox_progress();
  if (first && !world_.boxes().empty()) (void)node_.core().watch(std::string(bus::kStores));
  if (first) logs_.begin();
  if (first) node_.on_first_welcome();
}

void Application::on_bound(bus::BindingId binding, bus::Epoch epoch) {
  note_outbox_progress();
  if (binding == node_.core().process_binding()) return;
  const NameIndex name = name_of_binding(binding);
  const World::Name& what = world_.name(name);
  world_.note(where(), "owns " + what.text + " at " + epoch.to_string());
  ++world_.counts[Event::binds];
  binding_.erase(name);
  owned_.insert(name);
  note_stay(name);
  if (world_.is_mailbox(what.text)) mail_.owned(what.text, epoch);
  if (what.kind != World::NameKind::mover) return;
  Copy& copy = copies_[what.id];
  copy = {.name = name, .binding = binding, .life = node_.core().owner().lineage(what.id).value};
  world_.oracle.begin_life(name, copy.life, copy.state);
}

void Application::on_bind_refused(bus::BindingId binding, const bus::Error& reason) {
  note_outbox_progress();
  if (binding == node_.core().process_binding()) {
    throw Violation(where() + " may not have its own process channel: " + reason.to_string());
  }
  const NameIndex name = name_of_binding(binding);
  world_.note(where(), "does not get " + world_.name(name).text + ": " + reason.to_string());
  ++world_.counts[Event::binds_refused];
  binding_.erase(name);
  bindings_.erase(binding);
  if (world_.name(name).kind == World::NameKind::fixed) node_.bind_later(name);
}

void Application::on_unbound(bus::BindingId binding) {
  note_outbox_progress();
  const NameIndex name = name_of_binding(binding);
  bindings_.erase(binding);
  unbinding_.erase(name);
  world_.note(where(), "gave up " + world_.name(name).text);
}

void Application::on_lease_lost() {
  world_.note(where(), "lost its lease");
  if (!world_.leases_may_end) throw Violation(where() + " lost its lease");
  ++world_.counts[Event::leases_lost];
  world_.oracle.disturbed();
  owned_.clear();
  mail_.disowned_all();
  logs_.lease_lost();
  binding_.clear();
  unbinding_.clear();
  bindings_.clear();
  copies_.clear();
  life_ = world_.new_life();
  node_.bind_later(node_.entity());
}

void Application::watch(const std::string& prefix) {
  (void)node_.core().watch(prefix);
  node_.pump();
}

void Application::on_watch_refused(const std::string& prefix, const bus::Error& reason) {
  throw Violation("watch of '" + prefix + "' refused: " + reason.to_string());
}

// --- sending -------------------------------------------------------------------------------------

bus::Destination Application::destination(NameIndex to, bool hint) const {
  const World::Name& name = world_.name(to);
  bus::Destination destination{name.id};
  const bus::RowSet* rows = hint ? node_.core().rows("") : nullptr;
  if (rows != nullptr) {
    const auto row = rows->rows().find(name.text);
    if (row != rows->rows().end()) destination.hint = row->second.lineage;
  }
  return destination;
}

std::vector<MessageId> Application::issue(const Oracle::Sender& sender,
                                          const std::vector<NameIndex>& to, Lane lane) {
  std::vector<MessageId> ids;
  for (const NameIndex name : to) ids.push_back(world_.oracle.issue(sender, name, lane));
  world_.counts[Event::messages] += to.size();
  if (to.size() > 1) ++world_.counts[Event::multicasts];
  return ids;
}

void Application::note_stay(NameIndex name) {
  stays_[name] = {world_.new_stay(), world_.now()};
}

/// The stays of the owners that what is sent now must reach, 0 for none: they have been there for a
/// while, and nothing is under way on that stream that may be for an earlier one.
std::vector<std::uint64_t> Application::present_owners(const std::vector<NameIndex>& to,
                                                       Lane lane) {
  std::vector<std::uint64_t> stays;
  for (const NameIndex name : to) {
    std::uint64_t& expected = expected_[{name, lane}];
    const std::uint64_t present = world_.settled_stay(name);
    const bool idle = !node_.core().origin().unacknowledged(world_.name(name).id, lane);
    if (idle || expected != present) expected = idle ? present : 0;
    stays.push_back(expected);
  }
  return stays;
}

void Application::expect_owners(const std::vector<MessageId>& ids,
                                const std::vector<std::uint64_t>& stays) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    world_.oracle.expect_owner(ids[i], stays[i]);
    if (stays[i] != 0) ++world_.counts[Event::to_settled];
  }
}

void Application::retract(const std::vector<MessageId>& ids) {
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) world_.oracle.retract(*id);
  world_.counts[Event::messages] -= ids.size();
  if (ids.size() > 1) --world_.counts[Event::multicasts];
  ++world_.counts[Event::would_block];
}

bool Application::send(NameIndex from, const std::vector<NameIndex>& to, Lane lane,
                       const SendOptions& options) {
  if (!node_.core().may_send("entity/any")) return false;  // never welcomed
  note_outbox_progress();
  bool sent = false;
  if (world_.name(from).kind != World::NameKind::mover) {
    sent = send_as_process({from, life_}, to, lane, options);
  } else if (const auto found = copies_.find(world_.name(from).id);
             found != copies_.end() && !found->second.frozen) {
    sent = send_as_entity(found->second, to, lane, options);
  }
  known_ = node_.core().origin().mark();
  hinted_ |= options.hint;
  if (sent) node_.pump_soon();
  return sent;
}

bool Application::send_as_process(const Oracle::Sender& sender, const std::vector<NameIndex>& to,
                                  Lane lane, const SendOptions& options) {
  const std::vector<MessageId> ids = issue(sender, to, lane);
  const std::vector<std::uint64_t> owners = present_owners(to, lane);
  const bus::Bytes body = encode_body({BodyKind::message, ids[0], 0, {}}, options.padding);
  bus::Origin& origin = node_.core().origin();
  bool sent = false;
  if (to.size() == 1) {
    sent = origin.send(destination(to[0], options.hint), lane, {}, body, ids[0], options.expires)
               .has_value();
  } else {
    std::vector<bus::Origin::Recipient> recipients;
    for (std::size_t i = 0; i < to.size(); ++i) {
      recipients.push_back({destination(to[i], options.hint), ids[i]});
    }
    sent = origin.multicast(recipients, lane, {}, body, options.expires).has_value();
  }
  if (!sent) {
    retract(ids);
    return false;
  }
  expect_owners(ids, owners);
  return true;
}

/// In the entity's own order, through its outbox if need be.
bool Application::send_as_entity(Copy& copy, const std::vector<NameIndex>& to, Lane lane,
                                 const SendOptions& options) {
  const bus::ChannelId from = world_.name(copy.name).id;
  const std::vector<MessageId> ids = issue({copy.name, copy.life}, to, lane);
  const std::vector<std::uint64_t> owners = present_owners(to, lane);
  const bus::Bytes body = encode_body({BodyKind::message, ids[0], 0, {}}, options.padding);
  bus::ProcessCore& core = node_.core();
  const auto index = static_cast<std::size_t>(lane);
  const std::uint64_t first = core.origin().mark()[index];
  bool sent = false;
  if (to.size() == 1) {
    sent = core.send_from(from, destination(to[0], options.hint), lane, {}, body, {}).has_value();
  } else {
    std::vector<bus::Origin::Recipient> recipients;
    for (const NameIndex name : to) recipients.push_back({destination(name, options.hint)});
    sent = core.multicast_from(from, recipients, lane, {}, body, {}).has_value();
  }
  if (!sent) {
    retract(ids);
    return false;
  }
  const bool waits = core.origin().mark()[index] == first;
  if (!waits) expect_owners(ids, owners);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (waits) {
      copy.outbox.emplace_back(lane, ids[i]);
    } else {
      drawn_[{lane, first + i}] = ids[i];
    }
  }
  return true;
}

/// A core empties outboxes by itself, in the order of their channels, and draws sequences for what
/// it sends: whatever was drawn since the last look came from there.
void Application::note_outbox_progress() {
  const bus::Origin::Mark mark = node_.core().origin().mark();
  if (mark == known_) return;
  if (system_seq_ == known_[static_cast<std::size_t>(Lane::bulk)]) {
    if (mark[static_cast<std::size_t>(Lane::bulk)] > system_seq_) {
      ++known_[static_cast<std::size_t>(Lane::bulk)];
    }
  }
  for (auto& [channel, copy] : copies_) {
    while (!copy.moving && !copy.outbox.empty()) {
      const auto [lane, id] = copy.outbox.front();
      const auto index = static_cast<std::size_t>(lane);
      if (known_[index] == mark[index]) break;
      drawn_[{lane, known_[index]++}] = id;
      copy.outbox.pop_front();
    }
  }
  known_ = mark;
}

// --- what comes ----------------------------------------------------------------------------------

void Application::on_delivery(bus::BindingId, const bus::Delivery& delivery) {
  note_outbox_progress();
  if (when_foreign) return when_foreign(delivery);
  const auto name = world_.find_name(delivery.channel);
  const auto body = decode_body(delivery.body);
  if (!name || !body) throw Violation(where() + " was handed bytes that nobody sent");
  MessageId id = body->message;  // of an announcement: its first recipient's
  while (world_.oracle.receiver_of(id) != *name) ++id;
  handle(*name, id);
  if (body->kind == BodyKind::request) {
    answer(delivery.origin, delivery.lane, body->lineage, body->call);
  } else if (body->kind == BodyKind::reply) {
    const auto call = calls_.find(body->call);
    if (call == calls_.end()) return;  // its deadline has passed
    if (!world_.oracle.was_handled(call->second.request)) {
      throw Violation(world_.oracle.describe(call->second.request) + ": answered, not handled");
    }
    ++world_.counts[Event::replies];
    calls_.erase(call);
  }
}

void Application::handle(NameIndex name, MessageId id) {
  ++world_.counts[Event::handled];
  world_.note(where(), [&] { return "handles " + world_.oracle.describe(id); });
  world_.oracle.handled(id);
  const auto found = copies_.find(world_.name(name).id);
  if (found != copies_.end()) {
    Copy& copy = found->second;
    if (copy.frozen) throw Violation(world_.name(name).text + " handles while it is frozen");
    copy.state.take(id);
    world_.oracle.life_handled(name, copy.life, id);
    world_.oracle.check_state(name, copy.life, copy.state, where());
  }
  if (when_handled) when_handled(name, id);
  if (react > 0) world_.react(*this, node_, name);
}

void Application::on_acknowledged(bus::Token token) {
  note_outbox_progress();
  world_.oracle.acknowledged(token);
}

void Application::on_failed(bus::Token token, const bus::ChannelId&, Lane lane, std::uint64_t seq,
                            Errc reason, bool sent) {
  note_outbox_progress();
  if (token >= MailOracle::kToken) {
    world_.note(where(), [&] { return "post failed: " + std::string(bus::name_of(reason)); });
    return world_.mail.failed(token - MailOracle::kToken, reason, sent, world_.leases_may_end);
  }
  if (token != 0) {
    for (const auto& [number, call] : calls_) {
      if (call.request != token) continue;
      end_call(number);
      break;
    }
    return fail(token, reason, sent);
  }
  if (seq == 0) return;  // of a whole outbox: see on_move_failed
  const auto drawn = drawn_.find({lane, seq});
  if (drawn == drawn_.end()) {
    throw Violation(where() + ": failure of a message that no entity sent");
  }
  fail(drawn->second, reason, sent);
}

void Application::fail(MessageId id, Errc reason, bool sent) {
  world_.note(where(), [&] {
    return "failed " + std::string(bus::name_of(reason)) +
           (sent ? " (sent): " : " (never left): ") + world_.oracle.describe(id);
  });
  if (reason == Errc::lease_lost && world_.leases_may_end) world_.oracle.disturbed();
  if (reason == Errc::no_owner) ++world_.counts[Event::no_owner];
  if (reason == Errc::owner_lost) ++world_.counts[Event::owner_lost];
  if (reason == Errc::expired) ++world_.counts[Event::expired];
  if (when_failed) when_failed(id, reason, sent);
  const World::Name& receiver = world_.name(world_.oracle.receiver_of(id));
  world_.oracle.failed(id, reason, sent, receiver.kind == World::NameKind::free,
                       world_.settled_stay(world_.oracle.receiver_of(id)));
}

}  // namespace starbus::sim
