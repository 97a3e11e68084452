/// A world of homes, gates, accounts and clients around the product's links, in one thread with a
/// clock of its own. A seed decides every interleaving. The bus is taken at its word: once and in
/// order per (sender, channel, lane) between the living, held during a move, `no_owner` and
/// `owner_lost`; deaths are told to each reader in its own time, and nothing of a dead process
/// comes after that.
///
/// The links of homes, the cores of gates and of accounts (these on a slow disk) are the product's
/// (player.cpp, gate.cpp, account.cpp); clients and logins are test doubles (client.cpp). `Policy`
/// names one rule of one of them that is broken at its border: words, rows and moved states are
/// changed on their way, or a call is left out.
#pragma once

#include <any>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>

#include "entity/client/home_lines.hpp"
#include "nodes/gate/core/gate_core.hpp"
#include "nodes/players/core/account_core.hpp"

namespace starbus::entity::sessions::sim {

namespace gates = nodes::gate;

/// The oracle saw a broken promise.
struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Pid = bus::Process;  // host: 1 gates, 2 homes, 3 hosts of accounts; slot: which; incarnation
enum class Lane { down, up };
enum class Outcome { ok, no_owner, owner_lost };

class World;
class Gate;
class Player;
class Account;
class Client;

/// A handler runs at the receiver; what it returns goes back with the acknowledgement.
using Handler = std::function<std::any(World&, const Pid& from)>;
using Done = std::function<void(Outcome, const std::any&)>;

struct Message {
  Pid from;
  Handler handler;
  Done done;
  std::string what;
};

struct ClientRequest {
  std::uint64_t id = 0;
  Bind bind{};
  std::string go{};  // not empty: play this one
};

using gates::Parcel;

/// A connection as TCP is: two queues; a break loses a random suffix of each, and each end learns
/// of it when it comes to the end of its queue.
struct Wire {
  struct Eof {};
  using Up = std::variant<gates::FromClient, Eof>;
  using Down = std::variant<gates::ToClient, Parcel, Eof>;
  Client* client = nullptr;  // nullptr: of one that lies
  Pid gate{};
  gates::ConnectionId number = 0;
  std::deque<Up> up{};
  std::deque<Down> down{};
  bool broken = false;
};

class World {
 public:
  World(std::uint64_t seed, std::string broken, bool deaths);
  ~World();

  /// Random faults for a while; then heals, and demands that all converges.
  void run(int steps);
  void heal();

  // --- the bus ---
  void send(const Pid& from, const std::string& to, Lane lane, std::string what, Handler handler,
            Done done = {});
  static std::string channel_of(const Pid& process);
  bool alive(const Pid& pid) const { return pids_.contains(pid); }
  bool told(const Pid& reader, const Pid& dead) const;
  void own(const std::string& name, const Pid& pid, std::shared_ptr<Player> player);
  void load(const Pid& from, const std::string& name, std::function<void()> done);
  bool owned(const std::string& name) const;
  Player* player(const std::string& name);
  Account* account(const std::string& name);
  Gate* gate(const Pid& pid);
  GateId gate_id(const Pid& pid) const { return {channel_of(pid), pid}; }

  // --- faults ---
  void kill(Pid pid);
  void move(const std::string& name, const Pid& target);
  void attach(const std::string& name);
  void abort(const std::string& name);
  void free_source(const std::string& name);
  Pid start(std::uint32_t host, std::uint32_t slot);
  Pid any(std::uint32_t host);
  Pid pid_of(std::uint32_t host, std::uint32_t slot) const;
  void settle();
  void tick();
  bool progress();

  // --- small things ---
  /// Several rules may be broken at a time: "one+another".
  bool broken(std::string_view rule) const {
    return ("+" + broken_ + "+").find("+" + std::string(rule) + "+") != std::string::npos;
  }
  std::uint64_t fresh() { return ++numbers_; }
  Key key() { return {fresh(), fresh() * 77}; }
  bool chance(double part) { return std::uniform_real_distribution<>(0, 1)(random_) < part; }
  std::size_t below(std::size_t most) { return random_() % most; }
  LinkTime clock() const { return LinkTime(now * 1000); }
  [[noreturn]] static void bad(const std::string& what) { throw Violation(what); }

