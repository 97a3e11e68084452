// Bare sockets through the same hops, as a floor: what the kernel alone costs. Unix streams between
// process and relay, TCP with TCP_NODELAY between relay and root, length-framed messages.
#include <poll.h>

#include <algorithm>
#include <thread>

#include "bench/bus/peer.hpp"
#include "bench/bus/socket_stream.hpp"

namespace starbus::bench {

std::unique_ptr<Peer> make_socket_peer();

namespace {

class SocketEndpoint final : public Endpoint {
 public:
  SocketEndpoint(int descriptor, Address self, Handler handler)
      : stream_(descriptor), handler_(std::move(handler)) {
    stream_.append(kRegistration, {reinterpret_cast<const char*>(&self), sizeof self});
    flush();
  }

  bool send(Address to, std::string_view message) override {
    stream_.append(to, message);
    if (stream_.unsent() >= kBatchBytes) flush();
    return true;
  }

  // Relays always read, so waiting here cannot lock the star up.
  void flush() override {
    while (stream_.unsent() != 0 && stream_.write_some()) {
      if (stream_.unsent() != 0) wait_for(POLLOUT, std::chrono::milliseconds(100));
    }
  }

  void poll(std::chrono::milliseconds timeout) override {
    if (!wait_for(POLLIN, timeout)) return;
    stream_.read_some([this](const FrameHeader&, std::string_view payload) { handler_(payload); });
  }

 private:
  static constexpr std::size_t kBatchBytes = 64 * 1024;

  bool wait_for(short events, std::chrono::milliseconds timeout) const {
    pollfd wanted{stream_.descriptor(), events, 0};
    return ::poll(&wanted, 1, static_cast<int>(timeout.count())) > 0;
  }

  SocketStream stream_;
  Handler handler_;
};

class SocketPeer final : public Peer {
 public:
  bool is_floor() const override { return true; }
  std::string_view name() const override { return "socket"; }

  std::uint64_t window(std::size_t message_bytes) const override {
    // Enough to keep every hop busy; more gains nothing.
    constexpr std::uint64_t kWindowBytes = 4 << 20;
    return std::clamp<std::uint64_t>(kWindowBytes / message_bytes, 256, 65536);
  }

  Result<void> start_cluster(Plan& plan, ProcessGroup& processes) override {
    plan.ports["root"] = free_port();
    if (const auto saved = plan.save(); !saved) return saved;
    return spawn_own_relays(plan, processes);
  }

  Result<std::unique_ptr<Endpoint>> connect(const ConnectOptions& options,
                                            Handler handler) override {
    const std::string path = socket_path(options.plan, options.self.host);
    int descriptor = connect_unix(path);
    for (int attempt = 0; descriptor < 0 && attempt < 250; ++attempt) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      descriptor = connect_unix(path);
    }
    if (descriptor < 0) return fail("socket: cannot connect to " + path);
    std::unique_ptr<Endpoint> endpoint =
        std::make_unique<SocketEndpoint>(descriptor, options.self, std::move(handler));
    return endpoint;
  }

  Result<void> serve(const ServeOptions& options) override {
    return run_socket_relay(options.plan, options.host);
  }
};

}  // namespace

std::unique_ptr<Peer> make_socket_peer() {
  return std::make_unique<SocketPeer>();
}

}  // namespace starbus::bench
