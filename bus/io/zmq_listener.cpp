#include "bus/io/zmq_listener.hpp"

#include <fcntl.h>

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <list>
#include <optional>

#include "bus/io/limits.hpp"
#include "bus/io/strangers/packet_filter.hpp"
#include "bus/io/strangers/strangers.hpp"
#include "bus/io/zmq_handshake.hpp"
#include "bus/io/zmq_link.hpp"

namespace starbus::bus::io {
namespace {

namespace asio = boost::asio;

// Bytes. A request has 20, but the handshake of CURVE is measured with the same measure.
constexpr int kMaxRequest = 1024;
constexpr int kRequestBurst = 64;

/// Another descriptor of the listening socket, for its filter; empty for a file, which needs none.
Result<Fd> ears_of(const ListenSocket& listening) {
  if (listening.endpoint.is_local()) return Fd();
  Fd ears(::fcntl(listening.fd.get(), F_DUPFD_CLOEXEC, 0));
  if (!ears) return os_error("listening socket", errno);
  return ears;
}

/// Gives a socket that this process made to ZeroMQ, which would choose mode and port differently.
Result<> bind_to(ZmqSocket& socket, ListenSocket& listening) {
  socket.set(ZMQ_USE_FD, listening.fd.get());
  auto bound = socket.bind(listening.endpoint.to_string());
  if (bound) listening.fd.release();
  return bound;
}

Peer peer_of(ZmqMessage& message, bool local) {
  Peer peer;
  if (const char* key = message.property(kUserId)) peer.key = key;
  // The connection lives while its messages arrive, so the descriptor is still its own.
  const Peer socket = io::peer_of(message.descriptor());
  const char* address = message.property(kPeerAddress);
  peer.address = !socket.address.empty() || address == nullptr ? socket.address : address;
  if (local) {
    peer.pid = socket.pid;
    peer.uid = socket.uid;
    peer.gid = socket.gid;
    peer.groups = socket.groups;
  }
  return peer;
}

std::optional<Error> handshake_error(int event, int value) {
  if (event == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL) {
    return Error{Errc::io_error, "ended during the handshake"};
  }
  if (event != ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL) return std::nullopt;
  if (value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH) {
    return Error{Errc::unauthorized, "one side uses CURVE and the other does not"};
  }
  if (value == ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC) {
    return Error{Errc::unauthorized, "it expects another server key"};
  }
  return Error{Errc::bad_bytes, "not a ZeroMQ peer"};
}

}  // namespace

class ZmqListener::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(asio::io_context& context, ListenOptions options, AcceptHandler on_accept)
      : context_(context), options_(std::move(options)), on_accept_(std::move(on_accept)) {}

  Result<> begin(ListenSocket listening) {
    endpoint_ = listening.endpoint;
    auto socket = ZmqSocket::make(context_, ZMQ_ROUTER);
    if (!socket) return socket.error();
    socket_ = std::move(*socket);
    socket_->serve_strangers();
    const std::int64_t largest = kMaxRequest;
    zmq_setsockopt(socket_->native(), ZMQ_MAXMSGSIZE, &largest, sizeof largest);
    if (uses_curve()) {
      domain_ = std::make_unique<ZapDomain>(
          context_, [weak = weak_from_this()](auto key, const auto& address) {
            const auto self = weak.lock();
            return self && self->admit(key, address);
          });
      if (auto set = encrypt(*socket_, *domain_); !set) return set;
    }
    auto ears = ears_of(listening);
    if (!ears) return ears.error();
    if (*ears) {
      strangers_.emplace(context_, std::move(*ears), endpoint_.port, [this](const auto& address) {
        refuse(address, {Errc::overloaded,
                         "too many connections of one address; for a second it "
                         "is not heard"});
      });
    }
    if (auto bound = bind_to(*socket_, listening); !bound) return bound;
    file_ = std::move(listening.file);
    auto monitor = ZmqMonitor::make(*socket_);
    if (!monitor) return monitor.error();
    monitor_ = std::move(*monitor);
    watch();
    return {};
  }

  void stop() {
    stopped_ = true;
    half_open_.clear();
    strangers_.reset();
    monitor_.reset();
    socket_.reset();
    domain_.reset();
    file_.remove();
  }

