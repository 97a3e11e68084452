// starbus itself: the real busroot and busd executables, and its client library in the loads.
//
// Between hosts: plain sockets where encryption is off (stream://), ZeroMQ with CURVE where it is
// on. Within a host: the unix socket of the local busd. The bus holds its senders back by itself
// (window 0), and acknowledges every message end to end.
#include <sys/stat.h>

#include <boost/asio/io_context.hpp>
#include <iostream>
#include <optional>

#include "bench/bus/message.hpp"
#include "bench/bus/peer.hpp"
#include "bench/harness/files.hpp"
#include "bus/client/bus.hpp"
#include "bus/core/limits.hpp"
#include "bus/io/link.hpp"

namespace starbus::bench {

std::unique_ptr<Peer> make_starbus_peer();

namespace {

std::string channel_of(Address address) {
  return "bench/" + std::to_string(address.host) + "." + std::to_string(address.slot);
}
std::string host_name(int host) {
  return "host" + std::to_string(host);
}
constexpr const char* kGroup = "group/everyone";

class StarbusEndpoint final : public Endpoint {
 public:
  StarbusEndpoint(const Plan& plan, Address self, Handler handler)
      : plan_(plan), self_(self), handler_(std::move(handler)) {}

  Result<void> connect() {
    bus_ = std::make_unique<bus::Bus>(
        loop_, bus::Options{.node = "load-" + std::to_string(self_.slot),
                            .endpoint = "unix://" + plan_.directory + "/" + host_name(self_.host) +
                                        ".sock"});
    bus_->on_undelivered([this](const bus::Undelivered& lost) {
      if (plan_.leaves_out() && lost.reason == bus::Errc::would_block) return;
      std::cerr << "undelivered: " << lost.name << ' ' << lost.reason.to_string() << '\n';
    });
    if (auto connected = wait<void>([&](auto done) { bus_->connect(done); }); !connected) {
      return connected;
    }
    if (auto bound = bind(channel_of(self_)); !bound) return bound;
    const PlannedProcess* planned = plan_.find(self_);
    for (int i = 0; planned && i < planned->subscriptions; ++i) {
      const auto member = std::string(kGroup) + "#" + host_name(self_.host) + "." +
                          std::to_string(self_.slot) + "." + std::to_string(i);
      if (auto bound = bind(member); !bound) return bound;
    }
    return {};
  }

  bool send(Address to, std::string_view message) override {
    const auto body = bus::as_bytes(message);
    const auto sent = to == kEveryone ? bus_->announce(kGroup, body, how_to_publish(message))
                                      : bus_->send(name_of(to), body);
    if (sent) return true;
    // Greetings race the receivers' binds; the loads repeat what was not taken.
    return false;
  }

  void flush() override { loop_.poll(); }
  Traffic traffic() const override {
    const bus::BusCounters counters = bus_->counters();
    return {counters.bytes_in, counters.bytes_out};
  }

  void poll(std::chrono::milliseconds timeout) override {
    // Whoever polls from the handler (a send found no room) must not run the loop again.
    if (in_handler_) return;
    loop_.restart();
    if (loop_.poll() == 0 && timeout.count() > 0) loop_.run_one_for(timeout);
    loop_.poll();
  }

 private:
  template <class T, class Start>
  Result<void> wait(Start start) {
    std::optional<bus::Result<T>> result;
    start([&](bus::Result<T> r) { result = std::move(r); });
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!result && loop_.run_one_until(end) != 0) {
    }
    if (!result) return fail("starbus: no answer in 10 s");
    if (!*result) return fail("starbus: " + result->error().to_string());
    return {};
  }
  Result<void> bind(const std::string& name) {
    return wait<bus::Bound>([&](auto done) {
      bus_->bind(name,
                 {.on_message =
                      [this](bus::Message& message) {
                        in_handler_ = true;
                        handler_(message.text());
                        in_handler_ = false;
                      }},
                 done);
    });
  }
  // Data may leave out a process that is stopped; every process must hear of the end.
  bus::SendOptions how_to_publish(std::string_view message) const {
    const bool skip = plan_.leaves_out() && read_header(message).kind == Kind::kData;
    bus::SendOptions how;
    how.when_full = skip ? bus::WhenFull::skip : bus::WhenFull::wait;
    return how;
  }
  const bus::Name& name_of(Address to) {
    if (!last_ || !(last_to_ == to)) {
      last_.emplace(*bus::Name::of(channel_of(to)));
      last_to_ = to;
    }
    return *last_;
  }

  Plan plan_;
  Address self_;
  Handler handler_;
  boost::asio::io_context loop_;
  std::unique_ptr<bus::Bus> bus_;
  std::optional<bus::Name> last_;
  Address last_to_{};
  bool in_handler_ = false;
};

class StarbusPeer : public Peer {
 public:
  std::string_view name() const override { return "starbus"; }
  bool supports_tls() const override { return true; }
  std::uint64_t window(std::size_t) const override { return 0; }
  bool takes_over() const override { return true; }
  bool is_exact() const override { return true; }
  std::string daemon(int host) const override {
    return host == kRoot ? "busroot" : "busd-" + host_name(host);
  }

