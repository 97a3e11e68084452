#include "bench/bus/peer.hpp"

namespace starbus::bench {

std::unique_ptr<Peer> make_nats_peer();
std::unique_ptr<Peer> make_socket_peer();
std::unique_ptr<Peer> make_starbus_peer();
std::unique_ptr<Peer> make_no_acks_peer();
std::unique_ptr<Peer> make_zmq_peer();

const std::vector<std::unique_ptr<Peer>>& all_peers() {
  static const auto peers = [] {
    std::vector<std::unique_ptr<Peer>> list;
    list.push_back(make_nats_peer());
    list.push_back(make_zmq_peer());
    list.push_back(make_socket_peer());
#ifdef STARBUS_BENCH_WITH_STARBUS
    list.push_back(make_starbus_peer());
    list.push_back(make_no_acks_peer());
#endif
    return list;
  }();
  return peers;
}

Peer* find_peer(std::string_view name) {
  for (const auto& peer : all_peers()) {
    if (peer->name() == name) return peer.get();
  }
  return nullptr;
}

std::string Peer::daemon(int host) const {
  return host == kRoot ? "root" : "relay" + std::to_string(host);
}

Result<void> Peer::spawn_own_relays(const Plan& plan, ProcessGroup& processes) const {
  for (int host = kRoot; host < plan.hosts; ++host) {
    const auto relay = processes.spawn(
        daemon(host), {own_executable(), "role", std::string(name()), "server", "--directory",
                       plan.directory, "--host", std::to_string(host)});
    if (!relay) return relay.error();
  }
  return {};
}

}  // namespace starbus::bench
