/// The program of a simulated client: binds its names, answers calls at once, later, by failures or
/// not at all, and asks others. Tells the oracle of all that it asks, gets and hears.
///
/// One for each start of a node, which it refers to; one thread. Call it within ClientNode::run.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "bus/client/bus_types.hpp"
#include "tests/sim/oracles/client_oracle.hpp"

namespace starbus::sim {

class ClientNode;
class World;

inline constexpr std::string_view kClientService = "service/echo";
inline constexpr std::string_view kClientGroup = "group/all";

class ClientUser {
 public:
  /// How a handler treats a call: its caller says.
  enum class Answer : std::uint8_t { at_once, later, fails, drops, never };
  struct Asking {
    std::string to;
    bus::Lane lane = bus::Lane::call;
    std::uint64_t key = 0;
    std::chrono::milliseconds limit{5'000};  // deadline, or time to live; 0: none
    Answer answer = Answer::at_once;
    std::uint32_t delay_ms = 0;     // of a later answer
    std::uint32_t reply_bytes = 0;  // besides what the oracle needs
    std::uint32_t body_bytes = 0;   // likewise
    bool calm = false;              // see ClientOracle::Question
  };

  ClientUser(World& world, ClientNode& node);
  void begin();
  /// No callback counts any more.
  void killed() { alive_ = false; }

  void call(const Asking& asking);
  void send(const Asking& asking, bool awaited);
  void announce(const Asking& asking, bus::WhenFull when_full);
  void await_room(const std::string& to, bus::SendOptions options);
  /// Gives one of its names up and binds it again.
  void come_and_go();

  /// Of the oracle: another one after the lease was lost.
  std::uint64_t life() const { return life_; }
  /// All names are bound, and every wait for room has ended.
  bool settled() const;
  /// The stay of a name here and its beginning; number 0: it is not bound here.
  struct Stay {
    std::uint64_t number = 0;
    Time since{};
  };
  Stay stay_of(std::string_view name) const;
  std::size_t rooms() const { return rooms_; }

  /// A call that came here, for one that answers more than it was asked.
  struct Heard {
    bus::Process caller;
    bus::Lane lane = bus::Lane::call;
    std::uint64_t number = 0;
    ClientOracle::Id id = 0;
  };
  const std::deque<Heard>& heard() const { return heard_; }

 private:
  struct OwnedName {
    std::string asked;
    std::string bound{};  // empty: it is not
    Stay stay{};
    bool busy = false;  // a bind or an unbind is under way, or due
  };
  void bind(std::size_t index);
  void bind_later(std::size_t index);
  void lease_lost();
  void handled(ClientOracle::Id id, const bus::Message& message);
  void on_call(bus::Call& call);
  void answer(bus::Responder& responder, ClientOracle::Id id, std::uint32_t bytes);
  ClientOracle::Question question(ClientOracle::Kind kind, const Asking& asking) const;

  World& world_;
  ClientNode& node_;
  bool alive_ = true;
  std::uint64_t life_;
  std::vector<OwnedName> names_;
  std::map<std::uint64_t, bus::Responder> unanswered_;
  std::uint64_t next_unanswered_ = 0;
  std::size_t rooms_ = 0;  // that are awaited
  std::deque<Heard> heard_;
};

}  // namespace starbus::sim
