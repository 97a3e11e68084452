// What a message bus must offer to be measured. To add one, write peer_NAME.cpp with a class that
// implements Peer and Endpoint, and list it in peer.cpp. The load itself (load.cpp) is the same
// code for every peer, so the numbers differ by the bus alone.
//
//   driver process   Peer::start_cluster   starts the servers of the peer for one case
//   load processes   Peer::connect         one endpoint each, then load.cpp sends and receives
//   server process   Peer::serve           only for peers whose relay is part of this executable
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/bus/plan.hpp"
#include "bench/harness/process.hpp"
#include "bench/harness/result.hpp"

namespace starbus::bench {

using Handler = std::function<void(std::string_view message)>;

// A load process' connection to its host's daemon. One thread uses it, and the handler runs only
// inside poll(), so a peer with threads of its own queues what they receive. poll() may be entered
// again from the handler, when a send() in there found no room.
class Endpoint {
 public:
  virtual ~Endpoint() = default;
  Endpoint() = default;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  // Takes one message for a process, or for kEveryone. May buffer it until flush(), may block.
  // Returns false when it took nothing: the caller polls and tries again.
  virtual bool send(Address to, std::string_view message) = 0;

  // Everything taken so far is on its way without further calls.
  virtual void flush() = 0;

  // Bytes of its link with the daemon so far; zeros where the peer does not say.
  struct Traffic {
    std::uint64_t in = 0;
    std::uint64_t out = 0;
  };
  virtual Traffic traffic() const { return {}; }

  // Waits up to `timeout` for at least one message and hands over all that are there. The message
  // is valid during the handler only. The handler may call send() and flush().
  virtual void poll(std::chrono::milliseconds timeout) = 0;
};

struct ConnectOptions {
  Plan plan;
  Address self;
  bool low_latency = false;  // do not trade delay for throughput
};

struct ServeOptions {
  Plan plan;
  int host = 0;  // kRoot for the root
};
constexpr int kRoot = -1;

class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string_view name() const = 0;
  virtual bool supports_tls() const { return false; }
  // A relay without a protocol: it says what the hops cost, not how a bus behaves in trouble.
  virtual bool is_floor() const { return false; }
  // Not measured unless it is asked for by name.
  virtual bool on_demand() const { return false; }
  // Whether this machine has it, else why not.
  virtual Result<void> available() const { return {}; }
  // The name in the ProcessGroup of the daemon of a host, or of the root.
  virtual std::string daemon(int host) const;
  // Whether its daemon, started with --takeover, takes the place of the one that runs.
  virtual bool takes_over() const { return false; }
  // Whether it promises each message once and in order while daemons come and go.
  virtual bool is_exact() const { return false; }
  // What its load processes run.
  virtual std::string executable() const { return own_executable(); }

  // How many messages of this size a sender keeps ahead of the receiver's count where this peer
  // does best; 0 when the bus holds senders back by itself.
  virtual std::uint64_t window(std::size_t message_bytes) const = 0;

  // Starts root and one daemon per host in `processes`, records ports in the plan, and saves the
  // plan. Need not wait until routes are known: loads greet each other before they measure.
  virtual Result<void> start_cluster(Plan& plan, ProcessGroup& processes) = 0;

  virtual Result<std::unique_ptr<Endpoint>> connect(const ConnectOptions& options,
                                                    Handler handler) = 0;

  // Runs a relay in this process until killed.
  virtual Result<void> serve(const ServeOptions&) { return fail("this peer has no relay"); }

 protected:
  // Starts `bench_bus role PEER server` for the root and for every host.
  Result<void> spawn_own_relays(const Plan& plan, ProcessGroup& processes) const;
};

const std::vector<std::unique_ptr<Peer>>& all_peers();
Peer* find_peer(std::string_view name);

}  // namespace starbus::bench
