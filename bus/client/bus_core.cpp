#include "bus/client/bus_core.hpp"

#include <stdexcept>

#include "bus/client/parts/bus_parts.hpp"
#include "bus/client/watch_handle.hpp"

namespace starbus::bus {

std::shared_ptr<BusCore> BusCore::make(boost::asio::io_context& loop, Options options) {
  if (auto checked = check_node_name(options.node); !checked) {
    throw std::invalid_argument("Options::node: " + checked.error().to_string());
  }
  std::shared_ptr<BusCore> core(new BusCore(std::make_unique<BusParts>(loop, std::move(options))));
  core->parts_->context.self = core;
  core->parts_->handed = std::make_shared<HandedSends>(loop, core);
  return core;
}

BusCore::BusCore(std::unique_ptr<BusParts> parts) : parts_(std::move(parts)) {}
BusCore::~BusCore() = default;

// --- the link ------------------------------------------------------------------------------------

void BusCore::connect(Done<> done) {
  parts_->thread.check();
  BusContext& context = parts_->context;
  if (context.closed) return context.complete<void>(std::move(done), Error{Errc::closed});
  if (parts_->process.reply_lineage()) return context.complete<void>(std::move(done), {});
  parts_->waiters.connect(std::move(done));
  parts_->link.start();
}

void BusCore::flush(std::chrono::milliseconds deadline, Done<> done) {
  parts_->thread.check();
  BusContext& context = parts_->context;
  if (context.closed) return context.complete<void>(std::move(done), Error{Errc::closed});
  parts_->waiters.flush(deadline, std::move(done));
}

void BusCore::room(const std::string& to, const SendOptions& options, Done<> done) {
  parts_->thread.check();
  BusContext& context = parts_->context;
  if (context.closed) return context.complete<void>(std::move(done), Error{Errc::closed});
  const auto name = context.names.name_of(to);
  if (!name) return context.complete<void>(std::move(done), name.error());
  parts_->rooms.wait(*name, options, std::move(done));
}

void BusCore::close(std::chrono::milliseconds deadline, Done<> done) {
  parts_->thread.check();
  BusContext& context = parts_->context;
  if (context.ends()) return context.complete<void>(std::move(done), Error{Errc::closed});
  context.closing = true;
  const auto leave = [self = shared_from_this(), done = std::move(done)](Result<> flushed) {
    self->parts_->process.leave();
    self->parts_->link.send_now();
    self->shut({Errc::closed, "closed by its owner"});
    self->parts_->context.complete<void>(done, std::move(flushed));
  };
  flush(deadline, leave);
}

void BusCore::shut(const Error& reason) {
  parts_->thread.check();
  parts_->shut(reason);
}

// --- names ---------------------------------------------------------------------------------------

void BusCore::bind(std::string name, Handlers handlers, Done<Bound> done) {
  parts_->thread.check();
  BusContext& context = parts_->context;
  const auto refuse = [&](Error reason) {
    context.complete<Bound>(std::move(done), std::move(reason));
  };
  if (context.ends()) return refuse({Errc::closed});
  if (auto checked = check_channel_name(name); !checked) return refuse(checked.error());
  if (is_own_name(name)) {
    return refuse({Errc::denied, "process/ and server/ names belong to the bus"});
  }
  parts_->link.start_clock();
  if (!is_group_name(name)) {
    return parts_->names.bind(std::move(name), std::move(handlers), std::move(done));
  }
  // The member's name contains the host's, which busd tells.
  const Done<> when_connected = [this, name, handlers = std::move(handlers),
                                 done = std::move(done)](Result<> connected) mutable {
    if (!connected) {
      return parts_->context.complete<Bound>(std::move(done), connected.error());
    }
    parts_->names.bind_member(name, std::move(handlers), std::move(done));
  };
  connect(when_connected);
}

void BusCore::unbind(const std::string& name, Done<> done) {
  parts_->thread.check();
  BusContext& context = parts_->context;
  if (context.closed) return context.complete<void>(std::move(done), Error{Errc::closed});
  parts_->names.unbind(name, std::move(done));
}

void BusCore::move(const std::string& name, const std::string& target,
                   std::function<Bytes()> freeze, Done<> done) {
  parts_->thread.check();
  BusContext& context = parts_->context;
  if (context.ends()) return context.complete<void>(std::move(done), Error{Errc::closed});
  parts_->names.move(name, target, std::move(freeze), std::move(done));
}

void BusCore::on_arrival(std::string prefix, ArrivalHandlers handlers) {
  parts_->thread.check();
  parts_->names.on_arrival(std::move(prefix), std::move(handlers));
}

Epoch BusCore::epoch(std::string_view name) const {
  return parts_->process.epoch(channel_id(name));
}

// --- messages ------------------------------------------------------------------------------------

Result<> BusCore::send(std::string_view to, ByteView body, const SendOptions& options,
                       Done<> done) {
  parts_->thread.check();
  const auto name = parts_->context.names.name_of(to);
  if (!name) return name.error();
  return send(*name, body, options, std::move(done));
}

Result<> BusCore::send(const Name& to, ByteView body, const SendOptions& options, Done<> done) {
  parts_->thread.check();
  if (parts_->context.ends()) return Error{Errc::closed};
  const bool shared = is_shared_name(to.text());
  if (options.from != ChannelId{}) {
    if (done) {
      return Error{Errc::denied, "an acknowledgement could not follow a channel that moves"};
    }
    if (shared) {
      return Error{Errc::denied, "a channel sends to owned channels; choose an instance"};
    }
  }
  if (shared) return parts_->shared.send(to, body, options, std::move(done));
  return parts_->sender.send(to, {}, body, options, std::move(done));
}

void BusCore::send_acknowledged(const std::string& to, ByteView body, const SendOptions& options,
                                Done<> done) {
  auto sent = send(to, body, options, done);
  if (!sent) parts_->context.complete<void>(std::move(done), std::move(sent));
}

void BusCore::send_handed(HandedMessage message) {
  const Done<> done = std::move(message.done);
  auto sent = send(message.to, message.body, message.options, done);
  if (sent) return;
  if (done) return parts_->context.complete<void>(done, std::move(sent));
  const ChannelId channel = channel_id(message.to);
  parts_->context.undelivered({channel, std::move(message.to), message.options.lane, sent.error()});
}

Result<> BusCore::multicast(std::span<const std::string> to, ByteView body,
                            const SendOptions& options) {
  parts_->thread.check();
  if (parts_->context.ends()) return Error{Errc::closed};
  return parts_->multicasts.send(to, body, options, nullptr);
}

Result<> BusCore::announce(std::string_view group, ByteView body, const SendOptions& options) {
  parts_->thread.check();
  if (parts_->context.ends()) return Error{Errc::closed};
  return parts_->groups.announce(group, body, options, nullptr);
}

namespace {

/// ok, or why no completion can follow a message with these options.
Result<> may_await(const BusContext& context, const SendOptions& options) {
  if (context.ends()) return Error{Errc::closed};
  if (options.from == ChannelId{}) return {};
  return Error{Errc::denied, "an acknowledgement could not follow a channel that moves"};
}

}  // namespace

void BusCore::multicast_acknowledged(std::span<const std::string> to, ByteView body,
                                     const SendOptions& options, Done<GroupOutcome> done) {
  parts_->thread.check();
  Result<> sent = may_await(parts_->context, options);
  if (sent) sent = parts_->multicasts.send(to, body, options, done);
  if (!sent) parts_->context.complete<GroupOutcome>(std::move(done), sent.error());
}

void BusCore::announce_acknowledged(std::string_view group, ByteView body,
                                    const SendOptions& options, Done<GroupOutcome> done) {
  parts_->thread.check();
  Result<> sent = may_await(parts_->context, options);
  if (sent) sent = parts_->groups.announce(group, body, options, done);
  if (!sent) parts_->context.complete<GroupOutcome>(std::move(done), sent.error());
}

void BusCore::call(const std::string& to, ByteView body, const CallOptions& options,
                   Done<Bytes> done) {
  parts_->thread.check();
  BusContext& context = parts_->context;
  if (context.ends()) return context.complete<Bytes>(std::move(done), Error{Errc::closed});
  const auto name = context.names.name_of(to);
  if (!name) return context.complete<Bytes>(std::move(done), name.error());
  if (parts_->calls.full()) {
    return context.complete<Bytes>(std::move(done),
                                   Error{Errc::would_block, "too many pending calls"});
  }
  if (!parts_->process.reply_lineage()) {  // a reply would find no owner of this process' channel
    return context.complete<Bytes>(std::move(done), Error{Errc::unreachable, "not connected"});
  }
  const PendingCalls::Id id = parts_->calls.begin(options, std::move(done));
  if (is_shared_name(to)) {
    parts_->shared.call(*name, body, options.hash_key, id, options.trace);
  } else {
    parts_->calls.send(id, *name, {}, options.trace, body);
  }
}

Result<> BusCore::reply(const Destination& to, Lane lane, const Envelope& envelope, ByteView body) {
  parts_->thread.check();
  if (parts_->context.closed) return Error{Errc::closed};
  return parts_->reply(to, lane, envelope, body);
}

// --- mail ----------------------------------------------------------------------------------------

void BusCore::post(const std::string& mailbox, ByteView body, const PostOptions& options,
                   Done<std::uint64_t> done) {
  parts_->thread.check();
  parts_->posts.post(PostTarget::mailbox, mailbox, body, options, std::move(done));
}

void BusCore::append(const std::string& log, ByteView body, const PostOptions& options,
                     Done<std::uint64_t> done) {
  parts_->thread.check();
  parts_->posts.post(PostTarget::log, log, body, options, std::move(done));
}

void BusCore::open_mailbox(const std::string& name, const MailboxOptions& options,
                           Done<Mailbox> done) {
  parts_->thread.check();
  parts_->opener.open_mailbox(name, options, std::move(done));
}

void BusCore::follow(const std::string& log, const LogOptions& options, Done<LogReader> done) {
  parts_->thread.check();
  parts_->opener.follow(log, options, std::move(done));
}

void BusCore::read(const std::string& log, std::uint64_t from, std::size_t max,
                   std::chrono::milliseconds deadline, Done<LogPage> done) {
  parts_->thread.check();
  parts_->opener.read(log, from, max, deadline, std::move(done));
}

// --- watches, callbacks, figures -----------------------------------------------------------------

Result<WatchHandle> BusCore::watch(std::string prefix,
                                   std::function<void(const WatchUpdate&)> on_update,
                                   std::function<void(const Error&)> on_error) {
  parts_->thread.check();
  if (parts_->context.ends()) return Error{Errc::closed};
  return parts_->watchers.watch(std::move(prefix), std::move(on_update), std::move(on_error));
}

void BusCore::end_watch(const std::string& prefix, std::uint64_t id) {
  parts_->thread.check();
  parts_->watchers.end(prefix, id);
}

void BusCore::on_undelivered(std::function<void(const Undelivered&)> callback) {
  parts_->context.on_undelivered = std::move(callback);
}
void BusCore::on_link(std::function<void(LinkState, const Error&)> callback) {
  parts_->context.on_link = std::move(callback);
}
void BusCore::on_lease_lost(std::function<void()> callback) {
  parts_->context.on_lease_lost = std::move(callback);
}
void BusCore::on_ended(std::function<void(const Error&)> callback) {
  parts_->context.on_ended = std::move(callback);
}

void BusCore::on_warning(std::function<void(const std::string&)> callback) {
  parts_->context.warnings.on_warning(std::move(callback));
}
const std::shared_ptr<HandedSends>& BusCore::handed() const {
  return parts_->handed;
}

const std::string& BusCore::node() const {
  return parts_->process.node();
}
const std::string& BusCore::endpoint() const {
  return parts_->context.options.endpoint;
}
const std::string& BusCore::host() const {
  return parts_->process.host();
}
Process BusCore::self() const {
  return parts_->process.self();
}
BusCounters BusCore::counters() const {
  return parts_->counters();
}
std::vector<Unacknowledged> BusCore::unacknowledged(std::size_t most) const {
  return parts_->waiters.unacknowledged(most);
}
std::string BusCore::handling() const {
  return parts_->context.activity->text();
}
boost::asio::io_context& BusCore::loop() const {
  return parts_->context.loop;
}

}  // namespace starbus::bus
