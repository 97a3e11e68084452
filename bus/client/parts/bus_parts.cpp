#include "bus/client/parts/bus_parts.hpp"

#include <cstdlib>
#include <utility>

#include "bus/client/bus_core.hpp"
#include "bus/io/draws.hpp"

namespace starbus::bus {
namespace {

Options completed(Options options) {
  if (!options.endpoint.empty()) return options;
  const char* from_environment = std::getenv("STARBUS_BUSD");  // NOLINT: read at start-up
  options.endpoint = from_environment ? from_environment : kDefaultEndpoint;
  return options;
}

ProcessConfig process_config(const Options& options) {
  return {options.node, options.role, io::draw_incarnation(), std::string("starbus ") + kVersion,
          options.protocol_minor};
}

}  // namespace

BusParts::BusParts(boost::asio::io_context& loop, Options given)
    : process(process_config(given), *this, io::boot_now()),
      link(loop, process, completed(given).endpoint, link_hooks()),
      context{
          .loop = loop, .options = completed(std::move(given)), .process = process, .link = link},
      watchers(context),
      sender(context),
      multicasts(context, sender),
      calls(context, sender),
      replies(process.origin()),
      shared(context, watchers, sender, calls),
      groups(context, watchers, sender, multicasts),
      rooms(context, watchers, shared, groups),
      readers(reader_access()),
      posts(context, watchers, sender),
      opener(context, readers),
      names(context, watchers, readers),
      waiters(context, watchers, replies),
      dispatch(context) {
  watchers.after_release = [this](const std::string& prefix) {
    waiters.on_release();
    rooms.on_set(prefix);
  };
  watchers.on_given_up = [this](const std::string& prefix) {
    groups.on_given_up(prefix);
    shared.on_given_up(prefix);
  };
}

ProcessLink::Hooks BusParts::link_hooks() {
  ProcessLink::Hooks hooks;
  hooks.hold = [this] { return context.self.lock(); };
  hooks.lost = [this](const Error& reason, bool greeted) {
    const auto callback = context.on_link;  // which may end the bus, here and below
    if (!greeted || !callback) return;
    guarded(UnitKind::message, "on_link", [&] { callback(LinkState::disconnected, reason); });
  };
  hooks.refused = [this](const Error& reason) { shut(reason); };
  hooks.tick = [this] {
    shared.prune();
    watchers.tick(io::boot_now());
    readers.tick();
    names.unbind_waiting();
  };
  hooks.before_send = [] {};
  hooks.after_turn = [this] { waiters.check_flushes(); };
  return hooks;
}

MailReaders::Access BusParts::reader_access() {
  return {.process = process,
          .request_send = [this](std::size_t bytes) { link.request_send(bytes); },
          .later =
              [this](std::function<void()> action) {
                boost::asio::post(context.loop, std::move(action));
              },
          .watch_stores = [this] { return watchers.keep(std::string(kStores)); }};
}

void BusParts::shut(const Error& reason) {
  if (context.closed) return;
  forget_replies(reason);
  if (context.closed) return;  // by a callback
  process.leave();             // fails what is unacknowledged, which may still be reported
  if (context.closed) return;
  context.closed = true;
  link.stop();
  calls.stop_timer();
  waiters.shut(reason);
  rooms.shut(reason);
  sender.shut(reason);
  handed->shut(reason);
  posts.shut(reason);
  readers.shut(reason);
  names.end_all(reason);
  calls.end_all(reason);
  watchers.shut();
  context.warnings.on_warning(nullptr);
  context.on_undelivered = nullptr;
  context.on_link = nullptr;
  context.on_lease_lost = nullptr;
  if (auto ended = std::exchange(context.on_ended, nullptr); ended && reason != Errc::closed) {
    boost::asio::post(context.loop, [ended = std::move(ended), reason] {
      guarded(UnitKind::message, "on_ended", [&] { ended(reason); });
    });
  }
  names.forget_arrival_handlers();
}

// --- events of the process -----------------------------------------------------------------------

void BusParts::on_welcome(bool) {
  ++connects_;
  const auto callback = context.on_link;
  if (!callback) return;
  guarded(UnitKind::message, "on_link", [&] { callback(LinkState::connected, {}); });
}

void BusParts::on_bound(BindingId binding, Epoch epoch) {
  if (binding == process.process_binding()) return waiters.on_connected();
  names.on_bound(binding, epoch);
}

void BusParts::on_bind_refused(BindingId binding, const Error& reason) {
  if (binding == process.process_binding()) return shut({Errc::name_taken, reason.detail});
  names.on_bind_refused(binding, reason);
}

void BusParts::on_delivery(BindingId binding, const Delivery& delivery) {
  if (context.closed) return;
  if (binding == process.process_binding()) return calls.on_reply(delivery);
  if (const auto owned = names.find(binding)) dispatch.deliver(*owned, delivery);
}

void BusParts::on_watch(const std::string& prefix, const std::vector<WatchRow>& changes,
                        bool complete) {
  groups.on_update(prefix);
  shared.on_update(prefix);
  if (prefix == kStores) readers.stores_changed(changes);
  watchers.on_update(prefix, changes, complete);
  rooms.on_set(prefix);
}

void BusParts::on_watch_refused(const std::string& prefix, const Error& reason) {
  groups.on_given_up(prefix);
  shared.on_given_up(prefix);
  watchers.on_refused(prefix, reason);
  rooms.on_set(prefix);
}

void BusParts::on_acknowledged(Token token) {
  if (token & kCallToken) return;  // a call ends with its reply
  sender.on_acknowledged(token);
}

void BusParts::on_failed(Token token, const ChannelId& channel, Lane lane, std::uint64_t,
                         Errc reason, bool sent) {
  std::string name = context.names.text_of(channel);
  Error error{reason, name};
  if (reason == Errc::expired && !sent) error.detail += " (it never left)";
  if (token & kCallToken) return calls.end(token & ~kCallToken, error);
  if (posts.end(token, error) || sender.on_failed(token, error)) return;
  context.undelivered({channel, std::move(name), lane, std::move(error)});
}

void BusParts::on_room() {
  if (replies.kept() != 0) {
    const std::size_t bytes = replies.on_room();
    if (bytes != 0) link.request_send(bytes);
    waiters.on_release();
  }
  rooms.on_room();
}

Result<> BusParts::reply(const Destination& to, Lane lane, const Envelope& envelope,
                         ByteView body) {
  const auto fate = replies.send(to, lane, envelope, body);
  if (!fate) return fate.error();
  if (*fate == ReplyQueue::Fate::sent) link.request_send(body.size());
  if (*fate == ReplyQueue::Fate::sent || *fate == ReplyQueue::Fate::kept) return {};
  const bool replaced = *fate == ReplyQueue::Fate::replaced;
  ++(replaced ? replies_failed_ : replies_dropped_);
  context.warnings.add(Warnings::Kind::reply_without_room, io::boot_now(), [&] {
    std::string name = context.names.text_of(to.channel);
    if (name.empty()) name = "process " + to.channel.to_string();
    return "replies to " + name + " find no room: it does not take them; " +
           (replaced ? "they end as handler_failed" : "its calls end at their deadlines");
  });
  return {};
}

void BusParts::forget_replies(const Error& reason) {
  for (const ReplyQueue::Forgotten& forgotten : replies.clear()) {
    replies_dropped_ += forgotten.replies;
    for (std::size_t i = 0; i < forgotten.replies; ++i) {
      context.undelivered(
          {forgotten.channel, context.names.text_of(forgotten.channel), forgotten.lane, reason});
    }
  }
}

void BusParts::on_lease_lost() {
  const Error reason{Errc::lease_lost, "cut off from busroot for the length of the lease"};
  forget_replies(reason);
  readers.lease_lost(reason);
  names.end_all(reason);
  calls.end_all(reason);
  watchers.lease_lost(reason);
  const auto callback = context.on_lease_lost;
  if (callback) guarded(UnitKind::message, "on_lease_lost", callback);
}

BusCounters BusParts::counters() const {
  const OriginCounters& out = process.origin().counters();
  const OwnerCounters& in = process.owner().counters();
  BusCounters all;
  all.sent = out.sent;
  all.acknowledged = out.acknowledged;
  all.failed = out.failed;
  all.expired = out.expired;
  all.undelivered = process.undelivered();
  all.transmitted = out.transmitted;
  all.resends = out.resends;
  all.probes = out.probes;
  all.chokes = out.chokes;
  all.handled = in.handled;
  all.duplicates = in.duplicates;
  all.gaps = in.gaps;
  all.calls = calls.started();
  all.calls_timed_out = calls.timed_out();
  all.replies_late = calls.late_replies();
  all.replies_unknown = calls.unknown_replies();
  all.replies_kept = replies.kept();
  all.replies_failed = replies_failed_;
  all.replies_dropped = replies_dropped_;
  all.connects = connects_;
  all.unacknowledged_bytes = process.origin().unacknowledged_bytes();
  if (const Session* session = process.session()) {
    all.bytes_in = session->counters().bytes_in;
    all.bytes_out = session->counters().bytes_out;
  }
  return all;
}

}  // namespace starbus::bus