  const Endpoint& endpoint() const { return endpoint_; }

 private:
  struct HalfOpen {
    HalfOpen(asio::io_context& context, const Peer& asker)
        : deadline(context), address(asker.address), key(asker.key) {}
    ZmqSession session;
    Fd ears;  // of the session's port
    asio::steady_timer deadline;
    Nonce secret = random_nonce();
    std::string address;
    std::string key;
  };
  using HalfOpenAt = std::list<HalfOpen>::iterator;

  bool uses_curve() const { return !options_.keys.secret_key.empty(); }

  Result<> encrypt(ZmqSocket& socket, const ZapDomain& domain) {
    socket.set(ZMQ_CURVE_SERVER, 1);
    socket.set(ZMQ_ZAP_DOMAIN, domain.name());
    if (zmq_setsockopt(socket.native(), ZMQ_CURVE_SECRETKEY, options_.keys.secret_key.data(),
                       options_.keys.secret_key.size()) != 0) {
      return Error{Errc::bad_config, "a CURVE secret key is 40 characters of Z85"};
    }
    return {};
  }

  bool admit(std::string_view key, const std::string& address) {
    if (options_.allow && options_.allow(key)) return true;
    refuse(address, {Errc::unauthorized, "key " + std::string(key) + " is not on the list"});
    return false;
  }

  void watch() {
    monitor_->on_event([weak = weak_from_this()](int event, int value) {
      const auto self = weak.lock();
      if (!self) return;
      if (event == ZMQ_EVENT_ACCEPTED) self->accepted(value);
      if (event == ZMQ_EVENT_DISCONNECTED && self->strangers_) self->strangers_->ended(value);
      const auto error = handshake_error(event, value);
      if (error) self->refuse(self->last_accepted_, *error);
    });
    socket_->on_ready([weak = weak_from_this()] {
      const auto self = weak.lock();
      return self && !self->stopped_ && self->read();
    });
  }

  void accepted(int descriptor) {
    // ZeroMQ does not say whose handshake failed: the last who came is the best guess.
    last_accepted_ = io::peer_of(descriptor).address;
    if (strangers_) strangers_->accepted(descriptor);
  }

  bool read() {
    for (int i = 0; i < kRequestBurst; ++i) {
      ZmqMessage route;
      if (!socket_->receive(route)) return false;
      ZmqMessage request;
      bool whole = route.more() && socket_->receive(request);
      while (whole && request.more()) {
        if (!socket_->receive(request)) break;
        whole = request.more();  // a request is one frame: consume the rest and refuse
      }
      answer(route, request);
    }
    return true;
  }

  void answer(ZmqMessage& route, ZmqMessage& request) {
    const Peer asker = peer_of(request, endpoint_.is_local());
    const auto nonce = decode_request(request.bytes());
    Answer reply;
    if (!nonce) {
      refuse(asker.address, nonce.error());
      reply.status = errc_of(nonce.error());
    } else {
      reply = open(asker);
      reply.nonce = *nonce;
    }
    socket_->send(route, ZMQ_SNDMORE);
    socket_->send(encode_answer(reply));
  }

  /// Makes the session's socket, and waits there for the peer that asked.
  Answer open(const Peer& asker) {
    Answer reply;
    const auto of_key =
        static_cast<std::uint64_t>(std::ranges::count(half_open_, asker.key, &HalfOpen::key));
    const bool greedy = !asker.key.empty() && of_key >= kHalfOpenOfKey;
    if (greedy || half_open_.size() >= kMaxHalfOpen) {
      reply.status = Errc::overloaded;
      return reply;
    }
    const auto half = half_open_.emplace(half_open_.end(), context_, asker);
    auto locator = make_session(*half, asker.key);
    if (!locator) {
      refuse(asker.address, locator.error());
      half_open_.erase(half);
      reply.status = Errc::io_error;
      return reply;
    }
    reply.secret = half->secret;
    reply.locator = *locator;
    half->deadline.expires_after(kHalfOpen);
    half->deadline.async_wait([weak = weak_from_this(), half](const auto& error) {
      const auto self = weak.lock();
      if (error || !self || self->stopped_) return;
      const std::string address = half->address;
      self->half_open_.erase(half);
      self->refuse(address, {Errc::silent, "asked for a session and did not come"});
    });
    half->session.socket->on_ready([weak = weak_from_this(), half] {
      const auto self = weak.lock();
      if (self && !self->stopped_) self->greet(half);
      return false;
    });
    return reply;
  }

