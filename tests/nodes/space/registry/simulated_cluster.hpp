/// A cluster of space nodes and one service after the other, in one thread under a virtual clock:
/// the product's Registry and HostedSpaces, with a network, a directory and players that a seed
/// decides. The oracle stops a run that breaks a promise of docs/guide/spaces.md.
///
/// Messages between two processes keep their order and take 0 to 400 ms; what is for a process that
/// has died comes back as undelivered, or is lost with the process that would have heard of it;
/// nothing of a dead process comes after its death is known, and a new one gets nothing meant for
/// it. Nodes die, come back, stand still for seconds, and load maps for as long as they like, or in
/// vain. The service dies and another one begins, with a greater term.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "nodes/space/host/hosted_spaces.hpp"
#include "nodes/space/registry/registry.hpp"

namespace starbus::nodes::space::sim {

/// What a run has seen, for tests that want to know that it was about something.
struct Seen {
  std::uint64_t granted = 0;
  std::uint64_t refused = 0;              // typed answers that are errors
  std::map<Code, std::uint64_t> reasons;  // of these
  std::uint64_t arrived = 0;
  std::uint64_t created = 0;
  std::uint64_t failed = 0;  // spaces that could not start
  std::uint64_t ended = 0;
  std::uint64_t services = 0;
  std::uint64_t deaths = 0;  // of nodes
  std::uint64_t teams = 0;
  std::uint64_t names_refused = 0;  // by the directory, to a space that starts
};

struct Options {
  std::uint64_t seed = 1;
  std::size_t nodes = 4;
  bool deaths = true;  // of nodes
  bool services_die = true;
  bool stalls = true;    // nodes stand still, for up to 8 s
  bool failures = true;  // spaces do not start
  Time length = std::chrono::seconds(90);
};

class Cluster {
 public:
  explicit Cluster(const Options& options);

  /// Plays, heals everything, lets all players leave, and waits until it is quiet. The text of the
  /// promise that was broken, with the time; empty: none.
  std::string run();
  const Seen& seen() const { return seen_; }

 private:
  struct Player {
    Life life{};
    Time leaves{};
  };
  struct Node {
    std::string name;
    std::uint64_t incarnation = 0;
    bool alive = false;
    Time stalled{};  // until then it does nothing
    std::unique_ptr<HostedSpaces> host;
    std::map<Life, SpaceName> running;  // names that it has in the directory
    std::set<Life> ended;               // also of those that still were to start
    std::vector<Player> players;
    double busy = 0;
    Time announces{};
    std::uint64_t known = 0;                  // incarnation that the present service knows; 0: none
    std::deque<std::function<void()>> inbox;  // while it stands still
  };
  struct Asked {
    Time deadline{};
    std::uint32_t seats = 1;
  };

  // The network.
  void at(Time when, std::function<void()> what);
  void send(const std::string& link, std::function<void()> what);
  // The service.
  void begin_service();
  void end_service();
  void pump();
  void deliver(const Order& order);
  void answered(const Answer& answer);
  // Nodes.
  void begin_node(Node& node);
  void end_node(Node& node);
  void in_node(Node& node, std::uint64_t incarnation, std::function<void()> what);
  void work(Node& node);
  void tick_node(Node& node);
  void to_service(Node& node, std::function<void(Registry&)> what);
  void directory(std::function<void(Registry&)> what);
  // Players.
  void ask();
  void come(const Grant& grant, const Ticket& ticket, Time held_until);
  // The oracle.
  void check();
  void check_quiet();
  void broken(const std::string& what);
  std::uint64_t random(std::uint64_t below) { return below == 0 ? 0 : random_() % below; }
  bool chance(std::uint64_t percent) { return random(100) < percent; }
  Time moment(Time most);

  const Options options_;
  std::mt19937_64 random_;
  Time now_ = std::chrono::hours(1);
  struct Event {
    Time when;
    std::uint64_t serial;
    std::function<void()> what;
    bool operator>(const Event& other) const {
      return std::tie(when, serial) > std::tie(other.when, other.serial);
    }
  };
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t serials_ = 0;
  std::map<std::string, Time> links_;  // when the latest message of a link arrives
  SpaceTypes types_;
  std::map<std::string, Node> nodes_;
  std::map<SpaceName, std::string> names_;  // the directory
  std::unique_ptr<Registry> registry_;
  std::uint64_t term_ = 0;
  bool blind_ = false;                    // a service went on without a node that was silent
  std::map<std::uint64_t, Asked> asked_;  // of the service that lives
  std::uint64_t requests_ = 0;
  bool healing_ = false;
  Seen seen_;
  std::string broken_;
};

}  // namespace starbus::nodes::space::sim
