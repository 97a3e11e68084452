#include "bus/io/zmq_socket.hpp"

#include <boost/asio/post.hpp>
#include <cassert>
#include <stdexcept>
#include <utility>

#include "bus/core/limits.hpp"
#include "bus/io/zmq_service.hpp"

namespace starbus::bus::io {
namespace {

namespace asio = boost::asio;

constexpr int kLinger = 100;          // ms in ZeroMQ's background, for the last words
constexpr int kHighWaterMark = 1000;  // messages; the link clock is far below
// CURVE wraps a message in 33 bytes more, and the limit is applied before it is unwrapped.
constexpr std::int64_t kLargestMessage = kMaxBundle + 64;
// Sets of I/O threads: bit n is thread n of the context (ZmqService).
constexpr std::uint64_t kThreadOfLinks = 1;
constexpr std::uint64_t kThreadOfStrangers = 2;
constexpr int kHandshakeTimeout = 3000;  // ms, for a peer that connects and says nothing

/// -1 if there is no socket.
int signal_of(void* socket) {
  int fd = -1;
  std::size_t size = sizeof fd;
  return socket != nullptr && zmq_getsockopt(socket, ZMQ_FD, &fd, &size) == 0 ? fd : -1;
}

/// Errors of a constructor as values.
template <class Made, class... Arguments>
Result<std::unique_ptr<Made>> make_or_fail(Arguments&&... arguments) {
  try {
    return std::make_unique<Made>(std::forward<Arguments>(arguments)...);
  } catch (const std::runtime_error& error) {
    return Error{Errc::io_error, error.what()};
  }
}

}  // namespace

Error zmq_error(const std::string& what) {
  return Error{Errc::io_error, what + ": " + zmq_strerror(zmq_errno())};
}

ZmqSocket::ZmqSocket(asio::io_context& context, int type)
    : context_(context),
      service_(ZmqService::of(context)),
      socket_(service_.open(type)),
      signal_(context) {
  const int fd = signal_of(socket_);
  boost::system::error_code refused;
  if (fd >= 0) signal_.assign(fd, refused);
  if (fd < 0 || refused) {
    const std::string why = refused ? refused.message() : zmq_strerror(zmq_errno());
    service_.close(socket_);
    throw std::runtime_error("no socket of ZeroMQ: " + why);
  }
  set(ZMQ_LINGER, kLinger);
  set(ZMQ_RECONNECT_IVL, -1);  // a broken pipe is the end of a session
  set(ZMQ_SNDHWM, kHighWaterMark);
  set(ZMQ_RCVHWM, kHighWaterMark);
  set(ZMQ_HANDSHAKE_IVL, kHandshakeTimeout);
  zmq_setsockopt(socket_, ZMQ_MAXMSGSIZE, &kLargestMessage, sizeof kLargestMessage);
  zmq_setsockopt(socket_, ZMQ_AFFINITY, &kThreadOfLinks, sizeof kThreadOfLinks);
}

Result<std::unique_ptr<ZmqSocket>> ZmqSocket::make(asio::io_context& context, int type) {
  return make_or_fail<ZmqSocket>(context, type);
}

ZmqSocket::~ZmqSocket() {
  signal_.release();  // the descriptor is ZeroMQ's
  service_.close(socket_);
}

void ZmqSocket::set(int option, int value) {
  [[maybe_unused]] const int failed = zmq_setsockopt(socket_, option, &value, sizeof value);
  assert(failed == 0);
}

void ZmqSocket::set(int option, std::string_view value) {
  [[maybe_unused]] const int failed = zmq_setsockopt(socket_, option, value.data(), value.size());
  assert(failed == 0);
}

void ZmqSocket::serve_strangers() {
  [[maybe_unused]] const int failed =
      zmq_setsockopt(socket_, ZMQ_AFFINITY, &kThreadOfStrangers, sizeof kThreadOfStrangers);
  assert(failed == 0);
}

Result<> ZmqSocket::bind(const std::string& endpoint) {
  if (zmq_bind(socket_, endpoint.c_str()) != 0) return zmq_error("bind " + endpoint);
  return {};
}

Result<> ZmqSocket::connect(const std::string& endpoint) {
  if (zmq_connect(socket_, endpoint.c_str()) != 0) return zmq_error("connect " + endpoint);
  return {};
}

void ZmqSocket::on_ready(OnReady on_ready) {
  on_ready_ = std::make_shared<OnReady>(std::move(on_ready));
  if (*on_ready_) check_again();
}

void ZmqSocket::check_again() {
  if (std::exchange(posted_, true)) return;
  asio::post(context_, [this, weak = std::weak_ptr(alive_)] {
    if (weak.expired()) return;
    posted_ = false;
    ready();
  });
}

void ZmqSocket::wait() {
  if (std::exchange(waiting_, true)) return;
  signal_.async_wait(asio::posix::stream_descriptor::wait_read,
                     [this, weak = std::weak_ptr(alive_)](const auto& error) {
                       if (error || weak.expired()) return;
                       waiting_ = false;
                       ready();
                     });
}

void ZmqSocket::ready() {
  const auto handler = on_ready_;
  if (!*handler) return;
  const std::weak_ptr alive = alive_;
  const bool more = (*handler)();
  if (alive.expired() || handler != on_ready_) return;  // a new handler has been asked for already
  if (more) return check_again();
  wait();
}

bool ZmqSocket::receive(ZmqMessage& message) {
  return zmq_msg_recv(message.get(), socket_, ZMQ_DONTWAIT) >= 0;
}

bool ZmqSocket::send(ZmqMessage& message, int flags) {
  return zmq_msg_send(message.get(), socket_, flags | ZMQ_DONTWAIT) >= 0;
}

bool ZmqSocket::send(ByteView bytes, int flags) {
  return zmq_send(socket_, bytes.data(), bytes.size(), flags | ZMQ_DONTWAIT) >= 0;
}

ZmqMonitor::ZmqMonitor(ZmqSocket& socket)
    : watched_(socket), events_(std::make_unique<ZmqSocket>(socket.context(), ZMQ_PAIR)) {
  // With a bound, ZeroMQ's I/O thread would wait for this one in the middle of an event, and the
  // end of the monitor for both. An event is some 100 bytes, and connections are bounded.
  events_->set(ZMQ_RCVHWM, 0);
  const auto name = ZmqService::of(socket.context()).new_monitor_name();
  const bool watched = zmq_socket_monitor(socket.native(), name.c_str(), ZMQ_EVENT_ALL) == 0;
  if (watched && events_->connect(name)) return;
  const std::string why = zmq_strerror(zmq_errno());
  zmq_socket_monitor(socket.native(), nullptr, 0);
  throw std::runtime_error("no monitor of ZeroMQ: " + why);
}

Result<std::unique_ptr<ZmqMonitor>> ZmqMonitor::make(ZmqSocket& socket) {
  return make_or_fail<ZmqMonitor>(socket);
}

ZmqMonitor::~ZmqMonitor() {
  zmq_socket_monitor(watched_.native(), nullptr, 0);
}

void ZmqMonitor::on_event(OnEvent on_event) {
  on_event_ = std::make_shared<OnEvent>(std::move(on_event));
  events_->on_ready([this] { return read(); });
}

bool ZmqMonitor::read() {
  // Two frames: {event u16, value u32}, address.
  const auto handler = on_event_;
  ZmqMessage event;
  while (events_->receive(event)) {
    ZmqMessage address;
    events_->receive(address);
    Reader reader(event.bytes());
    const auto what = reader.get<std::uint16_t>();
    const auto value = reader.get<std::uint32_t>();
    (*handler)(what, static_cast<int>(value));
    if (handler.use_count() == 1) return false;  // destroyed, or has a new handler and asks again
  }
  return false;
}

}  // namespace starbus::bus::io