  // --- the oracle ---
  struct Asked {
    std::string client, subject;
    int begun = 0;
    std::string fate;
    int deaths = 0;
  };
  void said(const std::string& subject, const Introduction& at, const Section& section);
  void show(Client& client, const Parcel& parcel);
  void begin(const std::string& subject, std::uint64_t id);
  void fate(std::uint64_t id, const std::string& what);
  /// What the disk has of an account.
  std::optional<nodes::players::AccountRow> row_of(const std::string& account) const;
  /// Another session of its login has the account: it has re-entered, and does not know.
  bool came_back(const Client& client) const;
  /// A client was told so: a later login has its account.
  void check_replaced(const Client& client) const;
  std::vector<std::string> left_over();

  std::uint32_t handles = 0;
  int now = 0;
  int hole = 4, away = 90, stub = 40, pulse = 5;
  bool deaths;
  bool leavers = true;  // with deaths: some clients are never seen again
  std::map<std::string, std::any> disk;
  std::map<std::uint64_t, Asked> requests;
  std::map<std::string, int> count;
  std::map<std::string, int> died;              // per account
  std::map<std::string, Bind> top;              // the highest bind that a subject was told
  std::map<std::string, std::uint64_t> logins;  // the latest that has had an account
  std::vector<std::unique_ptr<Client>> clients;
  /// Messages that a test holds back.
  std::function<bool(const Message&, const std::string& to)> hold;
  /// Connections whose next frame a test holds back, up or down.
  std::function<bool(const Wire&, bool up)> hold_wire;

  // --- connections ---
  std::shared_ptr<Wire> connect(Client* client, const Pid& to);
  /// It breaks; both ends learn late.
  void cut(const std::shared_ptr<Wire>& wire);
  /// The client closes it: what it had sent arrives.
  void drop(const std::shared_ptr<Wire>& wire);
  void lie();
  void drain_one(const Pid& from);
  /// To a group of all gates, by a process that has no entities.
  void announce(const std::string& group);

 private:
  struct Owner {
    Pid pid{};
    std::shared_ptr<Player> player{};
    bool moving = false;
    Pid target{};
    bus::Bytes frozen{};
    std::shared_ptr<Player> source{};  // the copy at the home before, until it is freed
  };
  using Queue = std::deque<Message>;
  struct Key3 {
    Pid from;
    std::string to;
    Lane lane;
    auto operator<=>(const Key3&) const = default;
  };
  struct Note {
    Done done;
    Outcome outcome;
    std::any value;
    Pid by;
  };
  bool may_deliver(const Key3& key, const Queue& queue) const;
  void deliver(const Key3& key);
  void lose(const std::function<bool(const std::string&)>& whom, const Pid& owner);
  bool death_ready(const Pid& reader) const;
  void tell_death(const Pid& reader);
  void act();
  void start_missing();
  void carry(const std::shared_ptr<Wire>& wire, bool up);
  void check_part(Client& client, const Parcel& parcel);
  void check_update(const std::string& subject, const Body& body);
  void check_spoken(Client& client, const Parcel& parcel);
  Pid owner_pid(const std::string& to) const;

  std::string broken_;
  std::mt19937_64 random_;
  std::uint64_t numbers_ = 0;
  std::uint64_t epochs_ = 0;
  std::set<Pid> pids_;
  std::map<Pid, std::uint64_t> lives_;
  std::vector<Pid> dead_;
  std::map<Pid, std::unique_ptr<Gate>> gates_;
  std::vector<std::shared_ptr<Wire>> wires_;
  gates::ConnectionId connections_ = 0;
  std::uint64_t announced_ = 0;
  Pid draining_{};
  std::map<std::string, std::pair<Pid, std::unique_ptr<Account>>> accounts_;
  std::map<std::string, Owner> owners_;
  std::map<Key3, Queue> queues_;
  std::map<Pid, std::deque<Note>> notes_;
  std::map<Pid, std::deque<Pid>> deaths_of_;
  std::map<Pid, std::set<Pid>> told_;
  std::vector<std::pair<Pid, std::function<void()>>> later_;
  struct SaidKey {
    SessionId session;
    std::string subject;
    Bind bind;
    Run run;
    auto operator<=>(const SaidKey&) const = default;
  };
  std::map<SaidKey, std::vector<Part>> said_;
  std::map<std::pair<std::string, std::uint64_t>, std::uint64_t> updated_;  // subject, slot
  std::map<std::string, std::uint64_t> last_begun_;

