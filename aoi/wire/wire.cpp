#include "aoi/wire/wire.hpp"

#include <algorithm>
#include <utility>

#include "aoi/wire/codec.hpp"

namespace starbus::aoi {
namespace {

constexpr std::uint8_t kFormat = 2;  // 1 had no epoch and was never released

// True if so many entries may follow; a larger count is malformed.
bool fits(const Reader& in, std::size_t count, std::size_t bytes) {
  return in.good() && count * bytes <= in.left();
}

// Accepts each index once, and never 0.
class Once {
 public:
  bool add(std::uint16_t index) {
    if (index == 0 || used_[index]) return false;
    used_[index] = true;
    return true;
  }

 private:
  std::vector<bool> used_ = std::vector<bool>(kMaxWireIndex + 1u);
};

bool read_reindex(Reader& in, ReindexBatch& reindex) {
  Once from;
  Once to;
  const auto kept = in.number<std::uint16_t>();
  if (!fits(in, kept, 4)) return false;
  for (std::size_t i = 0; i < kept; ++i) {
    ReindexBatch::Kept one;
    one.from = in.number<std::uint16_t>();
    one.to = in.number<std::uint16_t>();
    if (!from.add(one.from) || !to.add(one.to)) return false;
    reindex.kept.push_back(one);
  }
  const auto gone = in.number<std::uint16_t>();
  if (!fits(in, gone, 2)) return false;
  for (std::size_t i = 0; i < gone; ++i) {
    reindex.gone.push_back(in.number<std::uint16_t>());
    if (!from.add(reindex.gone.back())) return false;
  }
  return true;
}

bool read_changes(Reader& in, ObserverBatch& batch) {
  Once left;
  Once entered;
  const auto leaves = in.number<std::uint16_t>();
  if (!fits(in, leaves, 2)) return false;
  for (std::size_t i = 0; i < leaves; ++i) {
    batch.leaves.push_back(in.number<std::uint16_t>());
    if (!left.add(batch.leaves.back())) return false;
  }
  const auto enters = in.number<std::uint16_t>();
  if (!fits(in, enters, 10)) return false;
  for (std::size_t i = 0; i < enters; ++i) {
    EnterEntry one;
    one.index = in.number<std::uint16_t>();
    one.key = in.number<std::uint64_t>();
    if (!entered.add(one.index)) return false;
    batch.enters.push_back(one);
  }
  return in.good() && in.left() == 0;
}

}  // namespace

std::vector<ObserverBatch> batches(const World& world) {
  std::vector<ObserverBatch> all;
  std::vector<SensorId> sensors;  // parallel to `all`; sorted
  const auto batch_of = [&](const Event& event) -> ObserverBatch* {
    const auto observer = world.entity(event.observer);
    if (event.index == 0 || !observer) return nullptr;
    const auto at = std::lower_bound(sensors.begin(), sensors.end(), event.sensor,
                                     [](SensorId a, SensorId b) { return a.index() < b.index(); });
    const auto place = at - sensors.begin();
    if (at == sensors.end() || *at != event.sensor) {
      sensors.insert(at, event.sensor);
      all.insert(all.begin() + place, ObserverBatch{observer->key, world.epoch(event.sensor)});
    }
    return &all[static_cast<std::size_t>(place)];
  };
  world.each_event([&](const Event& event) {
    ObserverBatch* batch = batch_of(event);
    if (batch == nullptr) return;
    if (event.kind == Kind::leave) {
      batch->leaves.push_back(event.index);
    } else {
      // Also for a target that a handler has removed: the client will get its leave.
      batch->enters.push_back({event.index, world.key_of(event.target)});
    }
  });
  return all;
}

Result<ObserverBatch> arrival(const World& world, SensorId sensor, ReindexBatch reindex) {
  const auto observer = world.owner(sensor);
  if (!observer) return Errc::unknown_sensor;
  const std::uint32_t epoch = world.epoch(sensor);
  if (epoch == 0) return Error(Errc::bad_option, "the sensor is not indexed");
  return ObserverBatch{world.key_of(*observer), epoch, std::move(reindex)};
}

std::string encode(const ObserverBatch& batch) {
  Writer out;
  const auto count = [&](std::size_t size) { out.number(static_cast<std::uint16_t>(size)); };
  out.number(kFormat);
  out.number(batch.observer);
  out.number(batch.epoch);
  count(batch.reindex.kept.size());
  for (const ReindexBatch::Kept& one : batch.reindex.kept) {
    out.number(one.from);
    out.number(one.to);
  }
  count(batch.reindex.gone.size());
  for (const std::uint16_t index : batch.reindex.gone) out.number(index);
  count(batch.leaves.size());
  for (const std::uint16_t index : batch.leaves) out.number(index);
  count(batch.enters.size());
  for (const EnterEntry& one : batch.enters) {
    out.number(one.index);
    out.number(one.key);
  }
  return out.take();
}

Result<ObserverBatch> decode_batch(std::string_view bytes) {
  Reader in(bytes);
  const auto format = in.number<std::uint8_t>();
  if (format > kFormat) return Errc::newer_format;
  if (!in.good() || format != kFormat) return Error(Errc::corrupt, "no such format");
  ObserverBatch batch;
  batch.observer = in.number<std::uint64_t>();
  batch.epoch = in.number<std::uint32_t>();
  if (batch.epoch == 0) return Error(Errc::corrupt, "epoch");
  if (!read_reindex(in, batch.reindex)) return Error(Errc::corrupt, "reindex");
  if (!read_changes(in, batch)) return Error(Errc::corrupt, "leaves, enters");
  return batch;
}

std::vector<Receiver> receivers(const World& world, EntityId target) {
  std::vector<Receiver> found;
  for (const SensorId sensor : world.observers(target)) {
    const std::uint16_t index = world.wire_index(sensor, target);
    if (index != 0) found.push_back({sensor, *world.owner(sensor), index, world.epoch(sensor)});
  }
  return found;
}

}  // namespace starbus::aoi
