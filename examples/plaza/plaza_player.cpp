#include "examples/plaza/plaza_player.hpp"

#include "examples/plaza/plaza_client.hpp"

namespace plaza {

using namespace std::chrono_literals;

void PlazaPlayer::on_online(bool back) {
  if (!back) state.visits += 1;
  static_cast<void>(client().join(kWorld));  // groups end with the client: join for each
}

std::string PlazaPlayer::account() const {
  const std::string id = persistent_id();
  return id.substr(0, id.rfind('.'));
}

bus::Result<> PlazaPlayer::stream(rpc::Caller&, std::uint32_t per_second, std::uint32_t size) {
  if (per_second > kFastest || size > kLargest) return bus::Errc::too_large;
  load_.assign(size, 'x');
  if (per_second == per_second_) return {};
  stop();
  if (per_second == 0) return {};
  const auto timer = every(
      entity::Time(1s) / per_second, [this](const entity::TimerFiring& firing) { tick(firing); },
      entity::CatchUp::all);
  if (!timer) return bus::Errc::would_block;
  timer_ = *timer;
  per_second_ = per_second;
  return {};
}

void PlazaPlayer::tick(const entity::TimerFiring& firing) {
  if (first_time_ == 0) {
    first_due_ = firing.due;
    first_time_ = wall_time();
  }
  const auto since = std::chrono::duration_cast<std::chrono::microseconds>(firing.due - first_due_);
  const std::uint64_t now = wall_time();
  std::uint64_t time = first_time_ + static_cast<std::uint64_t>(since.count());
  if (time > now) {  // the first one was late, or the wall clock was set back
    first_time_ -= time - now;
    time = now;
  }
  // Not said, and not numbered, if there is no client.
  if (client().call<&PlazaClient::tick>(account(), life_, ticks_ + 1, time, load_)) ++ticks_;
}

void PlazaPlayer::stop() {
  if (per_second_ == 0) return;
  cancel(timer_);
  per_second_ = 0;
  first_time_ = 0;
}

bus::Result<> PlazaPlayer::tell(rpc::Caller&, std::string text) {
  if (text.size() > kLongestText) return bus::Errc::too_large;
  return world().get<Crier>().tell(account(), text, wall_time());
}

}  // namespace plaza
