/// An entity that is busy in each way that there is: in coroutines, closures, steps, questions, a
/// machine, messages. All that it does is to take gold out of the treasury, and to say so.
#pragma once

#include "entity/machines/machine.hpp"
#include "entity/objects/entity_manager.hpp"
#include "entity/properties/properties.hpp"
#include "entity/rpc/rpc.hpp"
#include "tests/sim/entities/entity_oracle.hpp"

namespace starbus::sim {

namespace rpc = entity::rpc;

/// Answers whoever asks.
class Market : public rpc::Callable<Market> {
 public:
  int price(rpc::Caller&, int job) { return job; }
  static constexpr auto kRpc = rpc::methods("sim_market", rpc::method<&Market::price>("price"));
};

struct MinerState : entity::Properties<MinerState> {
  entity::Field<std::int64_t, entity::Flags::all_clients> gold{this, "gold"};
  entity::Field<int, entity::Flags::all_clients | entity::per_space> paces{this, "paces"};
};
class Miner;
struct Digging;
using Shift = entity::Machine<Miner, Digging>;
struct Digging {
  static constexpr std::string_view kName = "digging";
  static constexpr entity::Time kDeadline = std::chrono::milliseconds(70);
  int rounds = 0;
  void pack(entity::Encoder& out) const { out.number(rounds); }
  void unpack(entity::Decoder& in) { rounds = in.number<int>(); }
  void on(const entity::DeadlinePassed&, Shift& shift);
};

class Miner final : public entity::EntityOf<Miner> {
 public:
  static constexpr std::string_view kTypeName = "miner";
  Miner(const entity::ConstructKey& key, entity::TimerWheel& wheel)
      : EntityOf(key), shift("shift", *this, wheel, &group) {}
  entity::Root* properties() override { return &state; }
  entity::MachineGroup* machines() override { return &group; }
  std::uint64_t number() const { return static_cast<std::uint64_t>(online_id()); }
  EntityOracle& oracle() const { return world().get<EntityOracle>(); }

  /// The gold leaves the treasury first: what is written to a copy that is lost is missing.
  void take(int job) {
    oracle().took(job);
    state.gold += 1;
  }
  void told(rpc::Reply<int>, int job) { take(job); }
  rpc::Task<int> work(rpc::Caller&, int job) {
    static_cast<void>(co_await call<&Market::price>("service/market", job));
    take(job);
    co_return job;
  }
  void hear(rpc::Caller&, std::string sender, int number_of_sender) {
    oracle().heard(number(), sender, number_of_sender);
  }
  static constexpr auto kSteps =
      entity::steps(entity::step<&Miner::take>("take"), entity::step<&Miner::told>("told"));
  static constexpr auto kRpc = rpc::methods("sim_miner", rpc::method<&Miner::work>("work"),
                                            rpc::method<&Miner::hear>("hear"));
  MinerState state;
  entity::MachineGroup group;
  Shift shift;

 private:
  ~Miner() override = default;
  entity::EntityResult<> on_after_move(entity::Decoder* in) override {
    if (in == nullptr || !oracle().refuses(number())) return {};
    return entity::EntityError(entity::EntityErrc::hook_failed, "no room");
  }
  entity::EntityResult<> on_enter_space(entity::OnlineId, entity::EnterReason) override {
    oracle().entered(number());
    return {};
  }
  void on_leave_space(entity::OnlineId, entity::LeaveReason) override { oracle().left(number()); }
};

inline void Digging::on(const entity::DeadlinePassed&, Shift& shift) {
  Miner& miner = shift.owner();
  miner.oracle().round(miner.number());
  miner.state.gold += 1;
  static_cast<void>(shift.change_to(Digging{rounds + 1}));
}

}  // namespace starbus::sim
