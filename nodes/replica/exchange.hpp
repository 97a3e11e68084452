/// What a process exchanges with others about mirrors: one name of the bus, one timer, and one
/// question per second to each process whose publishers it follows, however many mirrors it has.
///
/// On the side of the mirrors it gets the changes and hands each to the mirrors of its publisher,
/// which decide whether the sender may tell them anything; it looks for due work of all of them. On
/// the side of the publishers it answers where these are, and tells the end of one. Made by the
/// first Mirror or Publisher of an endpoint and shared by all; belongs to the loop's thread, and
/// ends before the endpoint. The name is bound when it is needed first; refused or lost, it is
/// asked for again.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "entity/rpc/rpc.hpp"
#include "entity/timers/timer_wheel.hpp"
#include "nodes/replica/limits.hpp"
#include "nodes/replica/owners.hpp"
#include "nodes/replica/position.hpp"

namespace starbus::nodes::replica {

class Mirror;
class Publisher;

/// mirror/HOST.NODE: the channel of a process' Exchange.
inline constexpr std::string_view kMirrors = "mirror/";

struct ExchangeCounters {
  std::uint64_t looks = 0;      // of the one timer
  std::uint64_t questions = 0;  // for the positions of many publishers
  std::uint64_t answers = 0;    // to such questions
};

class Exchange final : public entity::rpc::Callable<Exchange>,
                       public std::enable_shared_from_this<Exchange> {
 public:
  /// That of the endpoint, which is made if there is none.
  static std::shared_ptr<Exchange> of(entity::rpc::Endpoint& endpoint);
  explicit Exchange(entity::rpc::Endpoint& endpoint);
  ~Exchange();

  // --- of mirrors ---
  /// The first one starts the timer, on the wheel that it brings.
  void add(Mirror& mirror, entity::TimerWheel& timers);
  void remove(Mirror& mirror);
  /// The mirror has work at that time.
  void look_at(Mirror& mirror, entity::Time when);
  /// Asks the process HOST.NODE for the position of a publisher, with the next question to it.
  void ask_with_others(const std::string& process, const std::string& publisher) {
    questions_[process].push_back(publisher);
  }
  /// Whether the owner of the name is watched; if not, the mirror learns it from answers, and says
  /// in which process it is.
  bool watches(const std::string& publisher) const { return owners_.has(publisher); }
  PublisherOwner owner_of(const std::string& publisher) const {
    return owners_.owner_of(publisher);
  }
  /// A mirror has learnt that its publisher is in the process HOST.NODE `now`, and not in `before`;
  /// empty: in none.
  void lives_in(const std::string& before, const std::string& now);
  /// Empty: it is not bound.
  const std::string& name() const { return name_; }

  // --- of publishers ---
  /// Somebody follows the publisher, as `channel`.
  void followed(const std::string& channel, Publisher& publisher);
  void forget(const std::string& channel, const Publisher& publisher);
  /// The publisher that they follow as `channel` ends.
  void tell_end(const std::string& channel, const std::vector<std::string>& mirrors,
                const Stream& stream);
  Home home() const;

  const ExchangeCounters& counters() const { return counters_; }
  std::size_t mirrors() const { return mirrors_.size(); }
  std::size_t watches() const { return owners_.size(); }

  // --- over the bus, of servers and gates ---
  /// Called by a publisher: one change, and its position.
  void delta(entity::rpc::Caller& from, std::string publisher, Position at, std::string bytes);
  /// `mirror` goes on following these publishers of this process, and is told where they are.
  void follow(entity::rpc::Caller& from, std::string mirror, std::vector<std::string> publishers);
  /// The answer: where each of these publishers is; at no epoch, if it is not here. Also without a
  /// question, at the end of one.
  void positions(entity::rpc::Caller& from, std::vector<std::string> publishers,
                 std::vector<Position> at);
  static constexpr auto kRpc = entity::rpc::methods(
      "mirror", entity::rpc::method<&Exchange::delta>("delta", entity::rpc::gate),
      entity::rpc::method<&Exchange::follow>("follow", entity::rpc::gate),
      entity::rpc::method<&Exchange::positions>("positions", entity::rpc::gate));

 private:
  template <class Visit>
  void tell(const std::string& publisher, Visit&& visit);
  void owner_changed(const std::string& name, const PublisherOwner& owner);
  bool bind();
  void bound(const bus::Result<bus::Bound>& result);
  void look();
  void send_questions();

  entity::rpc::Endpoint& endpoint_;
  Owners owners_;
  std::string name_;
  bool binding_ = false;
  entity::Time bind_at_{};                              // not before
  Code refused_;                                        // the name, the latest time
  std::uint64_t refusals_ = 0;                          // for that reason
  std::unordered_map<std::uint64_t, Mirror*> mirrors_;  // by number
  std::unordered_map<std::string, std::vector<std::uint64_t>> mirrors_of_;  // a publisher
  std::set<std::pair<entity::Time, std::uint64_t>> due_;
  std::map<std::string, std::vector<std::string>> questions_;  // by process
  std::unordered_map<std::string, Publisher*> publishers_;     // that are followed
  ExchangeCounters counters_;
  entity::TimerOwner timer_;
};

}  // namespace starbus::nodes::replica