  Result<void> start_cluster(Plan& plan, ProcessGroup& processes) override {
    plan.ports["root"] = free_port();
    if (const auto saved = plan.save(); !saved) return saved;
    if (const auto written = write_configuration(plan); !written) return written;
    const std::string bin = own_executable().substr(0, own_executable().rfind('/'));
    auto root = processes.spawn(daemon(kRoot),
                                {bin + "/busroot", "--config", plan.directory + "/busroot.toml"});
    if (!root) return root.error();
    for (int host = 0; host < plan.hosts; ++host) {
      auto busd = processes.spawn(daemon(host), {bin + "/busd", "--config",
                                                 plan.directory + "/" + host_name(host) + ".toml"});
      if (!busd) return busd.error();
    }
    return {};
  }

  Result<std::unique_ptr<Endpoint>> connect(const ConnectOptions& options,
                                            Handler handler) override {
    auto endpoint =
        std::make_unique<StarbusEndpoint>(options.plan, options.self, std::move(handler));
    if (auto connected = endpoint->connect(); !connected) return connected.error();
    return std::unique_ptr<Endpoint>(std::move(endpoint));
  }

 private:
  // With encryption: fresh CURVE keys per case, as starbus-keygen would make them.
  static Result<void> write_configuration(const Plan& plan);
};

Result<void> write_key(const std::string& path, const std::string& secret) {
  const auto written = write_text(path, "starbus-curve-secret " + secret + "\n");
  if (written) ::chmod(path.c_str(), 0600);
  return written;
}

Result<void> StarbusPeer::write_configuration(const Plan& plan) {
  const std::string& folder = plan.directory;
  const std::string endpoint = (plan.tls ? "tcp://127.0.0.1:" : "stream://127.0.0.1:") +
                               std::to_string(plan.ports.at("root"));
  const auto root_keys = bus::io::generate_curve_keys();
  if (!root_keys) return fail(root_keys.error().to_string());
  std::string root = "state_directory = \"" + folder + "/root\"\n[busroot]\nlisten = [\"" +
                     endpoint + "\"]\n[security]\ncurve = " + (plan.tls ? "true" : "false") + "\n";
  if (plan.tls) {
    root += "secret_key_file = \"" + folder + "/root.key\"\n";
    if (auto saved = write_key(folder + "/root.key", root_keys->secret_key); !saved) return saved;
  }
  for (int host = 0; host < plan.hosts; ++host) {
    const std::string name = host_name(host);
    const auto keys = bus::io::generate_curve_keys();
    if (!keys) return fail(keys.error().to_string());
    std::string busd = "state_directory = \"" + folder + "/" + name + "\"\n[busd]\nhost = \"" +
                       name + "\"\nlisten = [\"unix://" + folder + "/" + name +
                       ".sock\"]\n[busroot]\nendpoints = [\"" + endpoint +
                       "\"]\ncurve = " + (plan.tls ? "true" : "false") + "\n";
    if (plan.tls) {
      root +=
          "[[security.hosts]]\nname = \"" + name + "\"\nkeys = [\"" + keys->public_key + "\"]\n";
      busd += "secret_key_file = \"" + folder + "/" + name + ".key\"\nserver_keys = [\"" +
              root_keys->public_key + "\"]\n";
      if (auto saved = write_key(folder + "/" + name + ".key", keys->secret_key); !saved) {
        return saved;
      }
    }
    busd += "[admin]\nlisten = \"127.0.0.1:0\"\n";
    if (auto saved = write_text(folder + "/" + name + ".toml", busd); !saved) return saved;
  }
  root += "[admin]\nlisten = \"127.0.0.1:0\"\n";
  return write_text(folder + "/busroot.toml", root);
}

}  // namespace

namespace {

// What has left counts as handled, and nothing is acknowledged; so the loads hold back by
// themselves, as far as starbus' own window would let them run ahead.
class NoAcksPeer final : public StarbusPeer {
 public:
  std::string_view name() const override { return "no-acks"; }
  bool on_demand() const override { return true; }
  bool is_exact() const override { return false; }
  std::string executable() const override { return own_executable() + "_no_acks"; }
  std::uint64_t window(std::size_t message_bytes) const override {
    return std::max<std::uint64_t>(bus::kChannelWindow / message_bytes, 8);
  }
};

}  // namespace

std::unique_ptr<Peer> make_no_acks_peer() {
  return std::make_unique<NoAcksPeer>();
}

std::unique_ptr<Peer> make_starbus_peer() {
  return std::make_unique<StarbusPeer>();
}

}  // namespace starbus::bench
