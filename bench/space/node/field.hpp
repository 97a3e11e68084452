// The space of bench_space: an empty field in which walkers begin where their numbers say.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "nodes/space/node/space.hpp"

namespace starbus::bench::space {

inline constexpr const char* kFieldType = "field";

struct FieldOptions {
  std::uint16_t view = 100;      // whom a player sees: the nearest
  float margin = 0;              // m: walkers begin so far within the bounds
  std::uint32_t paths = 0;       // the seed of ways (tools/bots/paths.hpp)
  std::uint64_t news_every = 0;  // ticks between two changes of a byte of each walker; 0: none
};

class Field final : public nodes::space::GameSpace {
 public:
  Field(nodes::space::SpaceInit init, const FieldOptions& options);

  // What was told so far, and how many pairs of walkers see each other, on average.
  nlohmann::json figures() const;

 private:
  nodes::sight::WatchOptions watch_options(const entity::Entity& player) override;
  aoi::Position entrance(const entity::Entity& player) const override;
  void on_tick(const nodes::space::SpaceTick& tick) override;
  void on_after_tick(const nodes::space::SpaceTick& tick) override;

  const FieldOptions options_;
  std::uint64_t ticks_ = 0;
  std::uint64_t changes_ = 0;
  std::uint64_t pairs_ = 0;  // of the latest look
  std::vector<aoi::SensorId> observers_;
};

}  // namespace starbus::bench::space
