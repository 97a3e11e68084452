#include "aoi/observer_state.hpp"

#include <algorithm>

#include "aoi/limits.hpp"
#include "aoi/wire/codec.hpp"

namespace starbus::aoi {
namespace {

constexpr std::uint8_t kFormat = 2;  // 1 had no epoch and was never released
constexpr std::size_t kTargetBytes = 8 + 2 + 1;

}  // namespace

Result<> check(const ObserverState& state) {
  if (state.targets.size() > kMaxStateEntries) return Error(Errc::corrupt, "too many targets");
  if (state.epoch >= kMaxEpoch) return Error(Errc::corrupt, "epoch");
  std::vector<bool> used(kMaxWireIndex + 1u);
  std::uint64_t last = 0;
  for (const ObserverState::Target& target : state.targets) {
    if (target.key <= last && target.key != 0) {
      return Error(Errc::corrupt, "keys are double or out of order");
    }
    if (target.key < last) return Error(Errc::corrupt, "keys are out of order");
    last = target.key;
    if (target.index == 0 ? !target.forced : used[target.index]) {
      return Error(Errc::corrupt, "index 0 or double");
    }
    used[target.index] = true;
  }
  return {};
}

std::string encode(const ObserverState& state) {
  Writer out;
  out.number(kFormat);
  out.number(state.epoch);
  out.number(static_cast<std::uint16_t>(state.targets.size()));
  for (const ObserverState::Target& target : state.targets) {
    out.number(target.key);
    out.number(target.index);
    out.number(static_cast<std::uint8_t>(target.forced ? 1 : 0));
  }
  return out.take();
}

Result<ObserverState> decode_observer_state(std::string_view bytes) {
  Reader in(bytes);
  const auto format = in.number<std::uint8_t>();
  if (format > kFormat) return Errc::newer_format;
  if (!in.good() || format != kFormat) return Error(Errc::corrupt, "no such format");
  const auto epoch = in.number<std::uint32_t>();
  const auto count = in.number<std::uint16_t>();
  if (!in.good() || in.left() != count * kTargetBytes) return Error(Errc::corrupt, "length");
  ObserverState state;
  state.epoch = epoch;
  state.targets.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    ObserverState::Target target;
    target.key = in.number<std::uint64_t>();
    target.index = in.number<std::uint16_t>();
    const auto forced = in.number<std::uint8_t>();
    if (forced > 1) return Error(Errc::corrupt, "forced");
    target.forced = forced == 1;
    state.targets.push_back(target);
  }
  if (const auto good = check(state); !good) return good.error();
  return state;
}

}  // namespace starbus::aoi
