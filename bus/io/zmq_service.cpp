#include "bus/io/zmq_service.hpp"

#include <array>
#include <cassert>
#include <vector>

namespace starbus::bus::io {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::milliseconds kDeparture{200};
constexpr std::size_t kCurveKey = 32;
constexpr std::size_t kMaxZapFrames = 16;
constexpr int kZapBurst = 64;  // requests; then the links that are already there get their turn
constexpr int kIoThreads = 2;  // of links, and of strangers (ZmqSocket::serve_strangers)

}  // namespace

struct ZmqService::Departing {
  Departing(std::unique_ptr<ZmqSocket> leaving, asio::io_context& context)
      : socket(std::move(leaving)), timer(context) {}
  std::unique_ptr<ZmqSocket> socket;
  asio::steady_timer timer;
};

ZmqService::ZmqService(asio::execution_context& context)
    : asio::execution_context::service(context), context_(zmq_ctx_new()) {
  zmq_ctx_set(context_, ZMQ_IO_THREADS, kIoThreads);
  // The default of 1023 is three sockets short for every 341st session.
  zmq_ctx_set(context_, ZMQ_MAX_SOCKETS, zmq_ctx_get(context_, ZMQ_SOCKET_LIMIT));
}

ZmqService::~ZmqService() {
  // With a socket still open this would wait for ever; that owner then leaks the context.
  if (open_ == 0) zmq_ctx_term(context_);
}

ZmqService& ZmqService::of(asio::io_context& context) {
  return asio::use_service<ZmqService>(context);
}

void ZmqService::shutdown() {
  departing_.clear();
  zap_.reset();
}

void* ZmqService::open(int type) {
  void* socket = zmq_socket(context_, type);
  if (socket != nullptr) ++open_;
  return socket;
}

void ZmqService::close(void* socket) {
  if (socket == nullptr) return;
  zmq_close(socket);
  --open_;
}

std::string ZmqService::new_monitor_name() {
  return "inproc://monitor-" + std::to_string(++names_);
}

void ZmqService::let_go(std::unique_ptr<ZmqSocket> socket) {
  auto& context = socket->context();
  socket->on_ready(nullptr);
  const auto entry = departing_.emplace(departing_.end(), std::move(socket), context);
  entry->timer.expires_after(kDeparture);
  entry->timer.async_wait([this, entry](const auto& error) {
    if (!error) departing_.erase(entry);
  });
}

std::string ZmqService::add_domain(ZapDecision decide) {
  start_zap();
  std::string name = "starbus-" + std::to_string(++names_);
  domains_.emplace(name, std::move(decide));
  return name;
}

void ZmqService::remove_domain(const std::string& domain) {
  domains_.erase(domain);
}

void ZmqService::start_zap() {
  if (zap_) return;
  zap_ = std::make_unique<ZmqSocket>(static_cast<asio::io_context&>(context()), ZMQ_ROUTER);
  // Only a second authenticator in this private context could make it fail.
  const auto bound = zap_->bind("inproc://zeromq.zap.01");
  assert(bound.has_value());
  static_cast<void>(bound);
  // On the loop, so that the decision needs no lock. It cannot deadlock: ZeroMQ's I/O thread goes
  // on with other connections while a handshake waits for its answer.
  zap_->on_ready([this] { return answer_zap(); });
}

bool ZmqService::answer_zap() {
  // A request: route..., "", version, request id, domain, address, identity, mechanism, key.
  for (int request = 0; request < kZapBurst; ++request) {
    ZmqMessage part;
    if (!zap_->receive(part)) return false;
    std::vector<ZmqMessage> frames;
    frames.push_back(std::move(part));
    while (frames.back().more() && frames.size() < kMaxZapFrames) {
      ZmqMessage next;
      if (!zap_->receive(next)) break;
      frames.push_back(std::move(next));
    }
    std::size_t at = 0;
    while (at < frames.size() && !frames[at].bytes().empty()) ++at;
    if (frames.size() < at + 8) continue;

    const auto domain = domains_.find(as_text(frames[at + 3].bytes()));
    // A copy: the decision may end its listener, and so its domain.
    const ZapDecision decide = domain == domains_.end() ? ZapDecision{} : domain->second;
    const std::string address(as_text(frames[at + 4].bytes()));
    const ByteView public_key = frames[at + 7].bytes();
    std::array<char, 41> text{};
    const bool allowed =
        as_text(frames[at + 6].bytes()) == "CURVE" && public_key.size() == kCurveKey &&
        zmq_z85_encode(text.data(), reinterpret_cast<const std::uint8_t*>(public_key.data()),
                       kCurveKey) != nullptr &&
        decide && decide(text.data(), address);

    // The same route, version and request id, then: status, text, user id, metadata.
    for (std::size_t i = 0; i < at + 3; ++i) zap_->send(frames[i], ZMQ_SNDMORE);
    zap_->send(as_bytes(allowed ? "200" : "400"), ZMQ_SNDMORE);
    zap_->send(as_bytes(allowed ? "OK" : "not on the list"), ZMQ_SNDMORE);
    zap_->send(as_bytes(allowed ? text.data() : ""), ZMQ_SNDMORE);
    zap_->send(ByteView{});
  }
  return true;
}

}  // namespace starbus::bus::io
