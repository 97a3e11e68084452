/// A device of the simulated world, and its connections: it shows what it gets, asks, and
/// concludes, and the oracle checks that. A test double; one thread.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "tests/entity/client/sim/oracle.hpp"

namespace starbus::entity::sessions::sim {

class World;

struct ClientRequest {
  std::uint64_t id = 0;
  Bind bind{};
  std::string go{};  // not empty: play this one
};

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
  std::string subject;
  std::map<std::uint64_t, std::uint64_t> seen;  // versions of updates in this stretch, by slot
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

}  // namespace starbus::entity::sessions::sim
