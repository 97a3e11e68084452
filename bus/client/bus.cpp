#include "bus/client/bus.hpp"

#include "bus/client/bus_core.hpp"

namespace starbus::bus {

Bus::Bus(boost::asio::io_context& loop, Options options) {
  if (auto checked = check_node_name(options.node); !checked) {
    throw std::invalid_argument("Options::node: " + checked.error().to_string());
  }
  core_ = std::make_shared<BusCore>(loop, std::move(options));
}

Bus::~Bus() {
  core_->shut({Errc::closed, "the bus object was destroyed"});
}

void Bus::start_connect(Done<void> done) {
  core_->connect(std::move(done));
}

void Bus::start_bind(std::string name, Handlers handlers, Done<Bound> done) {
  core_->bind(std::move(name), std::move(handlers), std::move(done));
}

void Bus::start_unbind(const std::string& name, Done<void> done) {
  core_->unbind(name, std::move(done));
}

void Bus::start_move(const std::string& name, const std::string& target,
                     std::function<Bytes()> freeze, Done<void> done) {
  core_->move(name, target, std::move(freeze), std::move(done));
}

void Bus::on_arrival(std::string prefix, ArrivalHandlers handlers) {
  core_->on_arrival(std::move(prefix), std::move(handlers));
}

Epoch Bus::epoch(std::string_view name) const {
  return core_->process().epoch(channel_id(name));
}

Result<> Bus::send(const Name& to, ByteView body, const SendOptions& options) {
  return core_->send(to, body, options, nullptr);
}

Result<> Bus::send(std::string_view to, ByteView body, const SendOptions& options) {
  return core_->send(to, body, options, nullptr);
}

void Bus::start_send(const std::string& to, const Bytes& body, const SendOptions& options,
                     Done<void> done) {
  auto sent = core_->send(to, body, options, done);
  if (!sent) core_->complete_later(std::move(done), std::move(sent));
}

void Bus::start_call(const std::string& to, const Bytes& body, const CallOptions& options,
                     Done<Bytes> done) {
  core_->call(to, body, options, std::move(done));
}

Result<> Bus::multicast(std::span<const std::string> to, ByteView body,
                        const SendOptions& options) {
  return core_->multicast(to, body, options);
}

Result<> Bus::announce(std::string_view group, ByteView body, const SendOptions& options) {
  return core_->announce(group, body, options);
}

Result<WatchHandle> Bus::watch(std::string prefix,
                               std::function<void(const WatchUpdate&)> on_update,
                               std::function<void(const Error&)> on_error) {
  return core_->watch(std::move(prefix), std::move(on_update), std::move(on_error));
}

void Bus::start_post(const std::string& mailbox, const Bytes& body, const PostOptions& options,
                     Done<std::uint64_t> done) {
  core_->post(PostTarget::mailbox, mailbox, body, options, std::move(done));
}

void Bus::start_append(const std::string& log, const Bytes& body, const PostOptions& options,
                       Done<std::uint64_t> done) {
  core_->post(PostTarget::log, log, body, options, std::move(done));
}

void Bus::start_open_mailbox(const std::string& name, const MailboxOptions& options,
                             Done<Mailbox> done) {
  core_->open_mailbox(name, options, std::move(done));
}

void Bus::start_follow(const std::string& log, const LogOptions& options, Done<LogReader> done) {
  core_->follow(log, options, std::move(done));
}

void Bus::start_read(const std::string& log, std::uint64_t from, std::size_t max,
                     std::chrono::milliseconds deadline, Done<LogPage> done) {
  core_->read(log, from, max, deadline, std::move(done));
}

void Bus::start_flush(std::chrono::milliseconds deadline, Done<void> done) {
  core_->flush(deadline, std::move(done));
}

void Bus::start_room(const std::string& to, Lane lane, Done<void> done) {
  core_->room(to, lane, std::move(done));
}

void Bus::start_close(std::chrono::milliseconds deadline, Done<void> done) {
  core_->close(deadline, std::move(done));
}

void Bus::on_undelivered(std::function<void(const Undelivered&)> callback) {
  core_->on_undelivered = std::move(callback);
}

void Bus::on_link(std::function<void(LinkState, const Error&)> callback) {
  core_->on_link_state = std::move(callback);
}

void Bus::on_lease_lost(std::function<void()> callback) {
  core_->on_lease_end = std::move(callback);
}

void Bus::on_ended(std::function<void(const Error& reason)> callback) {
  core_->on_end = std::move(callback);
}

const std::string& Bus::node() const {
  return core_->process().node();
}
const std::string& Bus::endpoint() const {
  return core_->endpoint();
}
const std::string& Bus::host() const {
  return core_->process().host();
}
Process Bus::self() const {
  return core_->process().self();
}
std::vector<Unacknowledged> Bus::unacknowledged(std::size_t most) const {
  return core_->unacknowledged(most);
}
std::string Bus::handling() const {
  return core_->handling();
}
BusCounters Bus::counters() const {
  return core_->counters();
}
boost::asio::io_context& Bus::loop() {
  return core_->loop();
}

}  // namespace starbus::bus
