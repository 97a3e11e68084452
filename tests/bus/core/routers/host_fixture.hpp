/// A busd's router on host "a" with a hand-made busroot and hand-made processes.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bus/core/routers/host_router.hpp"
#include "bus/core/wire/name.hpp"
#include "tests/bus/core/routers/router_harness.hpp"

namespace starbus::bus::test {

class FakeHostShell final : public FakeShell<HostShell> {
 public:
  void watch_pid(std::int64_t pid) override { watched.push_back(pid); }
  void unwatch_pid(std::int64_t pid) override { std::erase(watched, pid); }
  bool has_ended(std::int64_t pid) override { return pid == ended; }
  void remember_term(Epoch term) override { remembered = term; }
  void journal(const JournaledProcess& process, bool lives) override {
    journaled.push_back((lives ? "+" : "-") + process.node);
  }
  void answer_query(const Query& query) override { queries.push_back(query); }
  void uplink_ended(const Error& reason) override { uplink_errors.push_back(reason); }

  std::vector<std::int64_t> watched;
  std::int64_t ended = 0;
  Epoch remembered;
  std::vector<std::string> journaled;
  std::vector<Query> queries;
  std::vector<Error> uplink_errors;
};

inline const std::string kHost = "a";

inline Process local(const std::string& node, std::uint64_t incarnation = 1) {
  return {host_id(kHost), slot_id(node), incarnation};
}
inline Process remote(const std::string& node) {
  return {host_id("b"), slot_id(node), 1};
}

class HostRouterTest : public ::testing::Test {
 protected:
  static HostConfig config() {
    HostConfig config;
    config.host = kHost;
    config.software = "test";
    config.incarnation = 7;
    return config;
  }
  explicit HostRouterTest(HostConfig with = config())
      : router(shell, std::move(with), {}), harness(router, shell) {}

  /// A busroot that has said welcome.
  Peer& root(std::uint64_t term = 1) {
    Peer& peer = silent_root();
    harness.run();
    Welcome welcome;
    welcome.host = "root-1";
    welcome.term = Epoch::of(term, 0);
    peer.say(welcome);
    harness.run();
    return peer;
  }
  /// A busroot of this version, which has granted so many epochs.
  Peer& present_root(std::uint64_t granted, std::uint64_t term = 1) {
    Peer& peer = silent_root();
    harness.run();
    Welcome welcome;
    welcome.minor = kVersionMinor;
    welcome.host = "root-1";
    welcome.term = Epoch::of(term, 0);
    welcome.granted = granted;
    peer.say(welcome);
    harness.run();
    return peer;
  }
  Peer& silent_root() {
    return harness.accept(
        [&](LinkId id, Time now) { router.uplink_opened(id, {}, 0x9000 + id, now); });
  }

  struct Joining {
    std::int64_t pid = 0;
    std::uint64_t incarnation = 1;
    std::string role = "node";
    std::vector<Row> rows = {};
    std::uint32_t uid = 0;
    bool confirmed = true;  // its rows count, as if busroot had taken them
  };
  /// A process with a complete table; pid 0: derived from the node name.
  Peer& join(const std::string& node, Joining how) {
    Peer& peer = connect(node, how);
    if (!how.rows.empty()) peer.say(Table{local(node, how.incarnation), how.rows});
    peer.say(TableEnd{});
    harness.run();
    LocalProcess* const process = router.table().by_id(local(node, how.incarnation));
    if (process && how.confirmed) router.table().confirm_claims(*process);
    return peer;
  }
  Peer& join(const std::string& node) { return join(node, Joining{}); }
  /// Hello only.
  Peer& connect(const std::string& node, Joining how) {
    const std::int64_t pid = how.pid != 0 ? how.pid : slot_id(node) % 30'000 + 1;
    PeerFacts facts;
    facts.pid = pid;
    facts.uid = how.uid;
    facts.address = "pid " + std::to_string(pid);
    Peer& peer = harness.connect(facts);
    peer.say(hello(node, how.incarnation, how.role));
    return peer;
  }
  Hello hello(const std::string& node, std::uint64_t incarnation = 1,
              const std::string& role = "node") const {
    Hello hello;
    hello.minor = speaks;
    hello.name = node;
    hello.role = role;
    hello.incarnation = incarnation;
    return hello;
  }
  static Row row(const std::string& name, std::uint64_t n = 1) {
    return {name, Epoch::of(1, n), Epoch::of(1, n), RowState::active, {}};
  }
  /// busroot grants what a process asked for.
  void grant(Peer& root, const Process& process, const std::string& name, std::uint64_t n = 1,
             std::uint64_t number = 1) {
    root.say(Attached{process, Ticket::of_bind(process, number), name, Epoch::of(1, n),
                      Epoch::of(1, n)});
    harness.run();
  }
  static bus::Run run_to(const std::string& channel, std::uint64_t seq = 1,
                         const Process& origin = {}) {
    bus::Run run;
    run.lane = Lane::call;
    run.origin = origin;
    run.channel = channel_id(channel);
    run.lineage = Epoch::of(1, 1);
    run.seq = seq;
    return run;
  }
  /// The runs that a peer got, bodies dropped.
  static std::vector<bus::Run> runs(Peer& peer) {
    std::vector<bus::Run> runs;
    for (const Bytes& payload : peer.take_payloads(Kind::data)) runs.push_back(view_run(payload));
    return runs;
  }
  static std::vector<std::vector<Target>> multicasts(Peer& peer) {
    std::vector<std::vector<Target>> taken;
    for (const Bytes& payload : peer.take_payloads(Kind::multicast)) {
      taken.push_back(decode_multicast(payload)->targets);
    }
    return taken;
  }
  /// The reason of the RESET that the peer got; ok if it got none.
  static Errc reset_of(Peer& peer) {
    const auto resets = peer.take<Reset>();
    return resets.empty() ? Errc::ok : resets.front().reason;
  }
  static std::string reset_text(Peer& peer) {
    const auto resets = peer.take<Reset>();
    return resets.empty() ? "" : resets.front().detail;
  }

  std::uint8_t speaks = kVersionMinor;  // the processes
  FakeHostShell shell;
  HostRouter router;
  RouterHarness harness;
};

}  // namespace starbus::bus::test
