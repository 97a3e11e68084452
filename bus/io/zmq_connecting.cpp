#include "bus/io/zmq_connecting.hpp"

#include <unistd.h>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <optional>
#include <system_error>

#include "bus/io/resolve.hpp"
#include "bus/io/zmq_handshake.hpp"
#include "bus/io/zmq_link.hpp"

namespace starbus::bus::io {

namespace asio = boost::asio;

class ZmqConnecting::Attempt : public std::enable_shared_from_this<Attempt> {
 public:
  Attempt(asio::io_context& context, Endpoint endpoint, ConnectOptions options,
          ConnectHandler on_connected)
      : context_(context),
        endpoint_(std::move(endpoint)),
        options_(std::move(options)),
        on_connected_(std::move(on_connected)),
        resolve_(context),
        deadline_(context) {}

  void start() {
    deadline_.expires_after(options_.timeout);
    deadline_.async_wait([self = shared_from_this()](const auto& error) {
      if (error) return;
      const auto waited = std::to_string(self->options_.timeout.count()) + " ms";
      self->fail(Errc::unreachable, "no answer within " + waited);
    });
    if (endpoint_.is_local()) {
      asio::post(context_, [self = shared_from_this()] { self->ask(); });
      return;
    }
    resolve_.start(endpoint_, [self = shared_from_this()](Result<Addresses> found) {
      if (!found) return self->finish(found.error());
      // One address: ZeroMQ would resolve names in the thread that serves all other links.
      self->endpoint_.host = found->front().address().to_string();
      self->ask();
    });
  }

  void cancel() {
    on_connected_ = nullptr;
    stop();
  }

 private:
  bool uses_curve() const {
    return !options_.keys.secret_key.empty() || !options_.server_key.empty();
  }

  /// Step 1: to the listener, for a socket of our own.
  void ask() {
    if (!on_connected_) return;
    if (!open(ZMQ_DEALER, endpoint_)) return;
    session_.socket->send(encode_request(nonce_));
    listen([this](ZmqMessage message) { answered(message); });
  }

  void answered(ZmqMessage& message) {
    const auto answer = decode_answer(message.bytes());
    if (!answer) return finish(answer.error());
    if (answer->status == Errc::version_mismatch) {
      return fail(Errc::version_mismatch, "the listener speaks another version of the handshake");
    }
    if (answer->status != Errc::ok) {
      return fail(Errc::unreachable,
                  "the listener has no session for us: " + std::string(name_of(answer->status)));
    }
    if (answer->nonce != nonce_) return fail(Errc::bad_bytes, "an answer to another request");
    const auto session = session_endpoint(endpoint_, answer->locator);
    if (!session) return finish(session.error());
    greet(*session, answer->secret);
  }

  /// Step 2: to the session's socket, with the secret that makes it ours.
  void greet(const Endpoint& session, const Nonce& secret) {
    close_socket();
    if (!open(ZMQ_PAIR, session)) return;
    session_.socket->send(encode_greeting(secret));
    listen([this](ZmqMessage message) { welcomed(std::move(message)); });
  }

  void welcomed(ZmqMessage message) {
    if (as_text(message.bytes()) != kWelcome) return fail(Errc::bad_bytes, "no welcome");
    Peer peer = peer_of(message.descriptor());
    if (uses_curve()) peer.key = options_.server_key;
    finish(std::make_shared<ZmqLink>(std::move(session_), std::move(message), std::move(peer)));
  }

  bool open(int type, const Endpoint& target) {
    connected_ = false;
    auto made = ZmqSocket::make(context_, type);
    if (!made) {
      finish(made.error());
      return false;
    }
    session_.socket = std::move(*made);
    auto& socket = *session_.socket;
    if (target.host.find(':') != std::string::npos) socket.set(ZMQ_IPV6, 1);
    if (uses_curve() && !encrypt(socket)) {
      fail(Errc::bad_config, "CURVE keys are 40 characters of Z85");
      return false;
    }
    auto monitor = ZmqMonitor::make(socket);
    if (!monitor) {
      finish(monitor.error());
      return false;
    }
    session_.monitor = std::move(*monitor);
    session_.monitor->on_event([this](int event, int value) { happened(event, value); });
    if (const auto begun = socket.connect(target.to_string()); !begun) {
      finish(begun.error());
      return false;
    }
    return true;
  }

