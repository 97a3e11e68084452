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

// Leaves come by sensor, and then enters do. So the batches with leaves are walked a second time
// beside the enters, and those of sensors that only have enters are merged in at the end.
void batches(const World& world, std::vector<ObserverBatch>& out) {
  std::size_t used = 0;
  SensorId last;  // whose events these are
  Kind last_kind = Kind::enter;
  ObserverBatch* batch = nullptr;  // theirs; null: they go to nobody
  std::size_t next = 0;            // of those with leaves
  std::size_t with_leaves = 0;
  const auto begin_batch = [&](const Event& event, std::uint64_t observer) {
    if (used == out.size()) out.emplace_back();
    ObserverBatch& one = out[used++];
    one.observer = observer;
    one.epoch = world.epoch(event.sensor);
    one.group = world.group(event.sensor);
    one.sensor = event.sensor;
    one.reindex = {};
    one.leaves.clear();
    one.enters.clear();
    return &one;
  };
  const auto batch_of = [&](const Event& event) -> ObserverBatch* {
    if (!world.position(event.observer)) return nullptr;
    if (event.kind == Kind::leave) {
      with_leaves = used + 1;
    } else {
      while (next < with_leaves && out[next].sensor.index() < event.sensor.index()) ++next;
      if (next < with_leaves && out[next].sensor == event.sensor) return &out[next];
    }
    return begin_batch(event, world.key_of(event.observer));
  };
  world.each_event([&](const Event& event) {
    if (event.index == 0) return;
    if (event.sensor != last || event.kind != last_kind) {
      batch = batch_of(event);
      last = event.sensor;
      last_kind = event.kind;
    }
    if (batch == nullptr) return;
    if (event.kind == Kind::leave) {
      batch->leaves.push_back(event.index);
    } else {
      // Also for a target that a handler has removed: the client will get its leave.
      batch->enters.push_back({event.index, world.key_of(event.target), event.target});
    }
  });
  out.resize(used);
  const auto by_sensor = [](const ObserverBatch& a, const ObserverBatch& b) {
    return a.sensor.index() < b.sensor.index();
  };
  std::inplace_merge(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(with_leaves), out.end(),
                     by_sensor);
  const auto by_group = [](const ObserverBatch& a, const ObserverBatch& b) {
    return a.group < b.group;
  };
  if (!std::is_sorted(out.begin(), out.end(), by_group)) {
    std::stable_sort(out.begin(), out.end(), by_group);
  }
}

std::vector<ObserverBatch> batches(const World& world) {
  std::vector<ObserverBatch> all;
  batches(world, all);
  return all;
}

Result<ObserverBatch> arrival(const World& world, SensorId sensor, ReindexBatch reindex) {
  const auto observer = world.owner(sensor);
  if (!observer) return Errc::unknown_sensor;
  const std::uint32_t epoch = world.epoch(sensor);
  if (epoch == 0) return Error(Errc::bad_option, "the sensor is not indexed");
  ObserverBatch first{world.key_of(*observer), epoch, std::move(reindex)};
  first.sensor = sensor;
  first.group = world.group(sensor);
  return first;
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
  world.receivers(target, found);
  return found;
}

std::span<const Receiver> of_group(std::span<const Receiver> receivers, std::uint32_t group) {
  const auto first = std::partition_point(receivers.begin(), receivers.end(),
                                          [&](const Receiver& one) { return one.group < group; });
  const auto last = std::partition_point(first, receivers.end(),
                                         [&](const Receiver& one) { return one.group == group; });
  return {first, last};
}

}  // namespace starbus::aoi
