// NATS with leaf nodes in the same star: one nats-server as the hub, one leaf server per host, and
// clients (the NATS C client) that know only their host's leaf. Configuration: bench/nats/.
//
// Core NATS drops what a slow consumer cannot take, so the load's window keeps senders in step and
// the pending limits are far above it: nothing is dropped, and the receiver checks that.
#include <nats/nats.h>

#include <algorithm>
#include <climits>
#include <thread>

#include "bench/bus/nats_ready.hpp"
#include "bench/bus/peer.hpp"
#include "bench/harness/clock.hpp"
#include "bench/harness/files.hpp"

namespace starbus::bench {

std::unique_ptr<Peer> make_nats_peer();

namespace {

// The client writes when this much has gathered, or when its flusher thread wakes.
constexpr int kBufferBytes = 64 * 1024;

// How long a client pauses before it connects again, and the jitter on top: as starbus' first
// pause, where libnats waits two seconds unless it is told otherwise. It never gives up.
constexpr int kReconnectPause = 20;  // milliseconds
constexpr int kReconnectJitter = 10;

Failure failure(const char* doing, natsStatus status) {
  return fail(std::string("nats: ") + doing + ": " + natsStatus_GetText(status));
}

std::string subject_of(Address address) {
  if (address == kEveryone) return "bench.everyone";
  return "bench." + std::to_string(address.host) + "." + std::to_string(address.slot);
}

class NatsEndpoint final : public Endpoint {
 public:
  explicit NatsEndpoint(Handler handler) : handler_(std::move(handler)) {}

  ~NatsEndpoint() override {
    for (natsSubscription* subscription : subscriptions_) natsSubscription_Destroy(subscription);
    natsConnection_Destroy(connection_);
    natsOptions_Destroy(options_);
  }

  Result<void> open(const ConnectOptions& options) {
    const auto port = options.plan.ports.find("client" + std::to_string(options.self.host));
    if (port == options.plan.ports.end()) return fail("nats: no port in the plan");
    const std::string url = "nats://127.0.0.1:" + std::to_string(port->second);
    natsStatus status = natsOptions_Create(&options_);
    if (status == NATS_OK) status = natsOptions_SetURL(options_, url.c_str());
    if (status == NATS_OK) status = natsOptions_SetIOBufSize(options_, kBufferBytes);
    if (status == NATS_OK) status = natsOptions_SetNoEcho(options_, true);
    if (status == NATS_OK) status = natsOptions_SetReconnectWait(options_, kReconnectPause);
    if (status == NATS_OK) {
      status = natsOptions_SetReconnectJitter(options_, kReconnectJitter, kReconnectJitter);
    }
    if (status == NATS_OK) status = natsOptions_SetMaxReconnect(options_, -1);
    // True writes on every publish instead of waking the flusher thread, which waits a millisecond.
    if (status == NATS_OK) status = natsOptions_SetSendAsap(options_, options.low_latency);
    if (status != NATS_OK) return failure("options", status);
    const std::int64_t deadline = now_ns() + 5 * kSecond;
    do {
      status = natsConnection_Connect(&connection_, options_);
      if (status != NATS_OK) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    } while (status != NATS_OK && now_ns() < deadline);
    if (status != NATS_OK) return failure("connect", status);

    const PlannedProcess* self = options.plan.find(options.self);
    if (const auto own = subscribe(options.self); !own) return own;
    for (int i = 0; self != nullptr && i < self->subscriptions; ++i) {
      if (const auto shared = subscribe(kEveryone); !shared) return shared;
    }
    status = natsConnection_Flush(connection_);
    if (status != NATS_OK) return failure("flush", status);
    return {};
  }

  bool send(Address to, std::string_view message) override {
    if (!(to == to_) || subject_.empty()) {
      to_ = to;
      subject_ = subject_of(to);
    }
    return natsConnection_Publish(connection_, subject_.c_str(), message.data(),
                                  static_cast<int>(message.size())) == NATS_OK;
  }

  // The client's own flusher sends what is buffered; natsConnection_Flush would add a round trip.
  void flush() override {}

  // With several subscriptions, every publication reaches all of them: waiting on one is enough.
  void poll(std::chrono::milliseconds timeout) override {
    const bool waited_in_vain = !take(subscriptions_.back(), timeout.count());
    if (waited_in_vain && subscriptions_.size() == 1) return;
    for (natsSubscription* subscription : subscriptions_) {
      while (take(subscription, 0)) {
      }
    }
  }

