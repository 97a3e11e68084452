/// A world of homes, gates, accounts and clients around the product's links, in one thread, on a
/// bus (session_bus.hpp). A seed decides every interleaving. Read this header first.
///
/// The links of homes, the cores of gates and of accounts (these on a slow disk) are the product's
/// (player.hpp, gate.hpp, account.hpp); clients and logins are test doubles (client.hpp). The
/// oracle watches (oracle.hpp). A rule of one of them is broken at its border by name: words, rows
/// and moved states are changed on their way, or a call is left out.
#pragma once

#include "tests/entity/client/sim/account.hpp"
#include "tests/entity/client/sim/chance.hpp"
#include "tests/entity/client/sim/gate.hpp"
#include "tests/entity/client/sim/player.hpp"

namespace starbus::entity::sessions::sim {

class World final : private BusEvents {
 public:
  /// `broken`: "one+another", or none.
  World(std::unique_ptr<SessionBus> bus, std::uint64_t seed, std::string broken, bool deaths);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Random faults for a while; then heals, and demands that all converges.
  void run(int steps);
  void heal();

  // --- the bus ---
  SessionBus& bus() { return *bus_; }
  const SessionBus& bus() const { return *bus_; }
  /// False: would_block.
  bool send(Letter letter);
  /// Somebody makes an entity the owner of its name, if it has none.
  void load(const Pid& from, const std::string& name, const std::function<void()>& done);
  /// Here, whether it has a name or not: as if somebody else had loaded it.
  void load_at(const Pid& at, const std::string& name);

  // --- who is where ---
  bool alive(const Pid& pid) const { return pids_.contains(pid); }
  /// Who has the name; nullptr: nobody.
  Player* player(const std::string& name);
  Account* account(const std::string& name);
  /// What is at a process under this name.
  Player* player_at(const std::string& name, const Pid& at);
  Account* account_at(const std::string& name, const Pid& at);
  Gate* gate(const Pid& pid);
  GateId gate_id(const Pid& pid) const { return {channel_of(pid), pid}; }
  /// What a process has become: another one if it has lost its lease.
  Pid heir(Pid pid) const;
  /// One that is ready; {}: there is none.
  Pid any(std::uint32_t host);
  Pid pid_of(std::uint32_t host, std::uint32_t slot) const;

  // --- what happens to them ---
  Pid start(std::uint32_t host, std::uint32_t slot);
  void kill(Pid pid);  // a copy: what names it may end here
  void move(const std::string& name, const Pid& target);
  void settle();
  void tick();
  /// One event, at random. False: nothing can happen.
  bool progress();

  // --- connections ---
  std::shared_ptr<Wire> connect(Client* client, const Pid& to);
  /// It breaks; both ends learn late.
  void cut(const std::shared_ptr<Wire>& wire);
  /// The client closes it: what it had sent arrives.
  void drop(const std::shared_ptr<Wire>& wire);
  /// A c that was never sent, a u that jumps, the session of another.
  void lie();
  /// One gate at a time: what is given to it is refused, and comes back.
  void drain_one(const Pid& from);
  /// The gate that drains ends when nothing is left to it, and starts again some time.
  void end_drained();
  /// To a group of all gates, by a process that has no entities.
  void announce(const std::string& group);

  // --- small things ---
  bool broken(std::string_view rule) const {
    return ("+" + broken_ + "+").find("+" + std::string(rule) + "+") != std::string::npos;
  }
  std::uint64_t fresh() { return ++numbers_; }
  Key key() { return {fresh(), fresh() * 77}; }
  LinkTime clock() const { return bus_->clock(); }

  Chance chance;
  Oracle oracle;
  std::uint32_t handles = 0;
  int hole = 4, away = 90, stub = 40, pulse = 5;  // seconds
  bool deaths;
  bool leavers = true;  // with deaths: some clients are never seen again
  std::vector<std::unique_ptr<Client>> clients;
  std::map<SessionId, std::uint64_t> tickets;  // of logins: the number of the proof
  /// Connections whose next frame a test holds back, up or down.
  std::function<bool(const Wire&, bool up)> hold_wire;

 private:
  using Place = std::pair<std::string, Pid>;
  struct Owner {
    Pid pid{};
    std::uint64_t epoch = 0;
  };
  void bound(const Pid& at, const std::string& name, std::uint64_t epoch) override;
  bus::Bytes freeze(const Pid& at, const std::string& name) override;
  void arrived(const Pid& at, const std::string& name, std::uint64_t epoch,
               const bus::Bytes& state) override;
  void moved(const Pid& at, const std::string& name) override;
  void goes_on(const Pid& at, const std::string& name, std::uint64_t epoch,
               bool rolled_back) override;
  void died(const Pid& reader, const Pid& dead) override;
  void fenced(const Pid& before, const Pid& now) override;
  void linked(const Pid& at, bool there) override;

  void own(const Place& place, std::uint64_t epoch);
  void lost(const std::string& name);
  using Accounts = std::vector<std::shared_ptr<Account>>;
  Accounts retire(Pid pid);
  void haunt(const Pid& before, const Pid& now);
  std::vector<Place> players();
  void start_missing(double part);

  void act();
  void act_at_homes();
  void ask_something();
  void come_back();
  void break_a_wire();
  void move_names();
  void move_sessions();
  void kill_somebody();
  void converge();
  bool comes_again(const Client& client) const;
  std::vector<std::string> left_over();
  void check_client(Client& client, std::vector<std::string>& left);
  void check_owners(const std::set<SessionId>& used, std::vector<std::string>& left);

  using Carried = std::vector<std::pair<std::shared_ptr<Wire>, bool>>;
  Carried carried();
  void carry(const std::shared_ptr<Wire>& wire, bool up);

  std::string broken_;
  std::unique_ptr<SessionBus> bus_;
  std::uint64_t numbers_ = 0;
  std::set<Pid> pids_;
  std::map<Pid, Pid> heirs_;
  std::map<Pid, std::unique_ptr<Gate>> gates_;
  std::map<Place, std::shared_ptr<Player>> players_;
  std::map<Place, std::shared_ptr<Account>> accounts_;
  std::map<std::string, Owner> owners_;
  std::vector<std::shared_ptr<Wire>> wires_;
  gates::ConnectionId connections_ = 0;
  std::uint64_t announced_ = 0;
  Pid draining_{};
};

}  // namespace starbus::entity::sessions::sim
