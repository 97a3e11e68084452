#include "nodes/replica/publisher.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "bus/io/clock.hpp"
#include "nodes/replica/exchange.hpp"

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
    : Publisher(endpoint, epoch,
                State([whole = std::move(state)](bus::ByteView) { return whole(); })) {}

Publisher::Publisher(entity::rpc::Endpoint& endpoint, bus::Epoch epoch, State state)
    : endpoint_(endpoint),
      exchange_(Exchange::of(endpoint)),
      state_(std::move(state)),
      at_{{epoch.value, next_life()}, 0} {}

Publisher::~Publisher() {
  for (auto& [channel, followers] : mirrors_) {
    exchange_->forget(channel, *this);
    exchange_->tell_end(channel, followers.names(bus::io::boot_now()), at_.stream);
  }
  close_rpc();
}

std::size_t Publisher::mirrors() const {
  std::size_t count = 0;
  for (const auto& [channel, followers] : mirrors_) count += followers.size();
  return count;
}

void Publisher::publish(bus::ByteView delta) {
  ++at_.seq;
  ++counters_.published;
  if (delta.size() > kMaxDelta) return void(++counters_.too_large);
  const std::string_view bytes = bus::as_text(delta);
  entity::rpc::SendOptions options;
  options.lane = bus::Lane::sync;
  for (auto& [channel, followers] : mirrors_) {
    const std::vector<std::string>& names = followers.names(bus::io::boot_now());
    if (names.empty()) continue;
    if (entity::rpc::multicast<&Exchange::delta>(endpoint_, names, options, channel, at_, bytes)) {
      continue;
    }
    // A multicast takes all or none; one by one, so that a full one holds up no other.
    for (const std::string& name : names) {
      const auto sent =
          entity::rpc::send<&Exchange::delta>(endpoint_, name, options, channel, at_, bytes);
      if (!sent) ++counters_.missed;
    }
  }
}

Result<Followed> Publisher::follow(entity::rpc::Caller&, std::string mirror, std::string channel) {
  if (!mirror.starts_with(kMirrors) || !bus::check_channel_name(mirror)) return Errc::bad_name;
  if (!bus::check_channel_name(channel)) return Errc::bad_name;
  const entity::Time now = bus::io::boot_now();
  for (auto known = mirrors_.begin(); known != mirrors_.end();) {
    const bool idle = known->second.names(now).empty() && known->first != channel;
    if (idle) exchange_->forget(known->first, *this);
    known = idle ? mirrors_.erase(known) : std::next(known);
  }
  const auto as_channel = mirrors_.find(channel);
  const bool known = as_channel != mirrors_.end() && as_channel->second.has(mirror);
  if (!known && mirrors() >= kMaxMirrors) return Errc::too_many_mirrors;
  static_cast<void>(mirrors_[channel].asked(mirror, now));
  exchange_->followed(channel, *this);
  return Followed{at_, exchange_->home()};
}

Result<std::string> Publisher::snapshot(entity::rpc::Caller& from, std::string mirror,
                                        std::string channel, std::string have) {
  const auto followed = follow(from, std::move(mirror), std::move(channel));
  if (!followed) return followed.error();
  const bus::Bytes state = state_(bus::as_bytes(have));
  if (state.size() > kMaxSnapshot) return Errc::too_large;
  auto packed = pack({at_, std::string(bus::as_text(state)), followed->home});
  if (!packed) return Errc::too_large;
  ++counters_.snapshots;
  return *std::move(packed);
}

}  // namespace starbus::nodes::replica
