/// What another process says of an observer that comes, what a gate reads, and recordings. The
/// first byte says which of them.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "aoi/limits.hpp"
#include "aoi/replay/recording.hpp"
#include "aoi/wire/wire.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace starbus::aoi {
namespace {

void require(bool promise) {
  if (!promise) std::abort();
}

// Targets that were forced, and had not been seen yet: they have no number.
std::size_t unseen(const ObserverState& state) {
  return static_cast<std::size_t>(
      std::ranges::count(state.targets, 0, &ObserverState::Target::index));
}

std::size_t forced(const ObserverState& state) {
  return static_cast<std::size_t>(
      std::ranges::count(state.targets, true, &ObserverState::Target::forced));
}

// A state that decodes is taken by a world, whatever is in it, and exported again as it was known.
void import(std::string_view bytes) {
  const auto state = decode_observer_state(bytes);
  if (!state) return;
  require(encode(*state) == bytes);
  World world = *World::create({});
  SensorOptions of;
  of.indexed = true;
  const SensorId sensor = *world.add_sensor(*world.add({}), of);
  std::vector<EntityId> known;
  for (std::uint64_t key = 1; key <= 32; ++key) {
    EntityOptions entity;
    entity.position = {static_cast<float>(key) * 2, 0, 0};
    entity.key = key;
    known.push_back(*world.add(entity));
  }
  const auto batch = world.import_state(sensor, *state, [&](std::uint64_t key) {
    return key <= known.size() ? known[key - 1] : EntityId{};
  });
  if (state->epoch > kMaxImportedEpoch) return require(!batch && batch.error() == Errc::too_many);
  if (!batch) return require(batch.error() == Errc::too_many && forced(*state) > kMaxForced);
  require(batch->kept.size() + batch->gone.size() == state->targets.size() - unseen(*state));
  require(world.sees(sensor).size() == batch->kept.size());
  require(world.update().has_value());
  require(world.export_state(sensor).has_value());
}

void batch(std::string_view bytes) {
  if (const auto decoded = decode_batch(bytes)) require(encode(*decoded) == bytes);
}

void replay(std::string_view bytes) {
  auto opened = Replay::open(bytes);
  if (!opened) return;
  WorldOptions options = opened->options();
  options.backend = Backend::hashed_grid;  // a hostile map may be as large as kMaxCells
  auto world = World::create(options);
  if (!world) return;
  while (true) {
    const auto step = opened->step(*world);
    if (!step || !*step) return;
  }
}

}  // namespace
}  // namespace starbus::aoi

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      starbus::aoi::import(input);
      break;
    case 1:
      starbus::aoi::batch(input);
      break;
    default:
      starbus::aoi::replay(input);
      break;
  }
  return 0;
}
