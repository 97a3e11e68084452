#include "nodes/gate/net/front.hpp"

#include <spdlog/spdlog.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <system_error>

namespace starbus::nodes::gate::net {
namespace {

constexpr std::size_t kBufferBytes = 16_KiB;  // a record of TLS
constexpr std::size_t kOtherFiles = 64;       // listeners, logs, the bus

void warn_of_few_files(std::size_t connections) {
  rlimit files{};
  const std::size_t wanted = connections + kOtherFiles;
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= wanted) return;
  spdlog::warn(
      "gate.limits.connections: {}, but {} open files are allowed; raise LimitNOFILE to {}",
      connections, files.rlim_cur, wanted);
}

bool same_place(const ListenerSettings& a, const ListenerSettings& b) {
  return a.address == b.address && a.tls == b.tls && a.websocket == b.websocket &&
         a.proxy == b.proxy && a.reuse_port == b.reuse_port;
}

}  // namespace

Front::Front(boost::asio::io_context& loop, FrontSettings settings, FrontHandler& handler,
             daemon::RateLimited& limited)
    : loop_(loop),
      settings_(std::move(settings)),
      handler_(handler),
      limited_(limited),
      keys_(std::make_shared<TicketKeys>(kTicketKeyLife)),
      now_(std::chrono::steady_clock::now()),
      admission_(now_),
      buffer_(kBufferBytes),
      timer_(loop),
      poller_(
          loop, [this](std::uint64_t id, std::uint32_t events) { on_ready(id, events); },
          [this] { reap(); }) {}

Front::~Front() {
  thread_.check();
}

Result<Front::Rules> Front::make_rules(const FrontSettings& settings) {
  Rules rules;
  for (const ListenerSettings& listener : settings.listeners) {
    ListenerRules made{listener.websocket, listener.proxy, nullptr, listener.upgrade};
    if (listener.tls) {
      const char* protocol = listener.websocket ? "http/1.1" : "starbus/1";
      auto context = TlsContext::load(listener.files, protocol, keys_);
      if (!context) return context.error();
      made.tls = std::move(*context);
    }
    rules.push_back(std::make_shared<const ListenerRules>(std::move(made)));
  }
  return rules;
}

Result<> Front::start() {
  thread_.check();
  auto rules = make_rules(settings_);
  if (!rules) return rules.error();
  std::vector<FileDescriptor> sockets;
  for (const ListenerSettings& listener : settings_.listeners) {
    auto socket = Listener::open(listener.address, listener.reuse_port);
    if (!socket) return socket.error();
    sockets.push_back(std::move(*socket));
  }
  warn_of_few_files(settings_.limits.connections);
  rules_ = std::move(*rules);
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    listeners_.push_back(std::make_unique<Listener>(
        loop_, std::move(sockets[i]),
        [this, i](FileDescriptor client, const PeerAddress& peer) {
          accept(i, std::move(client), peer);
        },
        [this](int error) {
          ++counters_.accept_pauses;
          if (limited_.allow("accept")) {
            spdlog::warn("accept: {}; it pauses: raise the limit of open files",
                         std::generic_category().message(error));
          }
        }));
    spdlog::info("clients: {} at {}", kConnectionKinds[index_of(*rules_[i])],
                 listeners_.back()->address().to_string());
  }
  return {};
}

std::vector<PeerAddress> Front::addresses() const {
  std::vector<PeerAddress> addresses;
  for (const auto& listener : listeners_) addresses.push_back(listener->address());
  return addresses;
}

Result<> Front::reload(const FrontSettings& fresh) {
  thread_.check();
  if (!std::ranges::equal(fresh.listeners, settings_.listeners, same_place)) {
    return Error(bus::Errc::bad_config,
                 "gate.listeners: addresses or kinds have changed; restart the gate for that");
  }
  auto rules = make_rules(fresh);
  if (!rules) return rules.error();
  rules_ = std::move(*rules);
  settings_ = fresh;
  return {};
}

