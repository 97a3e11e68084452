/// A busroot with hand-made busds, for the tests of RootRouter.
#pragma once

#include "bus/core/routers/root_router.hpp"
#include "bus/core/wire/name.hpp"
#include "tests/bus/core/routers/router_harness.hpp"

namespace starbus::bus::test {

class FakeRootShell final : public FakeShell<RootShell> {
 public:
  Result<> allow_host(const std::string& key, const std::string& host) override {
    const auto found = keys.find(host);
    if (found == keys.end() || found->second == key) return {};
    return Error{Errc::unauthorized, "key of " + host};
  }
  HostRights rights_of(const std::string& host) override { return rights[host]; }
  Result<> remember_bounds(const std::vector<GrantBound>& all) override {
    if (no_numbers) return Error{Errc::io_error, "no space"};
    bounds = all;
    return {};
  }
  Result<> remember_hosts(const std::vector<std::string>& hosts) override {
    if (disk_full) return Error{Errc::io_error, "no space"};
    journals.push_back(hosts);
    return {};
  }
  void answer_query(const Query& query) override { queries.push_back(query); }
  void on_answer(const Answer& answer) override { answers.push_back(answer); }

  bool disk_full = false;
  bool no_numbers = false;                  // the disk takes no bounds
  std::map<std::string, std::string> keys;  // hosts that need this key
  std::map<std::string, HostRights> rights;
  std::vector<GrantBound> bounds;  // on its disk
  std::vector<std::vector<std::string>> journals;
  std::vector<Query> queries;
  std::vector<Answer> answers;
};

inline Process process_on(const std::string& host, const std::string& node,
                          std::uint64_t incarnation = 1) {
  return {host_id(host), slot_id(node), incarnation};
}

inline ProcessUp up_of(const std::string& host, const std::string& node,
                       std::uint64_t incarnation = 1) {
  return {process_on(host, node, incarnation), node, "game", 4711};
}

/// A table of `count` names of an earlier term: the prefix, and 0, 1, 2...
inline void claim_many(Peer& peer, const Process& process, std::size_t count,
                       const std::string& prefix) {
  Table table{process, {}};
  for (std::size_t i = 0; i < count; ++i) {
    const auto n = static_cast<std::uint64_t>(i + 1);
    table.rows.push_back(
        {prefix + std::to_string(i), Epoch::of(1, n), Epoch::of(1, n), RowState::active});
    if (table.rows.size() == 1000 || i + 1 == count) {
      peer.say(table);
      table.rows.clear();
    }
  }
}

struct RootTest : ::testing::Test {
  FakeRootShell shell;
  std::unique_ptr<RootRouter> root;
  std::unique_ptr<RouterHarness> harness;
  std::uint8_t minor = kVersionMinor;  // of the next busroot

  RootTest() {
    restart(1);
    shell.bounds.clear();  // of a busroot that granted nothing
  }

  /// A new busroot at `term` that waits for `journaled`.
  void restart(std::uint64_t term, std::vector<std::string> journaled = {},
               std::size_t max_hosts = kMaxHosts) {
    const Time now = harness ? harness->now() : Time{};
    root.reset();
    shell.bundles.clear();
    RootRouter::Config config;
    config.term = term;
    config.name = "root-1";
    config.journaled = std::move(journaled);
    config.software = "test";
    config.max_hosts = max_hosts;
    config.minor = minor;
    config.bounds = shell.bounds;
    root = std::make_unique<RootRouter>(shell, config, now);
    harness = std::make_unique<RouterHarness>(*root, shell, now);
    shell.closed.clear();
  }
  static Hello hello_of(const std::string& host, std::uint64_t incarnation = 1) {
    Hello hello;
    hello.minor = kVersionMinor;
    hello.party = PartyKind::busd;
    hello.name = host;
    hello.incarnation = incarnation;
    hello.software = "test";
    return hello;
  }
  static PeerFacts facts_at(const std::string& address) {
    PeerFacts facts;
    facts.address = address;
    return facts;
  }
  Peer& connect(const std::string& host, std::uint64_t incarnation = 1,
                const std::string& address = {}, const std::string& key = {}) {
    PeerFacts facts = facts_at(address.empty() ? "10.0.0." + host + ":1" : address);
    facts.key = key;
    Peer& peer = harness->connect(facts);
    peer.say(hello_of(host, incarnation));
    harness->run();
    return peer;
  }
  /// A busd with one living process per node and nothing bound.
  Peer& join(const std::string& host, const std::vector<std::string>& nodes = {"n1"},
             std::uint64_t incarnation = 1) {
    Peer& peer = connect(host, incarnation);
    for (const std::string& node : nodes) peer.say(up_of(host, node));
    peer.say(TableEnd{});
    harness->run();
    return peer;
  }
  /// Binds and confirms; the epoch.
  Epoch bind(Peer& peer, const Process& process, const std::string& name,
             std::uint64_t number = 1) {
    peer.say(Bind{process, number, name});
    harness->run();
    const auto attached = peer.take<Attached>();
    EXPECT_EQ(attached.size(), 1u) << name;
    if (attached.empty()) return {};
    peer.say(Active{process, channel_id(name), attached[0].epoch});
    harness->run();
    EXPECT_EQ(peer.take<ActiveOk>().size(), 1u);
    return attached[0].epoch;
  }
  static bus::Run run_to(const Process& origin, const std::string& name, std::uint64_t seq = 1) {
    bus::Run run;
    run.lane = Lane::sync;
    run.origin = origin;
    run.channel = channel_id(name);
    run.lineage = Epoch::of(1, 1);
    run.seq = seq;
    return run;
  }
  const Directory::Entry* entry(const std::string& name) const {
    return root->directory().find(channel_id(name));
  }
  /// The reason of the RESET that a peer got, ok if none.
  static Errc reset_of(Peer& peer) {
    const auto resets = peer.take<Reset>();
    return resets.empty() ? Errc::ok : resets[0].reason;
  }
};

/// A process on each of two hosts.
inline const Process kA = process_on("A", "n1");
inline const Process kB = process_on("B", "n1");

}  // namespace starbus::bus::test
