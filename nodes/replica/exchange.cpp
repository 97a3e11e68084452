#include "nodes/replica/exchange.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <mutex>
#include <utility>

#include "bus/client/process_name.hpp"
#include "bus/io/clock.hpp"
#include "nodes/replica/mirror.hpp"
#include "nodes/replica/publisher.hpp"

namespace starbus::nodes::replica {
namespace {

using bus::io::boot_now;
using std::chrono::milliseconds;

/// Of all endpoints of this process: a test has several, on several threads.
struct Exchanges {
  std::mutex mutex;
  std::map<const entity::rpc::Endpoint*, std::weak_ptr<Exchange>> all;
};
Exchanges& exchanges() {
  static Exchanges made;
  return made;
}

}  // namespace

std::shared_ptr<Exchange> Exchange::of(entity::rpc::Endpoint& endpoint) {
  const std::lock_guard lock(exchanges().mutex);
  std::weak_ptr<Exchange>& known = exchanges().all[&endpoint];
  std::shared_ptr<Exchange> exchange = known.lock();
  if (exchange == nullptr) {
    exchange = std::make_shared<Exchange>(endpoint);
    known = exchange;
  }
  return exchange;
}

Exchange::Exchange(entity::rpc::Endpoint& endpoint)
    : endpoint_(endpoint),
      owners_(endpoint.bus(), [this](const std::string& name, const PublisherOwner& owner) {
        owner_changed(name, owner);
      }) {}

Exchange::~Exchange() {
  close_rpc();
  const std::lock_guard lock(exchanges().mutex);
  const auto known = exchanges().all.find(&endpoint_);
  if (known != exchanges().all.end() && known->second.expired()) exchanges().all.erase(known);
}

// --- of mirrors ----------------------------------------------------------------------------------

void Exchange::add(Mirror& mirror, entity::TimerWheel& timers) {
  const bool first = mirrors_.empty();
  mirrors_.emplace(mirror.number(), &mirror);
  mirrors_of_[mirror.publisher()].push_back(mirror.number());
  if (owners_.size() < kOwnerWatches || owners_.has(mirror.publisher())) {
    owners_.add(mirror.publisher());
    mirror.set_watched();
  }
  look_at(mirror, entity::Time{0});
  if (!first) return;
  const auto set =
      timers.every(timer_, milliseconds(0), kMirrorTick, entity::CatchUp::once, [this] { look(); });
  if (!set) spdlog::error("mirrors: stopped, no timer is free");
}

void Exchange::remove(Mirror& mirror) {
  due_.erase({mirror.due(), mirror.number()});
  mirrors_.erase(mirror.number());
  const auto same = mirrors_of_.find(mirror.publisher());
  std::erase(same->second, mirror.number());
  if (same->second.empty()) mirrors_of_.erase(same);
  if (mirror.watched()) owners_.remove(mirror.publisher());
  if (mirrors_.empty()) timer_.cancel_all();
}

void Exchange::look_at(Mirror& mirror, entity::Time when) {
  due_.erase({mirror.due(), mirror.number()});
  mirror.set_due(when);
  due_.emplace(when, mirror.number());
}

/// Whoever is told may end mirrors, the last one among them.
template <class Visit>
void Exchange::tell(const std::string& publisher, Visit&& visit) {
  const auto found = mirrors_of_.find(publisher);
  if (found == mirrors_of_.end()) return;
  const std::shared_ptr<Exchange> self = shared_from_this();
  const std::vector<std::uint64_t> numbers = found->second;
  for (const std::uint64_t number : numbers) {
    const auto mirror = mirrors_.find(number);
    if (mirror != mirrors_.end()) visit(*mirror->second);
  }
  if (mirrors_.empty()) boost::asio::post(endpoint_.loop(), [self] {});
}

void Exchange::lives_in(const std::string& before, const std::string& now) {
  if (before == now) return;
  if (!now.empty()) owners_.add(std::string(kMirrors) + now);
  if (!before.empty()) owners_.remove(std::string(kMirrors) + before);
}

/// Of a publisher, or of the Exchange of a process in which there are some.
void Exchange::owner_changed(const std::string& name, const PublisherOwner& owner) {
  if (!name.starts_with(kMirrors)) {
    return tell(name, [&](Mirror& mirror) { mirror.owner_changed(owner); });
  }
  const std::string process = name.substr(kMirrors.size());
  std::vector<std::string> publishers;
  for (const auto& [number, mirror] : mirrors_) {
    if (mirror->lives_in(process, owner)) publishers.push_back(mirror->publisher());
  }
  for (const std::string& publisher : publishers) {
    tell(publisher, [&](Mirror& mirror) { mirror.process_ended(process, owner); });
  }
}

/// Its name is lost with the lease: then it is asked for again.
bool Exchange::bind() {
  if (!name_.empty() && endpoint_.bus().epoch(name_)) return true;
  if (binding_ || boot_now() < bind_at_ || endpoint_.bus().host().empty()) return false;
  name_ = std::string(kMirrors) + bus::process_name(endpoint_.bus());
  binding_ = true;
  endpoint_.bind(name_, *this, [weak = weak_from_this()](const bus::Result<bus::Bound>& result) {
    if (const auto self = weak.lock()) self->bound(result);
  });
  return false;
}

/// Logged when it changes: a refusal may last for as long as an access list says so.
void Exchange::bound(const bus::Result<bus::Bound>& result) {
  binding_ = false;
  const Code code = result.error().code;
  if (!result) bind_at_ = boot_now() + kBindAgain;
  if (code == refused_) return void(++refusals_);
  const std::string former = refused_.is_ok()
                                 ? ""
                                 : " (behind " + std::to_string(refusals_) + " times " +
                                       std::string(name_of(refused_)) + ")";
  refused_ = code;
  refusals_ = 1;
  if (result) {
    spdlog::info("mirrors: name bound{}", former);
  } else {
    spdlog::warn("mirrors: no name, binding again: {}{}", result.error().to_string(), former);
  }
}

void Exchange::look() {
  ++counters_.looks;
  const std::shared_ptr<Exchange> self = shared_from_this();
  const entity::Time now = boot_now();
  owners_.look(now);
  if (!bind()) return;
  while (!due_.empty() && due_.begin()->first <= now) {
    const auto mirror = mirrors_.find(due_.begin()->second);
    due_.erase(due_.begin());
    if (mirror != mirrors_.end()) mirror->second->look(now);
  }
  send_questions();
}

/// One that is not sent costs its mirrors a question of their own.
void Exchange::send_questions() {
  for (auto& [process, publishers] : std::exchange(questions_, {})) {
    const std::string to = std::string(kMirrors) + process;
    for (std::size_t begin = 0; begin < publishers.size(); begin += kFollowBatch) {
      const std::size_t end = std::min<std::size_t>(publishers.size(), begin + kFollowBatch);
      const std::vector<std::string> some(publishers.begin() + static_cast<std::ptrdiff_t>(begin),
                                          publishers.begin() + static_cast<std::ptrdiff_t>(end));
      ++counters_.questions;
      static_cast<void>(entity::rpc::send<&Exchange::follow>(endpoint_, to, {}, name_, some));
    }
  }
}

void Exchange::delta(entity::rpc::Caller& from, std::string publisher, Position at,
                     std::string bytes) {
  tell(publisher, [&](Mirror& mirror) { mirror.delta(from, at, bus::as_bytes(bytes)); });
}

void Exchange::positions(entity::rpc::Caller& from, std::vector<std::string> publishers,
                         std::vector<Position> at) {
  for (std::size_t i = 0; i < publishers.size() && i < at.size(); ++i) {
    tell(publishers[i], [&](Mirror& mirror) { mirror.position(from, at[i]); });
  }
}

// --- of publishers -------------------------------------------------------------------------------

void Exchange::followed(const std::string& channel, Publisher& publisher) {
  publishers_[channel] = &publisher;
  static_cast<void>(bind());
}

void Exchange::forget(const std::string& channel, const Publisher& publisher) {
  const auto known = publishers_.find(channel);
  if (known != publishers_.end() && known->second == &publisher) publishers_.erase(known);
}

void Exchange::tell_end(const std::string& channel, const std::vector<std::string>& mirrors,
                        const Stream& stream) {
  if (mirrors.empty()) return;
  const std::vector<std::string> channels{channel};
  const std::vector<Position> ended{Position{Stream{0, stream.life}, 0}};
  static_cast<void>(
      entity::rpc::multicast<&Exchange::positions>(endpoint_, mirrors, {}, channels, ended));
}

Home Exchange::home() const {
  const bus::Process self = endpoint_.bus().self();
  return {self.host, self.slot, self.incarnation, bus::process_name(endpoint_.bus())};
}

void Exchange::follow(entity::rpc::Caller& from, std::string mirror,
                      std::vector<std::string> publishers) {
  if (!mirror.starts_with(kMirrors) || !bus::check_channel_name(mirror)) return;
  std::vector<std::string> here;
  std::vector<Position> at;
  for (std::string& channel : publishers) {
    if (here.size() == kFollowBatch) break;
    const auto known = publishers_.find(channel);
    // A name that was given up, or lost with the lease, is not answered for.
    const bool owned = known != publishers_.end() && endpoint_.bus().epoch(channel);
    const auto followed =
        owned ? known->second->follow(from, mirror, channel) : Result<Followed>(Followed{});
    if (!followed) continue;
    at.push_back(followed->at);
    here.push_back(std::move(channel));
  }
  if (here.empty()) return;
  ++counters_.answers;
  static_cast<void>(entity::rpc::send<&Exchange::positions>(endpoint_, mirror, {}, here, at));
}

}  // namespace starbus::nodes::replica