std::int64_t Front::certificates_expire() const {
  std::int64_t first = 0;
  for (const auto& rules : rules_) {
    if (!rules->tls) continue;
    const std::int64_t end = rules->tls->expires();
    first = first == 0 ? end : std::min(first, end);
  }
  return first;
}

Connection* Front::find(ConnectionId id) const {
  const auto at = connections_.find(id);
  return at == connections_.end() ? nullptr : at->second.get();
}

void Front::accept(std::size_t listener, FileDescriptor socket, const PeerAddress& address) {
  now_ = std::chrono::steady_clock::now();
  ++counters_.accepted;
  auto made =
      std::make_unique<Connection>(++last_id_, std::move(socket), rules_[listener], address, now_);
  Connection& connection = *made;
  const auto refused = admission_.enter(connection, settings_.limits);
  if (refused && !admission_.may_linger(connection)) {
    ++counters_.of(*refused);
    ++counters_.unheard;
    return;
  }
  connections_.emplace(connection.id(), std::move(made));
  const std::uint32_t events = connection.wants();
  if (!poller_.add(connection.descriptor(), connection.id(), events)) {
    end(connection, Ending::no_room);
    connection.cut();
  } else {
    connection.notes().watched = events;
    refused ? end(connection, *refused) : serve(connection);
  }
  settle(connection);
  reap();
}

void Front::on_ready(ConnectionId id, std::uint32_t events) {
  Connection* connection = find(id);
  if (connection == nullptr) return;
  now_ = std::chrono::steady_clock::now();
  const bool broken = (events & (EPOLLERR | EPOLLHUP)) != 0;
  if (broken && (connection->wants() & EPOLLIN) == 0) {
    end(*connection, Ending::lost);
    connection->cut();
  } else {
    if ((events & EPOLLOUT) != 0) write(*connection);
    serve(*connection);
  }
  settle(*connection);
}

void Front::serve(Connection& connection) {
  using Kind = Connection::Event::Kind;
  connection.begin_turn(now_);
  // A paused one that ends is read to its end, too.
  const auto stopped = [&] { return connection.notes().paused && !connection.is_ending(); };
  while (!stopped()) {
    const Connection::Event event = connection.next(buffer_);
    if (event.kind == Kind::nothing) break;
    take(connection, event);
    if (connection.is_ending()) return;
  }
  if (stopped()) return connection.keep_rest();
  if (connection.has_rest() && !std::exchange(connection.notes().again, true)) {
    again_.push_back(connection.id());
    turn_later();
  }
}

void Front::take(Connection& connection, const Connection::Event& event) {
  using Kind = Connection::Event::Kind;
  switch (event.kind) {
    case Kind::nothing:
      return;
    case Kind::addressed:
      if (const auto refused = admission_.from_source(connection, settings_.limits)) {
        end(connection, *refused);
      }
      return;
    case Kind::hello:
      admission_.wait_for_tls(connection.id());
      return turn_later();
    case Kind::opened:
      return open(connection);
    case Kind::frame:
      return frame(connection, event.frame);
    case Kind::part:
      if (may_say(connection)) touch(connection);
      return;
    case Kind::ended:
      end(connection, event.ending);
      if (event.ending == Ending::lost) connection.cut();
      return;
  }
}

void Front::open(Connection& connection) {
  const ConnectionKind kind = kind_of(connection.rules());
  ++counters_.opened[index_of(connection.rules())];
  ++counters_.open[index_of(connection.rules())];
  connection.notes().told = true;
  connection.notes().frames = TokenBucket(settings_.limits.frame_burst, now_);
  if (connection.rules().tls) ++counters_.tls_handshakes;
  if (observe_ && kind != ConnectionKind::tcp) {
    observe_(std::chrono::duration<double>(now_ - connection.began()).count());
  }
  if (connection.rules().websocket) touch(connection);  // the answer to the upgrade
  handler_.on_open(connection.id(), {connection.address(), kind});
}

