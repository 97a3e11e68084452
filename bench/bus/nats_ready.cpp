#include "bench/bus/nats_ready.hpp"

#include <nats/nats.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "bench/harness/clock.hpp"

namespace starbus::bench {
namespace {

using Connection = std::unique_ptr<natsConnection, decltype(&natsConnection_Destroy)>;
using Subscription = std::unique_ptr<natsSubscription, decltype(&natsSubscription_Destroy)>;

constexpr std::int64_t kPatience = 10 * kSecond;
// Long for a hop on one machine; a forgotten subscription costs one of these.
constexpr std::int64_t kAttempt = 100 * kMillisecond;

Result<Connection> connect(int port, std::int64_t deadline) {
  const std::string url = "nats://127.0.0.1:" + std::to_string(port);
  natsConnection* connection = nullptr;
  natsStatus status = natsConnection_ConnectTo(&connection, url.c_str());
  while (status != NATS_OK && now_ns() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    status = natsConnection_ConnectTo(&connection, url.c_str());
  }
  if (status != NATS_OK) return fail("nats: no leaf at " + url + ": " + natsStatus_GetText(status));
  return Connection(connection, &natsConnection_Destroy);
}

// Each attempt has a subject of its own: a subscription that was forgotten stays so.
bool passes(natsConnection* from, natsConnection* to, const std::string& subject) {
  natsSubscription* made = nullptr;
  if (natsConnection_SubscribeSync(&made, to, subject.c_str()) != NATS_OK) return false;
  const Subscription subscription(made, &natsSubscription_Destroy);
  if (natsConnection_Flush(to) != NATS_OK) return false;
  for (const std::int64_t end = now_ns() + kAttempt; now_ns() < end;) {
    natsMsg* message = nullptr;
    natsConnection_PublishString(from, subject.c_str(), "ready?");
    natsConnection_Flush(from);
    if (natsSubscription_NextMsg(&message, subscription.get(), 5) == NATS_OK) {
      natsMsg_Destroy(message);
      return true;
    }
  }
  return false;
}

}  // namespace

Result<void> wait_for_nats_leaves(const std::vector<int>& client_ports) {
  const std::int64_t deadline = now_ns() + kPatience;
  std::vector<Connection> leaves;
  for (const int port : client_ports) {
    auto leaf = connect(port, deadline);
    if (!leaf) return leaf.error();
    leaves.push_back(std::move(*leaf));
  }
  // Once around: so every leaf has sent to the hub, and the hub to every leaf, what they know.
  for (std::size_t host = 0; leaves.size() > 1 && host < leaves.size(); ++host) {
    const std::size_t next = (host + 1) % leaves.size();
    int attempt = 0;
    const auto subject = [&] {
      return "ready." + std::to_string(next) + "." + std::to_string(++attempt);
    };
    while (!passes(leaves[host].get(), leaves[next].get(), subject())) {
      if (now_ns() > deadline) {
        return fail("nats: leaf " + std::to_string(next) + " hears nothing of the others");
      }
    }
  }
  return {};
}

}  // namespace starbus::bench
