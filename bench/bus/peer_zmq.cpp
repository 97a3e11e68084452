// Bare ZeroMQ through the same hops, as a floor: what its sockets and threads cost without any
// protocol of ours. One ZeroMQ message per message; ipc between process and relay, tcp between
// relay and root; a relay is one thread that moves messages from socket to socket. The only
// addition is a four-byte address in front, so that a relay knows where to.
#include <zmq.h>

#include <algorithm>
#include <cstring>

#include "bench/bus/peer.hpp"

namespace starbus::bench {

std::unique_ptr<Peer> make_zmq_peer();

namespace {

constexpr int kHighWaterMark = 200'000;

Failure failure(const char* doing) {
  return fail(std::string("zmq: ") + doing + ": " + zmq_strerror(zmq_errno()));
}

std::string process_url(const Plan& plan, Address address) {
  return "ipc://" + plan.directory + "/" + std::to_string(address.host) + "." +
         std::to_string(address.slot) + ".ipc";
}

std::string root_url(const Plan& plan, int host) {
  const auto port = plan.ports.find("root" + std::to_string(host));
  return "tcp://127.0.0.1:" + std::to_string(port == plan.ports.end() ? 0 : port->second);
}

class Context {
 public:
  Context() : context_(zmq_ctx_new()) {}
  ~Context() {
    for (void* socket : sockets_) zmq_close(socket);
    zmq_ctx_term(context_);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // One DEALER at each end of a pair: no identities, no envelope.
  Result<void*> open(const std::string& url, bool listen) {
    void* socket = zmq_socket(context_, ZMQ_DEALER);
    if (socket == nullptr) return failure("socket");
    sockets_.push_back(socket);
    const int no_linger = 0;
    zmq_setsockopt(socket, ZMQ_SNDHWM, &kHighWaterMark, sizeof kHighWaterMark);
    zmq_setsockopt(socket, ZMQ_RCVHWM, &kHighWaterMark, sizeof kHighWaterMark);
    zmq_setsockopt(socket, ZMQ_LINGER, &no_linger, sizeof no_linger);
    const int done = listen ? zmq_bind(socket, url.c_str()) : zmq_connect(socket, url.c_str());
    if (done != 0) return failure(url.c_str());
    return socket;
  }

 private:
  void* context_;
  std::vector<void*> sockets_;
};

class ZmqEndpoint final : public Endpoint {
 public:
  explicit ZmqEndpoint(Handler handler) : handler_(std::move(handler)) { zmq_msg_init(&message_); }
  ~ZmqEndpoint() override { zmq_msg_close(&message_); }

  Result<void> open(const ConnectOptions& options) {
    const Result<void*> socket = context_.open(process_url(options.plan, options.self), false);
    if (!socket) return socket.error();
    socket_ = *socket;
    return {};
  }

  bool send(Address to, std::string_view message) override {
    zmq_msg_t out;
    zmq_msg_init_size(&out, sizeof to + message.size());
    auto* data = static_cast<char*>(zmq_msg_data(&out));
    std::memcpy(data, &to, sizeof to);
    std::memcpy(data + sizeof to, message.data(), message.size());
    if (zmq_msg_send(&out, socket_, ZMQ_DONTWAIT) >= 0) return true;
    zmq_msg_close(&out);
    return false;
  }

  void flush() override {}

  void poll(std::chrono::milliseconds timeout) override {
    zmq_pollitem_t item{socket_, 0, ZMQ_POLLIN, 0};
    if (zmq_poll(&item, 1, timeout.count()) <= 0) return;
    while (zmq_msg_recv(&message_, socket_, ZMQ_DONTWAIT) >= 0) {
      const auto* data = static_cast<const char*>(zmq_msg_data(&message_));
      const std::size_t size = zmq_msg_size(&message_);
      if (size > sizeof(Address)) handler_({data + sizeof(Address), size - sizeof(Address)});
    }
  }

 private:
  Handler handler_;
  Context context_;
  void* socket_ = nullptr;
  zmq_msg_t message_;
};

class ZmqRelay {
 public:
  Result<void> run(const ServeOptions& options) {
    host_ = options.host;
    if (const auto opened = host_ == kRoot ? open_root(options.plan) : open_host(options.plan);
        !opened) {
      return opened;
    }
    zmq_msg_t message;
    zmq_msg_init(&message);
    constexpr int kBurst = 256;
    while (zmq_poll(items_.data(), static_cast<int>(items_.size()), -1) >= 0) {
      for (const zmq_pollitem_t& item : items_) {
        if ((item.revents & ZMQ_POLLIN) == 0) continue;
        for (int i = 0; i < kBurst; ++i) {
          if (zmq_msg_recv(&message, item.socket, ZMQ_DONTWAIT) < 0) break;
          route(&message, item.socket);
        }
      }
    }
    zmq_msg_close(&message);
    return failure("poll");
  }

