/// One simulated cluster: busroot, hosts, processes, the links between them, their names, and the
/// oracle that watches. Scenarios and seeded runs drive it in virtual time. Everything that happens
/// follows from the seed. Owns all of it; one thread.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "tests/sim/counts.hpp"
#include "tests/sim/nodes/liar_node.hpp"
#include "tests/sim/nodes/network.hpp"
#include "tests/sim/nodes/process_node.hpp"
#include "tests/sim/nodes/root_node.hpp"
#include "tests/sim/nodes/store_node.hpp"
#include "tests/sim/oracles/client_oracle.hpp"
#include "tests/sim/oracles/log_oracle.hpp"
#include "tests/sim/oracles/oracle.hpp"
#include "tests/sim/timeline.hpp"
#include "tests/sim/trace.hpp"

namespace starbus::sim {

class ClientNode;

struct WorldOptions {
  std::vector<std::string> hosts = {"a", "b", "c"};
  int processes_per_host = 2;
  int clients_per_host = 0;  // that run the client library; instead of processes, not beside them
  std::vector<std::string> movers = {"mover/x", "mover/y"};
  std::vector<std::string> free_names = {};  // bound and given up at will
  std::vector<std::string> mailboxes = {};   // kept on the first host, if there are any
  std::vector<std::string> logs = {};        // likewise; every process follows them
  std::optional<LogOracle::Quota> log_quota =
      {};                     // of all; otherwise drawn, for each life of a store
  bool watch_queues = false;  // count which are full at each step
  bool liars = false;         // the process "liar" of the first host, and the host "z": not started
  double older = 0;           // how often what starts speaks the protocol version before this one
};

class World {
 public:
  enum class NameKind { fixed, mover, free, process, store };
  struct Name {
    std::string text;
    bus::ChannelId id;
    NameKind kind = NameKind::fixed;
  };

  explicit World(std::uint64_t seed, WorldOptions options = {});
  ~World();

  /// Of a part that starts now: an upgrade, or the way back.
  std::uint8_t draw_minor() {
    return versions_.chance(options_.older) ? bus::kVersionMinor - 1 : bus::kVersionMinor;
  }

  Random random;
  Timeline timeline;
  Trace trace;
  Counts counts;
  std::size_t large_body = 0;  // of some messages, beyond what all others have: see Workload
  Network network{*this};
  Oracle oracle;
  MailOracle mail;
  LogOracle log_oracle;
  ClientOracle client_oracle;

  Time now() const { return timeline.now(); }
  RootNode& root() { return *root_; }
  std::vector<std::unique_ptr<HostNode>>& hosts() { return hosts_; }
  std::vector<std::unique_ptr<ProcessNode>>& processes() { return processes_; }
  /// The latest may be one that forges: see ClientWorkload.
  std::vector<std::unique_ptr<ClientNode>>& clients() { return clients_; }
  /// Processes and clients that run.
  std::vector<Node*> programs();
  /// None, or the process and the host.
  std::vector<std::unique_ptr<LiarNode>>& liars() { return liars_; }
  /// None if nobody keeps mail. At the start the first one has all shards.
  std::vector<std::unique_ptr<StoreNode>>& stores() { return stores_; }
  /// The one whose disk says that it has the shard of a mailbox or log; null while it moves.
  StoreNode* store_of(const std::string& box);
  /// What the disks have, by mailbox, of those that are not between two.
  std::map<std::string, MailOracle::Content> stored();
  const std::vector<std::string>& mailboxes() const { return options_.mailboxes; }
  bool is_mailbox(const std::string& name) const;
  const std::vector<std::string>& logs() const { return options_.logs; }
  bool is_log(const std::string& name) const;
  const std::optional<LogOracle::Quota>& log_quota() const { return options_.log_quota; }
  /// Mailboxes and logs, and their shards.
  const std::vector<std::string>& boxes() const { return boxes_; }
  const std::vector<std::uint8_t>& shards() const { return shards_; }
  HostNode& host(std::size_t index) { return *hosts_[index]; }
  /// "a.1"
  ProcessNode& process(std::string_view name);
  std::vector<ProcessNode*> living();