 private:
  Result<void> subscribe(Address address) {
    natsSubscription* subscription = nullptr;
    natsStatus status =
        natsConnection_SubscribeSync(&subscription, connection_, subject_of(address).c_str());
    if (status == NATS_OK) {
      subscriptions_.push_back(subscription);
      status = natsSubscription_SetPendingLimits(subscription, INT_MAX, INT_MAX);
    }
    if (status != NATS_OK) return failure("subscribe", status);
    return {};
  }

  bool take(natsSubscription* subscription, std::int64_t timeout_ms) {
    natsMsg* message = nullptr;
    if (natsSubscription_NextMsg(&message, subscription, timeout_ms) != NATS_OK) return false;
    handler_({natsMsg_GetData(message), static_cast<std::size_t>(natsMsg_GetDataLength(message))});
    natsMsg_Destroy(message);
    return true;
  }

  Handler handler_;
  natsOptions* options_ = nullptr;
  natsConnection* connection_ = nullptr;
  std::vector<natsSubscription*> subscriptions_;
  Address to_;
  std::string subject_;
};

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

class NatsPeer final : public Peer {
 public:
  std::string_view name() const override { return "nats"; }
  bool supports_tls() const override { return true; }
  Result<void> available() const override {
    if (!run_command({"nats-server", "--version"})) return fail("there is no nats-server");
    return {};
  }
  std::string daemon(int host) const override {
    return host == kRoot ? "hub" : "leaf" + std::to_string(host);
  }

  std::uint64_t window(std::size_t message_bytes) const override {
    // Measured: a larger window gains nothing, a smaller one loses.
    constexpr std::uint64_t kWindowBytes = 64 << 20;
    return std::clamp<std::uint64_t>(kWindowBytes / message_bytes, 256, 131072);
  }

  Result<void> start_cluster(Plan& plan, ProcessGroup& processes) override {
    plan.ports["hub"] = free_port();
    plan.ports["hub_client"] = free_port();
    for (int host = 0; host < plan.hosts; ++host) {
      plan.ports["client" + std::to_string(host)] = free_port();
    }
    if (const auto saved = plan.save(); !saved) return saved;
    if (plan.tls) {
      if (const auto made = make_certificate(plan.directory); !made) return made;
    }
    if (const auto hub = start(plan, processes, kRoot, "hub_client"); !hub) return hub;
    // A leaf that finds no hub tries again only a second later.
    if (const auto open = wait_for_port(plan.ports["hub"]); !open) return open;
    for (int host = 0; host < plan.hosts; ++host) {
      const auto leaf = start(plan, processes, host, "client" + std::to_string(host));
      if (!leaf) return leaf;
    }
    std::vector<int> client_ports;
    for (int host = 0; host < plan.hosts; ++host) {
      client_ports.push_back(plan.ports.at("client" + std::to_string(host)));
    }
    return wait_for_nats_leaves(client_ports);
  }

  Result<std::unique_ptr<Endpoint>> connect(const ConnectOptions& options,
                                            Handler handler) override {
    auto endpoint = std::make_unique<NatsEndpoint>(std::move(handler));
    if (const auto opened = endpoint->open(options); !opened) return opened.error();
    return std::unique_ptr<Endpoint>(std::move(endpoint));
  }

 private:
  Result<void> start(const Plan& plan, ProcessGroup& processes, int host,
                     const std::string& port) const {
    const std::string server = daemon(host);
    const std::string kind = host == kRoot ? "hub" : "leaf";
    const std::string suffix = plan.tls ? ".tls.conf.in" : ".conf.in";
    const auto body = read_text(STARBUS_BENCH_NATS_TEMPLATES "/" + kind + suffix);
    const auto common = read_text(STARBUS_BENCH_NATS_TEMPLATES "/common.conf.in");
    if (!body) return body.error();
    if (!common) return common.error();
    std::string text = *common + *body;
    text = replace_all(text, "@NAME@", server);
    text = replace_all(text, "@CLIENT_PORT@", std::to_string(plan.ports.at(port)));
    text = replace_all(text, "@HUB_PORT@", std::to_string(plan.ports.at("hub")));
    text = replace_all(text, "@DIRECTORY@", plan.directory);
    const std::string path = plan.directory + "/" + server + ".conf";
    if (const auto written = write_text(path, text); !written) return written;
    // Collecting garbage less often gains NATS a fifth of its throughput here.
    const auto process = processes.spawn(server, {"env", "GOGC=400", "nats-server", "-c", path});
    if (!process) return process.error();
    return {};
  }

  static Result<void> make_certificate(const std::string& directory) {
    return run_command({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                        "-keyout", directory + "/key.pem", "-out", directory + "/cert.pem"});
  }
};

}  // namespace

std::unique_ptr<Peer> make_nats_peer() {
  return std::make_unique<NatsPeer>();
}

}  // namespace starbus::bench
