/// An entity that is busy in each way that there is: in coroutines, timers, steps, questions, a
/// machine. All that it does is to take gold out of the one treasury of the world.
#pragma once

#include <boost/asio/deferred.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>

#include "entity/machines/machine.hpp"
#include "entity/properties/properties.hpp"
#include "nodes/hosting/entity_host.hpp"

namespace starbus::nodes::entities {

namespace rpc = entity::rpc;

/// Of all processes of a test.
struct Tally {
  int treasury = 1'000'000;
  std::map<int, int> done;            // by job: how often
  std::map<std::string, int> shifts;  // by persistent id: deadlines of its machine
  std::map<std::string, int> places;  // by persistent id: spaces that it is seen in
  bool refuses = false;               // entities that arrive
  std::vector<std::string> lines;
};
inline Tally* tally = nullptr;

/// Answers after a moment.
class Market : public rpc::Callable<Market> {
 public:
  rpc::Task<int> price(rpc::Caller& from, int job) {
    boost::asio::steady_timer timer(from.endpoint->loop(), std::chrono::milliseconds(job % 4));
    co_await timer.async_wait(boost::asio::deferred);
    co_return job;
  }
  static constexpr auto kRpc = rpc::methods("test_market", rpc::method<&Market::price>("price"));
};

struct DiggerState : entity::Properties<DiggerState> {
  entity::Field<int, entity::Flags::all_clients | entity::Flags::save> gold{this, "gold"};
  entity::Field<int, entity::Flags::all_clients | entity::per_space> paces{this, "paces"};
};
class Digger;
struct Digging;
using Shift = entity::Machine<Digger, Digging>;
struct Digging {
  static constexpr std::string_view kName = "digging";
  static constexpr entity::Time kDeadline = std::chrono::milliseconds(7);
  int found = 0;
  void pack(entity::Encoder& out) const { out.number(found); }
  void unpack(entity::Decoder& in) { found = in.number<int>(); }
  void on(const entity::DeadlinePassed&, Shift& shift);
};

class Digger final : public entity::EntityOf<Digger> {
 public:
  static constexpr std::string_view kTypeName = "digger";
  Digger(const entity::ConstructKey& key, entity::TimerWheel& wheel)
      : EntityOf(key), shift("shift", *this, wheel, &group) {}
  entity::Root* properties() override { return &state; }
  entity::MachineGroup* machines() override { return &group; }
  /// The gold leaves the treasury first: what is written to a copy that is lost, or refused there,
  /// is missing in the world.
  void take(int job) {
    --tally->treasury;
    ++tally->done[job];
    state.gold += 1;
  }
  void told(rpc::Reply<int> price, int job) {
    if (!price) tally->lines.push_back("no price: " + price.error().to_string());
    take(job);
  }
  rpc::Task<int> work(rpc::Caller& from, int job) {
    boost::asio::steady_timer timer(from.endpoint->loop(), std::chrono::milliseconds(job % 5));
    co_await timer.async_wait(boost::asio::deferred);
    take(job);
    co_return job;
  }
  int gold(rpc::Caller&) { return state.gold; }
  DiggerState state;
  entity::MachineGroup group;
  Shift shift;
  static constexpr auto kSteps =
      entity::steps(entity::step<&Digger::take>("take"), entity::step<&Digger::told>("told"));
  static constexpr auto kRpc = rpc::methods("test_digger", rpc::method<&Digger::work>("work"),
                                            rpc::method<&Digger::gold>("gold"));

 private:
  ~Digger() override = default;
  entity::EntityResult<> on_after_move(entity::Decoder* in) override {
    if (in == nullptr || !tally->refuses) return {};
    return entity::EntityError(entity::EntityErrc::hook_failed, "no room");
  }
  entity::EntityResult<> on_enter_space(entity::OnlineId, entity::EnterReason) override {
    ++tally->places[persistent_id()];
    return {};
  }
  void on_leave_space(entity::OnlineId, entity::LeaveReason) override {
    --tally->places[persistent_id()];
  }
};

inline void Digging::on(const entity::DeadlinePassed&, Shift& shift) {
  Digger& digger = shift.owner();
  --tally->treasury;
  ++tally->shifts[digger.persistent_id()];
  digger.state.gold += 1;
  static_cast<void>(shift.change_to(Digging{found + 1}));
}

}  // namespace starbus::nodes::entities
