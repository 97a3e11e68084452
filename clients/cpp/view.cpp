#include "clients/cpp/view.hpp"

#include <utility>

namespace starbus::game {
namespace {

constexpr std::uint8_t kSnapshotForm = 0xa2;
constexpr std::uint8_t kDeltaForm = 0xd2;
constexpr std::uint8_t kNewestBit = 0x80;
constexpr std::uint8_t kAudiences = 5;
constexpr std::uint64_t kMostStamp = std::uint64_t{1} << 62;
constexpr std::uint8_t kOperations = 12;
constexpr std::uint8_t kParts = 4;

Taken taken_of(const StateReader& in, Refusal refusal) {
  if (refusal == Refusal::none) return Taken::ok;
  return in.is_desync() ? Taken::desync : Taken::malformed;
}

}  // namespace

std::string_view name_of(Taken taken) {
  constexpr std::string_view kNames[] = {"ok",        "waits", "other_schema",
                                         "malformed", "gap",   "desync"};
  return kNames[static_cast<std::size_t>(taken)];
}

/// The beginning of changes.
struct ViewCore::Head {
  std::uint64_t since = 0;
  std::uint64_t to = 0;
};

Taken ViewCore::snapshot(ByteView bytes, void* state, bool may_wait) {
  has_state_ = waits_ = false;
  held_.clear();
  held_bytes_ = 0;
  StateReader in(bytes, *layout_);
  const auto mine = static_cast<std::uint8_t>(audience_);
  if (in.byte() != kSnapshotForm || in.byte() != mine) return Taken::malformed;
  const std::uint64_t low = in.word();
  const std::uint64_t hash = low | static_cast<std::uint64_t>(in.word()) << 32;
  lineage_ = in.word();
  static_cast<void>(in.byte(0, (1U << kAudiences) - 1));
  const std::uint64_t stamp = in.number(kMostStamp);
  std::uint64_t behind = 0;
  for (std::uint8_t audience = 0; audience < kAudiences; ++audience) {
    const std::uint64_t less = in.number(stamp);
    if (audience == mine) behind = less;
  }
  if (!in.ok()) return Taken::malformed;
  stamp_ = stamp - behind;
  if (const auto layout = layouts_.find(hash); layout != layout_) {
    if (layout == nullptr) return may_wait ? hold(bytes) : Taken::other_schema;
    layout_ = layout;
    return snapshot(bytes, state, may_wait);
  }
  in.fields(layouts_.row().name, state);
  const Taken taken = taken_of(in, in.finish());
  has_state_ = taken == Taken::ok;
  if (has_state_) changed_.set();
  return taken;
}

Taken ViewCore::hold(ByteView bytes) {
  held_bytes_ += bytes.size();
  if (held_bytes_ > kHeldBytes) {
    held_.clear();
    waits_ = false;
    return Taken::gap;
  }
  held_.emplace_back(bytes.begin(), bytes.end());
  waits_ = true;
  return Taken::waits;
}

std::optional<std::vector<Bytes>> ViewCore::release() {
  if (!std::exchange(waits_, false)) return std::nullopt;
  held_bytes_ = 0;
  return std::exchange(held_, {});
}

Taken ViewCore::delta(ByteView bytes, void* state) {
  if (waits_) return hold(bytes);
  StateReader in(bytes, *layout_);
  const std::uint8_t form = in.byte();
  const std::uint8_t head = in.byte();
  const std::uint32_t lineage = in.word();
  Head at;
  at.since = in.number(kMostStamp);
  at.to = at.since + in.number(kMostStamp - at.since);
  const bool newest = (head & kNewestBit) != 0;
  if (!in.ok() || form != kDeltaForm ||
      (head & ~kNewestBit) != static_cast<std::uint8_t>(audience_) || lineage == 0) {
    has_state_ = false;
    return Taken::malformed;
  }
  if (!has_state_ || state == nullptr || lineage != lineage_ || at.since > stamp_) {
    has_state_ = false;
    return Taken::gap;
  }
  if (newest && at.to <= stamp_) return Taken::ok;
  newest ? parts(in, state) : groups(in, at, state);
  const Taken taken = taken_of(in, in.finish());
  has_state_ = taken == Taken::ok;
  stamp_ = std::max(stamp_, at.to);
  return taken;
}

/// Where a change goes.
struct ViewCore::Spot {
  const FieldRow* known = nullptr;  // null: passed over
  void* field = nullptr;
  std::string_view shape{};
};

/// Reads an address.
ViewCore::Spot ViewCore::walk(StateReader& in, unsigned depth, void* state) {
  std::string_view owner = layouts_.row().name;
  Spot spot;
  if (depth == 0) in.refuse(Refusal::malformed);
  for (unsigned level = 1; in.ok(); ++level) {
    const Plan* const plan = in.layout().find(owner);
    const Plan::At* const at = plan == nullptr ? nullptr : plan->find(in.byte());
    if (at == nullptr) break;
    spot = {state == nullptr ? nullptr : at->known, nullptr, at->shape};
    if (spot.known != nullptr) spot.field = spot.known->of(state);
    if (level == 1 && spot.known != nullptr) {
      changed_.set(static_cast<std::size_t>(spot.known - layouts_.row().fields.data()));
    }
    if (level == depth) return spot;
    if (spot.known == nullptr) {
      owner = in.pass_below(spot.shape);
      state = nullptr;
      continue;
    }
    if (spot.known->ops->enter == nullptr) break;
    state = spot.known->ops->enter(in, spot.field);
    owner = spot.known->nested().name;
    if (state == nullptr) break;
  }
  in.refuse(Refusal::malformed);
  return {};
}

void ViewCore::groups(StateReader& in, const Head& head, void* state) {
  std::uint64_t stamp = head.since;
  while (in.ok() && in.left() > 0) {
    const std::uint64_t step = in.number();
    if (step == 0 || step > head.to - stamp) return in.refuse(Refusal::malformed);
    stamp += step;
    const std::size_t size = in.count(in.left());
    if (!in.ok() || (size == 0 && stamp != head.to)) return in.refuse(Refusal::malformed);
    const std::size_t end = in.left() - size;
    if (stamp <= stamp_) {
      in.skip(size);
      continue;
    }
    while (in.ok() && in.left() > end) {
      const std::uint8_t first = in.byte();
      if (first >> 3 >= kOperations) return in.refuse(Refusal::malformed);
      const auto operation = static_cast<Operation>(first >> 3);
      const Spot spot = walk(in, first & 7U, state);
      if (!in.ok()) return;
      if (spot.known != nullptr) {
        spot.known->ops->apply(in, operation, spot.field, *spot.known);
      } else {
        in.pass_operation(operation, spot.shape);
      }
    }
    if (in.left() != end) in.refuse(Refusal::malformed);
  }
  if (stamp != head.to) in.refuse(Refusal::malformed);
}

void ViewCore::parts(StateReader& in, void* state) {
  while (in.ok() && in.left() > 0) {
    const std::uint8_t first = in.byte();
    if (first >> 3 >= kParts) return in.refuse(Refusal::malformed);
    const auto part = static_cast<Part>(first >> 3);
    const Spot spot = walk(in, first & 7U, state);
    if (!in.ok()) return;
    if (spot.known == nullptr) {
      in.pass_part(part, spot.shape);
    } else if (part == Part::whole) {
      spot.known->ops->read(in, spot.field, *spot.known);
    } else {
      spot.known->ops->element(in, part, spot.field, *spot.known);
    }
  }
}

}  // namespace starbus::game