 public:
  std::map<std::pair<SessionId, Bind>, int> died_at;  // when a stretch began

 private:
  friend class Player;
  friend class Gate;
  friend class Account;
};

/// A droppable update of the simulated world.
struct Update {
  std::uint64_t slot = 0, version = 0, born = 0;  // by the world's clock
  static constexpr std::uint64_t kStays = 0;      // the slot whose updates are never too old
  static constexpr int kMaxAge = 3;               // of the others
  Body body() const;
  static std::optional<Update> read(const Body& body);  // nullopt: another call
};

/// A player entity: the product's link, and a little game.
class Player {
 public:
  Player(World& world, std::string name, const Pid& pid);
  void adopt(const bus::Bytes& moved);
  void owned(std::uint64_t epoch);
  void arrived(const Pid& before) { link.arrived(before); }
  Answer take(ToSubject word, const Sender& from);
  void act();
  void tick();
  void gate_died(const Pid& gate);
  void rolled_back();
  bus::Bytes freeze();
  void thaw(std::uint64_t epoch);
  void flush(bool frozen = false);
  std::string account() const { return "account/" + name.substr(7, 1); }

  std::string name;
  Pid pid;
  ClientLink link;
  std::uint64_t value = 0;
  bool dirty = false;
  std::uint64_t updates = 0;                                  // versions of droppable updates
  std::vector<std::pair<std::uint64_t, std::uint64_t>> late;  // (login, u): replies to come

 private:
  void apply(Effects& effects);
  World& world_;
};

/// An answer that comes when the disk has done its part.
struct Later {
  std::function<void(Outcome, std::any)> done{};
};

/// The product's account core, on a disk that takes its time and fails now and then.
class Account {
 public:
  struct BindAnswer {
    std::string what;  // bound, refused, replaced, ended; later: `later` has it
    Bind bind{};
    std::string subject{};
    std::uint64_t login = 0;
    std::shared_ptr<Later> later{};
    std::optional<AccountAnswer> whole{};  // as the product has it
  };
  Account(World& world, std::string name, const Pid& pid, std::uint64_t epoch);
  ~Account();
  void start();
  BindAnswer bind(const SessionId& session, const GateId& gate, const Key& seal,
                  std::uint64_t login);
  BindAnswer where(const SessionId& session, const Bind& bind);
  BindAnswer relink(const Relink& word);
  void choose(const SessionId& session, const Bind& bind, const std::string& who);
  void left(const Left& word);
  void link_lost(const std::string& who);
  void tick();
  const nodes::players::AccountRow& row() const { return core_.row(); }

  std::string name;
  Pid pid;