  bool encrypt(ZmqSocket& socket) {
    const auto set = [&socket](int option, const std::string& key) {
      return zmq_setsockopt(socket.native(), option, key.data(), key.size()) == 0;
    };
    return set(ZMQ_CURVE_SERVERKEY, options_.server_key) &&
           set(ZMQ_CURVE_PUBLICKEY, options_.keys.public_key) &&
           set(ZMQ_CURVE_SECRETKEY, options_.keys.secret_key);
  }

  void listen(std::function<void(ZmqMessage)> then) {
    session_.socket->on_ready([weak = weak_from_this(), then = std::move(then)] {
      const auto self = weak.lock();
      ZmqMessage message;
      if (self && self->session_.socket && self->session_.socket->receive(message)) {
        then(std::move(message));
      }
      return false;
    });
  }

  /// The monitor's events about the connection under way. Good ends come as messages.
  void happened(int event, int value) {
    const auto self = shared_from_this();
    switch (event) {
      case ZMQ_EVENT_CONNECTED:
        connected_ = true;
        break;
      case ZMQ_EVENT_CLOSED:
        if (!connected_) fail(Errc::unreachable, refusal());
        break;
      case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
        fail(Errc::unauthorized, "the listener does not know our key");
        break;
      case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
        if (value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH) {
          fail(Errc::unauthorized,
               uses_curve() ? "the listener does not use CURVE" : "the listener demands CURVE");
        } else if (uses_curve() && value == ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC) {
          fail(Errc::unauthorized, "the listener has another key");
        } else {
          fail(Errc::bad_bytes, "not a ZeroMQ listener");
        }
        break;
      case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL:
        // A listener that cannot read our first encrypted message just hangs up.
        if (uses_curve()) {
          fail(Errc::unauthorized, "the listener ended the handshake: has it another key?");
        } else {
          fail(Errc::unreachable, "the listener ended the handshake: does it demand CURVE?");
        }
        break;
      case ZMQ_EVENT_DISCONNECTED:
        fail(Errc::unreachable, "the listener ended the connection");
        break;
      default:
        break;
    }
  }

  /// ZeroMQ keeps the reason to itself; for a file the kernel tells it again.
  std::string refusal() const {
    if (endpoint_.is_local() && ::access(endpoint_.path.c_str(), R_OK | W_OK) != 0) {
      return std::system_category().message(errno);
    }
    return "connection refused";
  }

  void fail(Errc code, const std::string& why) {
    finish(Error{code, endpoint_.to_string() + ": " + why});
  }

  void finish(Result<std::shared_ptr<Link>> result) {
    const auto self = shared_from_this();
    auto handler = std::exchange(on_connected_, nullptr);
    stop();
    if (handler) handler(std::move(result));
  }

  void stop() {
    resolve_.cancel();
    deadline_.cancel();
    close_socket();
  }

  void close_socket() {
    session_.monitor.reset();
    session_.socket.reset();
  }

  asio::io_context& context_;
  Endpoint endpoint_;
  const ConnectOptions options_;
  ConnectHandler on_connected_;  // empty: over
  Resolve resolve_;
  asio::steady_timer deadline_;
  const Nonce nonce_ = random_nonce();
  ZmqSession session_;
  bool connected_ = false;
};

ZmqConnecting::ZmqConnecting(asio::io_context& context, Endpoint endpoint, ConnectOptions options,
                             ConnectHandler on_connected)
    : attempt_(std::make_shared<Attempt>(context, std::move(endpoint), std::move(options),
                                         std::move(on_connected))) {
  attempt_->start();
}

ZmqConnecting::~ZmqConnecting() {
  attempt_->cancel();
}

}  // namespace starbus::bus::io
