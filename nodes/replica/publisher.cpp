#include "nodes/replica/publisher.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "bus/io/clock.hpp"
#include "nodes/replica/mirror.hpp"

namespace starbus::nodes::replica {
namespace {

/// Later than those before it in this process, whatever the clock's resolution.
std::uint64_t next_life() {
  static std::atomic<std::uint64_t> latest{0};
  const auto now = static_cast<std::uint64_t>(bus::io::boot_now().count());
  std::uint64_t before = latest.load();
  while (!latest.compare_exchange_weak(before, std::max(before + 1, now))) {
  }
  return std::max(before + 1, now);
}

}  // namespace

Publisher::Publisher(entity::rpc::Endpoint& endpoint, bus::Epoch epoch,
                     std::function<bus::Bytes()> state)
    : endpoint_(endpoint), state_(std::move(state)), at_{{epoch.value, next_life()}, 0} {}

void Publisher::publish(bus::ByteView delta) {
  ++at_.seq;
  ++counters_.published;
  if (delta.size() > kMaxDelta) return void(++counters_.too_large);
  const std::vector<std::string>& names = mirrors_.names(bus::io::boot_now());
  if (names.empty()) return;
  const std::string_view bytes = bus::as_text(delta);
  entity::rpc::SendOptions options;
  options.lane = bus::Lane::sync;
  if (entity::rpc::multicast<&MirrorReceiver::delta>(endpoint_, names, options, at_, bytes)) return;
  // A multicast takes all or none; one by one, so that a full mirror holds up no other.
  for (const std::string& name : names) {
    const auto sent =
        entity::rpc::send<&MirrorReceiver::delta>(endpoint_, name, options, at_, bytes);
    if (!sent) ++counters_.missed;
  }
}

Result<Position> Publisher::follow(entity::rpc::Caller&, std::string mirror) {
  if (!mirror.starts_with(kMirrors) || !bus::check_channel_name(mirror)) return Errc::bad_name;
  if (!mirrors_.asked(mirror, bus::io::boot_now())) return Errc::too_many_mirrors;
  return at_;
}

Result<std::string> Publisher::snapshot(entity::rpc::Caller& from, std::string mirror) {
  const auto followed = follow(from, std::move(mirror));
  if (!followed) return followed.error();
  const bus::Bytes state = state_();
  if (state.size() > kMaxSnapshot) return Errc::too_large;
  auto packed = pack({at_, std::string(bus::as_text(state))});
  if (!packed) return Errc::too_large;
  ++counters_.snapshots;
  return *std::move(packed);
}

}  // namespace starbus::nodes::replica