 private:
  using Ended = std::function<void(const AccountAnswer&)>;
  BindAnswer ask(const AskAccount& word, const Sender& from,
                 const std::optional<nodes::players::TicketSeen>& ticket,
                 const std::shared_ptr<Later>& later, std::uint64_t login);
  void put(std::uint64_t number, const AskAccount& word, const Sender& from,
           const std::optional<nodes::players::TicketSeen>& ticket);
  void prove(Ended done);
  void apply(nodes::players::AccountEffects& effects);
  void tell(const nodes::players::AccountEffects::ForGate& word);
  void tell(const nodes::players::AccountEffects::ForSubject& word);
  void store(const nodes::players::AccountEffects::Store& store);
  /// The oracle: what is told was stored before.
  void check_stored(const Bind& bind) const;
  void write(const nodes::players::AccountRow& row);
  World& world_;
  std::uint64_t epoch_;
  nodes::players::AccountCore core_;
  std::uint64_t asks_ = 0;
  std::map<std::uint64_t, Ended> asked_;
  std::set<std::shared_ptr<Later>> later_;
  std::vector<std::function<void()>> again_;  // with the next tick
  std::optional<Closing> handed_on_;
};

/// A device: what it concludes about its requests is checked by the oracle.
class Client {
 public:
  Client(World& world, std::string its_name, std::string of)
      : world_(world), name(std::move(its_name)), account(std::move(of)) {}
  void connect(const Pid& to);
  void request(const std::string& go = {});
  void received(const Wire::Down& what);
  void tick();
  /// It knows that its connection is no more.
  void unplug();
  Pid at() const { return wire ? wire->gate : Pid{}; }

 private:
  World& world_;

 public:
  std::string name, account;
  std::shared_ptr<Wire> wire;
  bool on = false;    // it was welcomed on this connection
  bool told = false;  // it was replaced, and knows it
  bool lied = false;  // its connection may be closed as malformed
  SessionId session{};
  Key token{};
  std::string gate;         // that has the session; empty: come by the login
  std::uint64_t login = 0;  // of the session, and of its signed part; 0: none
  gates::Position position{};
  Bind bind{};
  Run run{};
  std::uint64_t n = 0, next_u = 1, value = 0;
  std::map<std::uint64_t, std::uint64_t> seen;  // versions of updates in this stretch, by slot
  std::string subject;
  std::map<std::uint64_t, ClientRequest> out;
  std::set<std::string> heard;  // bodies of announcements, in this session

 private:
  void put(std::uint64_t u);
  void again(std::uint64_t up_seen);
  void welcomed(const gates::Welcome& welcome);
  void closed(gates::CloseReason reason);
  void shown(const Parcel& parcel);
  void full_state(const Parcel& parcel);
  void conclude(const std::optional<std::pair<std::uint64_t, Bind>>& up,
                const std::vector<std::uint64_t>& open, bool under_way = false);
  void forget();
  void log_out(bool replaced);
  std::set<std::uint64_t> gone_;
  std::optional<std::uint64_t> busy_;
};

/// The product's gate between the policy's borders.
class Gate final : private gates::KeySource {
 public:
  Gate(World& world, const Pid& at);
  /// nullptr: it has no record.
  const gates::Session* find(const SessionId& session) { return core.find(session); }
  void give(const SessionId& session, const Pid& to);
  void bundle(const bus::Bytes& bytes, const Pid& home);
  void bound(const SessionId& session, const Bind& bind, const std::string& subject);
  void end(const SessionId& session, const Bind& bind, Reason reason,
           const std::optional<Closing>& closing, bool account);
  void death(const Pid& dead);
  void tick();
  void frame(const std::shared_ptr<Wire>& wire, gates::FromClient frame);
  void closed(gates::ConnectionId connection);
  void opened(const std::shared_ptr<Wire>& wire);
  void drain(const std::vector<Pid>& to);
  void announced(const Pid& origin, std::uint64_t number, const std::string& group);
  std::any word(const Pid& from, const bus::Bytes& bytes);

  gates::GateCore core;

 private:
  Key key() override;
  /// Does what the core wants done.
  void pump();
  void act(gates::SendFrame& effect);
  void act(gates::SendPacket& effect);
  void act(gates::HangUp& effect);
  void act(gates::TellSubject& effect);
  void act(gates::TellAccount& effect);
  void act(gates::LoadAccount& effect);
  void act(gates::TellLogin& effect);
  void act(gates::ForgetLogin&) {}
  void act(gates::TellGate& effect);
  Done outcome(std::uint64_t question);
  void spoil(gates::Take& take);

  World& world_;
  Pid pid;
  std::map<gates::ConnectionId, std::shared_ptr<Wire>> wires_;
  std::map<std::pair<Pid, std::uint32_t>, Introduction> handles_;  // for rules that are broken
};

}  // namespace starbus::entity::sessions::sim
