#include "nodes/replica/mirror.hpp"

#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <utility>

#include "bus/io/clock.hpp"
#include "nodes/replica/publisher.hpp"

namespace starbus::nodes::replica {
namespace {

using bus::io::boot_now;
using std::chrono::milliseconds;

/// A number of this process, so that two mirrors have two names.
std::uint64_t next_number() {
  static std::atomic<std::uint64_t> latest{0};
  return ++latest;
}

Errc reason_of(const entity::rpc::Failure<Error>& failure) {
  if (failure == entity::rpc::Errc::too_large) return Errc::too_large;
  if (failure != entity::rpc::Errc::refused) return Errc::unreachable;
  return failure.error.code.in(Errc::unreachable);
}

}  // namespace

void MirrorReceiver::delta(entity::rpc::Caller& from, Position at, std::string bytes) {
  const bool node = from.from == entity::rpc::From::server || from.from == entity::rpc::From::gate;
  const bool owner = owner_.epoch && node && from.process == owner_.process &&
                     at.stream.epoch <= owner_.epoch.value;
  if (!owner) return core_.ignore_stranger();
  core_.delta(at, bus::as_bytes(bytes), boot_now());
}

Mirror::Mirror(entity::rpc::Endpoint& endpoint, entity::TimerWheel& timers, std::string publisher,
               Replica& replica)
    : endpoint_(endpoint),
      publisher_(std::move(publisher)),
      number_(next_number()),
      core_(replica) {
  const auto set =
      timers.every(timer_, milliseconds(0), kMirrorTick, entity::CatchUp::once, [this] { tick(); });
  if (!set) spdlog::error("the mirror of {}: stopped, no timer is free", publisher_);
}

MirrorStatus Mirror::status() const {
  MirrorStatus status;
  status.has_state = core_.has_state();
  status.at = core_.at();
  status.problem = core_.problem();
  if (core_.fresh_at() != entity::Time{0}) {
    status.age = std::chrono::duration_cast<milliseconds>(boot_now() - core_.fresh_at());
  }
  // A mirror that has not heard of its publisher for longer than an answer takes does not know.
  status.current = core_.is_current() && status.age <= kFollow + kFollowDeadline;
  return status;
}

/// Its name is lost with the lease: then it is asked for again.
bool Mirror::is_bound() {
  if (!name_.empty() && endpoint_.bus().epoch(name_)) return true;
  if (binding_ || boot_now() < bind_at_ || endpoint_.bus().host().empty()) return false;
  name_ = std::string(kMirrors) + endpoint_.bus().host() + "." + endpoint_.bus().node() + "/" +
          std::to_string(number_);
  binding_ = true;
  endpoint_.bind(name_, receiver_,
                 [this, weak = std::weak_ptr(alive_)](const bus::Result<bus::Bound>& result) {
                   if (!weak.expired()) bound(result);
                 });
  return false;
}

/// Logged when it changes: a refusal may last for as long as an access list says so.
void Mirror::bound(const bus::Result<bus::Bound>& result) {
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
    spdlog::info("the mirror of {}: name bound{}", publisher_, former);
  } else {
    spdlog::warn("the mirror of {}: no name, binding again: {}{}", publisher_,
                 result.error().to_string(), former);
  }
}

/// Shows who may say what the state is.
void Mirror::watch() {
  if (watched_ || boot_now() < watch_at_) return;
  watch_at_ = boot_now() + kBindAgain;
  auto watch = endpoint_.bus().watch(
      publisher_, [this](const bus::WatchUpdate& update) { owner_changed(update); },
      [this](const bus::Error& why) {
        watched_ = false;
        spdlog::warn("the mirror of {}: cannot see who owns it, asking again: {}", publisher_,
                     why.to_string());
      });
  if (!watch) return;
  watch_ = std::move(*watch);
  watched_ = true;
}

void Mirror::owner_changed(const bus::WatchUpdate& update) {
  for (const bus::WatchRow& row : update.changes) {
    if (row.name != publisher_) continue;  // a longer one
    if (!row.present) {
      owner_ = {};
      core_.owner_gone();
      continue;
    }
    const bool same = owner_.epoch == row.epoch && owner_.process == row.owner;
    owner_ = {row.owner, row.epoch};
    if (!same) core_.owner_new(boot_now());
  }
}

void Mirror::tick() {
  watch();
  if (!is_bound()) return;
  const entity::Time now = boot_now();
  if (core_.should_ask(now)) ask();
  if (!following_ && now >= follow_at_) follow();
}

void Mirror::ask() {
  entity::rpc::CallOptions options;
  options.deadline = kSnapshotDeadline;
  options.lane = bus::Lane::bulk;
  entity::rpc::call<&Publisher::snapshot>(endpoint_, publisher_, options, name_)(
      [this, question = core_.asked(),
       weak = std::weak_ptr(alive_)](const entity::rpc::Reply<std::string, Error>& reply) {
        if (weak.expired()) return;
        const entity::Time now = boot_now();
        if (!reply) return core_.no_snapshot(question, reason_of(reply.error()), now);
        const auto snapshot = unpack_snapshot(*reply);
        if (!snapshot) return core_.no_snapshot(question, Errc::refused, now);
        if (!is_of_owner(snapshot->at)) {
          return core_.no_snapshot(question, Errc::unreachable, now);  // not seen as owner yet
        }
        core_.snapshot(question, snapshot->at, bus::as_bytes(snapshot->state), now);
      });
}

void Mirror::follow() {
  following_ = true;
  entity::rpc::CallOptions options;
  options.deadline = kFollowDeadline;
  entity::rpc::call<&Publisher::follow>(endpoint_, publisher_, options, name_)(
      [this, weak = std::weak_ptr(alive_)](const entity::rpc::Reply<Position, Error>& reply) {
        if (weak.expired()) return;
        const entity::Time now = boot_now();
        following_ = false;
        follow_at_ = now + kFollow;
        if (reply && is_of_owner(*reply)) core_.position(*reply, now);
      });
}

}  // namespace starbus::nodes::replica