  // --- names ---
  const Name& name(NameIndex index) const { return names_[index]; }
  std::size_t name_count() const { return names_.size(); }
  NameIndex index_of(std::string_view text) const;
  std::optional<NameIndex> find_name(const bus::ChannelId& id) const;
  std::vector<NameIndex> names_of(NameKind kind) const;
  /// The process at which a name is active; null if there is none.
  ProcessNode* owner_of(NameIndex name);
  /// The stay of a name at its owner, if that has been there for a while, runs, and tells its age;
  /// otherwise 0.
  std::uint64_t settled_stay(NameIndex name);
  /// The same for a name of a client; 0 for a shared one.
  std::uint64_t settled_client_stay(std::string_view name);
  bool anything_moves();
  std::string name_process(const bus::Process& process) const;

  // --- time ---
  /// Starts everything, and waits until every fixed and movable name has its owner.
  void begin();
  void run_for(Time duration);
  /// In small steps, until `done` or Violation after `limit`.
  void run_until(const std::function<bool()>& done, Time limit, const std::string& what);
  /// What must hold at every instant.
  void check_step();
  /// Why the cluster is not at rest; empty if it is: everybody is connected, nothing is under way,
  /// and directory and watches say what is true.
  std::string unrest();
  /// No more faults; demands rest within `limit`, and checks that nothing was lost.
  void heal_and_check(Time limit, const std::function<void()>& meanwhile = {});
  /// Adds what the running nodes have counted.
  void collect_counts();
  /// A sender whose messages must all have an end.
  bool lives(const Oracle::Sender& sender);

  // --- what nodes ask ---
  void note(const std::string& who, const std::string& what);
  template <class Words>
  requires std::is_invocable_v<Words>
  void note(const std::string& who, Words&& words) {
    trace.note(now(), [&] { return who + " " + words(); });
  }
  void note_bundle(const Node& from, const Node& to, LinkId link, ByteView bundle);
  bus::PeerFacts facts_of(const Node& peer) const;
  std::uint64_t new_session() { return random.next() | 1; }
  std::int64_t new_pid() { return ++last_pid_; }
  std::uint64_t new_life() { return ++last_life_; }
  std::uint64_t new_stay() { return ++last_stay_; }
  /// The first of a reader's tokens: no two lives of a process may share any.
  std::uint64_t new_tokens() { return ++last_tokens_ << 32; }
  void process_gave_up(ProcessNode& process, const bus::Error& reason);
  /// A call, message or announcement of a client has ended so.
  void count_end(Code code);
  void isolate(const Node& node, Time until);
  bool isolated(const Node& a, const Node& b) const;
  void react(Application& application, ProcessNode& node, NameIndex name) {
    if (on_react) on_react(application, node, name);
  }

  bool leases_may_end = false;
  std::function<void(Application&, ProcessNode&, NameIndex)> on_react;
  /// How a fresh application behaves.
  std::function<void(Application&)> on_application;
  /// A process was refused for good; by default that is a violation.
  std::function<void(ProcessNode&, const bus::Error&)> on_gave_up;

 private:
  void add_name(std::string text, NameKind kind);
  void add_stores();
  std::string unrest_of_mail();
  std::string unread_mail();
  std::string unrest_of_logs();
  void claim_mailboxes();
  void converge(Time limit, const std::function<void()>& meanwhile);
  void append_to_logs();
  void check_logs();
  void check_clients();
  std::string unrest_of_clients();
  std::string unrest_of_client_watches();
  void ask_in_calm();
  void check_owners();
  void check_limits();
  void note_full_queues();
  std::string unrest_of_names();
  std::string unrest_of_watches();
  std::string describe_moves();

  Random versions_;  // apart, so that versions change nothing else
  WorldOptions options_;
  std::vector<std::string> boxes_;
  std::vector<std::uint8_t> shards_;
  std::vector<Name> names_;
  std::map<bus::ChannelId, NameIndex> by_id_;
  std::unique_ptr<RootNode> root_;
  std::vector<std::unique_ptr<HostNode>> hosts_;
  std::vector<std::unique_ptr<ProcessNode>> processes_;
  std::vector<std::unique_ptr<ClientNode>> clients_;
  std::vector<std::unique_ptr<StoreNode>> stores_;
  std::vector<std::unique_ptr<LiarNode>> liars_;
  std::map<const Node*, Time> isolated_until_;
  std::int64_t last_pid_ = 100;
  std::uint64_t last_life_ = 0;
  std::uint64_t last_stay_ = 0;
  std::uint64_t last_tokens_ = 0;
  std::uint64_t checks_ = 0;
};

Counts router_counts(const bus::Router& router);
Counts process_counts(const bus::ProcessCore& core);
/// Of the present life of a client that is up.
Counts client_counts(ClientNode& client);

}  // namespace starbus::sim