bool Front::may_say(Connection& connection) {
  const FrontLimits& limits = settings_.limits;
  Connection::Notes& notes = connection.notes();
  if (!notes.frames.take(limits.frames_per_second, limits.frame_burst, now_)) {
    end(connection, Ending::too_many_frames);
    return false;
  }
  if (connection.queued() <= limits.queue_bytes) return true;
  end(connection, Ending::too_slow);  // it pings, and reads no answers
  return false;
}

void Front::frame(Connection& connection, bus::ByteView frame) {
  if (!may_say(connection)) return;
  Connection::Notes& notes = connection.notes();
  if (!notes.first_frame) {
    admission_.introduced(connection);
    notes.frame_limit = std::max(notes.frame_limit, std::size_t{kEntryFrameBytes});
  }
  ++counters_.frames_in;
  counters_.bytes_in += frame.size();
  handler_.on_frame(connection.id(), frame);
}

void Front::write(Connection& connection) {
  if (connection.notes().doomed) end(connection, Ending::too_slow);
  if (!connection.flush(buffer_)) {
    end(connection, Ending::lost);
    connection.cut();
  } else if (connection.queued() > 0 && (connection.wants() & EPOLLOUT) == 0) {
    touch(connection);
  }
}

void Front::touch(Connection& connection) {
  if (std::exchange(connection.notes().dirty, true)) return;
  dirty_.push_back(connection.id());
  turn_later();
}

bool Front::send(ConnectionId id, const Body& body, bus::ByteView prefix) {
  thread_.check();
  Connection* connection = find(id);
  if (connection == nullptr || connection->is_ending() || connection->notes().doomed ||
      !connection->notes().told) {
    return false;
  }
  connection->push(body, prefix);
  ++counters_.frames_out;
  counters_.bytes_out += prefix.size() + body->size();
  count_held(*connection);
  touch(*connection);
  connection->notes().doomed =
      connection->queued() > settings_.limits.queue_bytes || is_over_share(*connection);
  return !connection->notes().doomed;
}

void Front::close(ConnectionId id, Body last) {
  thread_.check();
  Connection* connection = find(id);
  if (connection == nullptr || connection->is_ending()) return;
  ++counters_.of(Ending::owner);
  if (std::exchange(connection->notes().told, false)) {
    --counters_.open[index_of(connection->rules())];
  }
  connection->close(std::move(last), false, std::chrono::steady_clock::now());
  touch(*connection);
}

void Front::pause(ConnectionId id) {
  thread_.check();
  if (Connection* connection = find(id)) {
    connection->notes().paused = true;
    touch(*connection);
  }
}

void Front::resume(ConnectionId id) {
  thread_.check();
  Connection* connection = find(id);
  if (connection == nullptr || !std::exchange(connection->notes().paused, false)) return;
  connection->look_again(std::chrono::steady_clock::now());
  if (!std::exchange(connection->notes().again, true)) again_.push_back(id);
  turn_later();
}

void Front::allow_frames(ConnectionId id, std::size_t bytes) {
  thread_.check();
  if (Connection* connection = find(id)) connection->notes().frame_limit = bytes;
}

std::size_t Front::queued_bytes(ConnectionId id) const {
  const Connection* connection = find(id);
  return connection == nullptr ? 0 : connection->queued();
}

bool Front::is_over_share(const Connection& connection) const {
  const std::size_t most = settings_.limits.memory_bytes;
  if (held_ <= most) return false;
  const std::size_t share = most / std::max<std::size_t>(1, connections_.size());
  return connection.held() > std::max(share, std::size_t{kLeastShare});
}

void Front::count_held(Connection& connection) {
  const std::size_t now = connection.held();
  held_ = held_ - connection.notes().counted + now;
  connection.notes().counted = now;
}

}  // namespace starbus::nodes::gate::net
