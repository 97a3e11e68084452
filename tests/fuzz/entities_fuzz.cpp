/// An entity that arrives from another process: it lives, or nothing of it stays; and what lives is
/// packed again as what was read.
#include "entity/machines/machine.hpp"
#include "entity/objects/entity_manager.hpp"
#include "entity/properties/properties.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace starbus;
namespace rpc = entity::rpc;

struct HorseState : entity::Properties<HorseState> {
  entity::Field<int, entity::Flags::ghost> speed{this, "speed"};
  entity::List<int, entity::Flags::save> marks{this, "marks"};
};
class Saddle final : public entity::ComponentOf<Saddle> {
 public:
  static constexpr std::string_view kComponentName = "saddle";
  explicit Saddle(const entity::ComponentKey& key) : ComponentOf(key) {}

 private:
  ~Saddle() override = default;
  entity::EntityResult<> on_before_move(entity::Encoder& out) override {
    out.text(colour_);
    return {};
  }
  entity::EntityResult<> on_after_move(entity::Decoder* in) override {
    if (in != nullptr) colour_ = in->text();
    return {};
  }
  std::string colour_;
};
class Horse;
struct Stand;
struct Trot;
using Gait = entity::Machine<Horse, Stand, Trot>;
struct Stand {
  static constexpr std::string_view kName = "stand";
};
struct Trot {
  static constexpr std::string_view kName = "trot";
  int steps = 0;
  void pack(entity::Encoder& out) const { out.number(steps); }
  void unpack(entity::Decoder& in) { steps = in.number<int>(); }
  void on(const entity::DeadlinePassed&, Gait& gait) { static_cast<void>(gait.change_to(Stand{})); }
};
class Horse final : public entity::EntityOf<Horse, entity::Entity, entity::Components<Saddle>> {
 public:
  static constexpr std::string_view kTypeName = "horse";
  explicit Horse(const entity::ConstructKey& key) : EntityOf(key) {}
  entity::Root* properties() override { return &state_; }
  entity::MachineGroup* machines() override { return &group_; }
  static inline entity::TimerWheel* wheel = nullptr;  // of this run
  void neigh(int loud) { loud_ += static_cast<unsigned>(loud); }
  void sold(rpc::Reply<int> price, std::string) {
    loud_ += price ? static_cast<unsigned>(*price) : 0;
  }
  static constexpr auto kSteps =
      entity::steps(entity::step<&Horse::neigh>("neigh"), entity::step<&Horse::sold>("sold"));

 private:
  ~Horse() override = default;
  HorseState state_;
  unsigned loud_ = 0;
  entity::MachineGroup group_;
  Gait gait_{"gait", *this, *wheel, &group_};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using bus::require;
  entity::EntityFactory types;
  require(entity::declare_entity<Horse>(types).has_value());
  entity::TimerWheel wheel(std::chrono::hours(1));
  Horse::wheel = &wheel;
  entity::EntityManager entities(
      types, entity::PersistentIdSource("n", 1),
      []() -> entity::IdentityResult<entity::OnlineId> { return entity::IdentityErrc::no_ids; },
      {.timers = &wheel,
       .cluster_clock = [] { return entity::Time(std::chrono::hours(500'000)); }});
  const auto made = entities.create_moved(bus::fuzz_input(data, size));
  require(entities.size() == (made ? 1 : 0));
  if (!made) {
    require(wheel.size() == 0);
    return 0;
  }
  const std::size_t timers = wheel.size();
  const auto packed = entities.freeze(**made);
  require(packed.has_value());
  const auto again = entity::MovedState::read(*packed);
  require(again && again->persistent_id == (*made)->persistent_id() && again->blocks.size() == 2);
  require(again->machines.size() == 1 && again->timers.empty() == again->flows.empty());
  require(wheel.size() <= 1 && !wheel.next_due());  // a deadline, which stands still
  require(entities.thaw(**made).has_value() && wheel.size() == timers);
  // What is due at once runs: its arguments were checked.
  wheel.advance(wheel.now());
  (*made)->destroy(entity::EndReason::moved);
  require(wheel.size() == 0);
  require(entities.close().has_value() && entities.size() == 0);
  require(entities.counters().created == entities.counters().ended);
  return 0;
}