 private:
  // Where a message can go: a process of this host, or at the root a whole host.
  struct Exit {
    void* socket = nullptr;
    int subscriptions = 0;
  };

  Result<void> open_root(const Plan& plan) {
    for (int host = 0; host < plan.hosts; ++host) {
      const Result<void*> socket = add(root_url(plan, host), true);
      if (!socket) return socket.error();
      exits_.push_back({*socket, 1});
    }
    return {};
  }

  Result<void> open_host(const Plan& plan) {
    for (const PlannedProcess& process : plan.on_host(host_)) {
      const Result<void*> socket = add(process_url(plan, process.address), true);
      if (!socket) return socket.error();
      const std::size_t slot = process.address.slot;
      if (exits_.size() <= slot) exits_.resize(slot + 1);
      exits_[slot] = {*socket, process.subscriptions};
    }
    const Result<void*> uplink = add(root_url(plan, host_), false);
    if (!uplink) return uplink.error();
    uplink_ = *uplink;
    return {};
  }

  Result<void*> add(const std::string& url, bool listen) {
    Result<void*> socket = context_.open(url, listen);
    if (socket) items_.push_back({*socket, 0, ZMQ_POLLIN, 0});
    return socket;
  }

  // Blocks when the way out is full: the queues before it then fill up too, down to the sender.
  void route(zmq_msg_t* message, const void* from) {
    if (zmq_msg_size(message) < sizeof(Address)) return;
    Address to;
    std::memcpy(&to, zmq_msg_data(message), sizeof to);
    if (to == kEveryone) return publish(message, from);
    const std::size_t exit = host_ == kRoot ? to.host : to.slot;
    if (host_ != kRoot && to.host != host_) {
      zmq_msg_send(message, uplink_, 0);
    } else if (exit < exits_.size() && exits_[exit].socket != nullptr) {
      zmq_msg_send(message, exits_[exit].socket, 0);
    }
  }

  void publish(zmq_msg_t* message, const void* from) {
    if (uplink_ != nullptr && from != uplink_) send_copy(message, uplink_);
    for (const Exit& exit : exits_) {
      // A publication reaches subscribers on the publisher's own host at its relay.
      if (exit.socket == nullptr || exit.socket == from) continue;
      for (int i = 0; i < exit.subscriptions; ++i) send_copy(message, exit.socket);
    }
  }

  static void send_copy(zmq_msg_t* message, void* socket) {
    zmq_msg_t copy;
    zmq_msg_init(&copy);
    zmq_msg_copy(&copy, message);
    if (zmq_msg_send(&copy, socket, 0) < 0) zmq_msg_close(&copy);
  }

  int host_ = 0;
  Context context_;
  std::vector<zmq_pollitem_t> items_;
  std::vector<Exit> exits_;
  void* uplink_ = nullptr;
};

class ZmqPeer final : public Peer {
 public:
  bool is_floor() const override { return true; }
  std::string_view name() const override { return "zmq"; }

  std::uint64_t window(std::size_t message_bytes) const override {
    // Enough to keep every hop busy; more gains nothing.
    constexpr std::uint64_t kWindowBytes = 64 << 20;
    return std::clamp<std::uint64_t>(kWindowBytes / message_bytes, 256, 131072);
  }

  Result<void> start_cluster(Plan& plan, ProcessGroup& processes) override {
    for (int host = 0; host < plan.hosts; ++host) {
      plan.ports["root" + std::to_string(host)] = free_port();
    }
    if (const auto saved = plan.save(); !saved) return saved;
    return spawn_own_relays(plan, processes);
  }

  Result<std::unique_ptr<Endpoint>> connect(const ConnectOptions& options,
                                            Handler handler) override {
    auto endpoint = std::make_unique<ZmqEndpoint>(std::move(handler));
    if (const auto opened = endpoint->open(options); !opened) return opened.error();
    return std::unique_ptr<Endpoint>(std::move(endpoint));
  }

  Result<void> serve(const ServeOptions& options) override { return ZmqRelay().run(options); }
};

}  // namespace

std::unique_ptr<Peer> make_zmq_peer() {
  return std::make_unique<ZmqPeer>();
}

}  // namespace starbus::bench