  Result<std::string> make_session(HalfOpen& half, const std::string& key) {
    auto [listening, locator] = session_socket();
    if (!listening) return listening.error();
    auto& session = half.session;
    auto socket = ZmqSocket::make(context_, ZMQ_PAIR);
    if (!socket) return socket.error();
    session.socket = std::move(*socket);
    if (uses_curve()) {
      session.domain = std::make_unique<ZapDomain>(
          context_, [key](auto shown, const auto&) { return shown == key; });
      if (auto set = encrypt(*session.socket, *session.domain); !set) return set.error();
    }
    auto monitor = ZmqMonitor::make(*session.socket);
    if (!monitor) return monitor.error();
    session.monitor = std::move(*monitor);
    auto ears = ears_of(*listening);
    if (!ears) return ears.error();
    half.ears = std::move(*ears);
    if (auto bound = bind_to(*session.socket, *listening); !bound) return bound.error();
    session.file = std::move(listening->file);
    return locator;
  }

  /// A listening socket beside our own, and how to say where it is.
  std::pair<Result<ListenSocket>, std::string> session_socket() {
    Endpoint endpoint = endpoint_;
    if (endpoint.is_local()) {
      const auto suffix = random_suffix();
      endpoint.path += suffix;
      return {listen_socket(endpoint, {options_.socket_mode, options_.socket_group}), suffix};
    }
    const unsigned first = options_.first_session_port;
    const unsigned count = first == 0 ? 1U : options_.last_session_port + 1U - first;
    Result<ListenSocket> made = Error{Errc::io_error, "no session port"};
    for (unsigned i = 0; i < count && !made; ++i) {
      // Round robin: a port just freed may still be known to a peer of the past.
      endpoint.port =
          first == 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(first + next_port_++ % count);
      made = listen_socket(endpoint, {});
    }
    return {std::move(made), made ? std::to_string(made->endpoint.port) : std::string{}};
  }

  /// Somebody spoke on the session's socket: only the secret makes it a link.
  void greet(HalfOpenAt half) {
    ZmqMessage greeting;
    if (!half->session.socket->receive(greeting)) return;
    Peer peer = peer_of(greeting, endpoint_.is_local());
    const bool right = is_greeting(greeting.bytes(), half->secret) && !greeting.more();
    ZmqSession session = std::move(half->session);
    // Nobody else is to come, and handshakes at this port would take the time of links.
    if (half->ears) hear_nobody(half->ears.get());
    half_open_.erase(half);
    if (!right) {
      return refuse(peer.address, {Errc::unauthorized, "came to a session that is not its own"});
    }
    session.file.remove();
    session.socket->send(as_bytes(kWelcome));
    on_accept_(std::make_shared<ZmqLink>(std::move(session), std::move(greeting), std::move(peer)));
  }

  void refuse(const std::string& address, const Error& why) {
    if (options_.on_refused) options_.on_refused(address, why);
  }

  asio::io_context& context_;
  ListenOptions options_;
  AcceptHandler on_accept_;
  Endpoint endpoint_;
  std::unique_ptr<ZapDomain> domain_;
  std::unique_ptr<ZmqSocket> socket_;
  std::unique_ptr<ZmqMonitor> monitor_;
  SocketFile file_;
  std::optional<Strangers> strangers_;  // of tcp
  std::list<HalfOpen> half_open_;
  unsigned next_port_ = 0;
  std::string last_accepted_ = "unknown";
  bool stopped_ = false;
};

ZmqListener::ZmqListener(asio::io_context& context, ListenOptions options, AcceptHandler on_accept)
    : impl_(std::make_shared<Impl>(context, std::move(options), std::move(on_accept))) {}

ZmqListener::~ZmqListener() {
  impl_->stop();
}

Result<> ZmqListener::begin(ListenSocket socket) {
  return impl_->begin(std::move(socket));
}

std::string ZmqListener::endpoint() const {
  return impl_->endpoint().to_string();
}

}  // namespace starbus::bus::io
