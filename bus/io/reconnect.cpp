#include "bus/io/reconnect.hpp"

#include <algorithm>
#include <cassert>
#include <random>

#include "bus/core/limits.hpp"
#include "bus/io/endpoint.hpp"

namespace starbus::bus::io {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A daemon that is replaced in place is back within a fifth of a second or so: until then the
// pauses stay short, since the last one is what its peers wait in vain.
constexpr milliseconds kQuickPause = 2 * kReconnectFirst;
constexpr int kQuick = 4;
// A peer that serves for as long as this did not refuse us.
constexpr milliseconds kServed{100};

milliseconds longest_pause(const std::vector<Reconnect::Target>& targets) {
  const bool local = std::all_of(targets.begin(), targets.end(), [](const auto& target) {
    const auto endpoint = parse_endpoint(target.endpoint);
    return endpoint && endpoint->is_local();
  });
  return local ? kReconnectLocal : kReconnectLongest;
}

Reconnect::Random seeded() {
  auto engine = std::make_shared<std::minstd_rand>(std::random_device{}());
  return [engine] { return std::uniform_real_distribution<>(0.0, 1.0)(*engine); };
}

}  // namespace

Reconnect::Reconnect(boost::asio::io_context& context, std::vector<Target> targets, OnLink on_link,
                     OnFailure on_failure, Random random)
    : context_(context),
      targets_(std::move(targets)),
      on_link_(std::move(on_link)),
      on_failure_(std::move(on_failure)),
      random_(random ? std::move(random) : seeded()),
      longest_(longest_pause(targets_)),
      timer_(context),
      pause_(kReconnectFirst) {
  assert(!targets_.empty());
}

void Reconnect::start() {
  stop();
  begin_anew();
  round();
}

void Reconnect::again() {
  stop();
  const auto lasted = connected_at_ ? steady_clock::now() - *connected_at_ : milliseconds(0);
  if (lasted >= std::max(waited_, kServed)) begin_anew();
  connected_at_.reset();
  wait();
}

void Reconnect::begin_anew() {
  pause_ = kReconnectFirst;
  quick_ = 0;
}

void Reconnect::stop() {
  alive_ = std::make_shared<bool>(true);  // a timer that has fired already means nothing now
  timer_.cancel();
  attempt_.reset();
}

void Reconnect::round() {
  left_ = targets_.size();
  attempt();
}

void Reconnect::attempt() {
  const Target& target = targets_[target_];
  attempt_ = connect(context_, target.endpoint, target.options,
                     [this](auto result) { connected(std::move(result)); });
}

void Reconnect::connected(Result<std::shared_ptr<Link>> result) {
  // The calls below may destroy this; the attempt must outlive its own callback's return only.
  const auto done = std::move(attempt_);
  if (result) {
    connected_at_ = steady_clock::now();
    const auto on_link = on_link_;
    return on_link(std::move(*result));
  }
  const std::weak_ptr<bool> alive = alive_;
  const std::size_t failed = target_;
  target_ = (target_ + 1) % targets_.size();
  if (on_failure_) {
    const auto on_failure = on_failure_;
    const Target target = targets_[failed];
    on_failure(target, result.error());
  }
  if (alive.expired()) return;
  if (--left_ > 0) return attempt();
  wait();
}

void Reconnect::wait() {
  const auto jitter = static_cast<double>(pause_.count()) / 2 * random_();
  timer_.expires_after(pause_ + milliseconds(static_cast<milliseconds::rep>(jitter)));
  waited_ = pause_;
  if (pause_ < kQuickPause || quick_ >= kQuick) {
    pause_ = std::min(2 * pause_, longest_);
  } else {
    ++quick_;
  }
  timer_.async_wait([this, alive = std::weak_ptr<bool>(alive_)](const auto& error) {
    if (!error && !alive.expired()) round();
  });
}

}  // namespace starbus::bus::io
