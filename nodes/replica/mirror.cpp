#include "nodes/replica/mirror.hpp"

#include <algorithm>
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

Mirror::Mirror(entity::rpc::Endpoint& endpoint, entity::TimerWheel& timers, std::string publisher,
               Replica& replica)
    : endpoint_(endpoint),
      publisher_(std::move(publisher)),
      number_(next_number()),
      exchange_(Exchange::of(endpoint)),
      core_(replica) {
  exchange_->add(*this, timers);
  if (!watched_) return;
  const PublisherOwner owner = exchange_->owner_of(publisher_);
  if (owner.epoch) owner_changed(owner);
}

Mirror::~Mirror() {
  if (!watched_) exchange_->lives_in(owner_.name, {});
  exchange_->remove(*this);
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

void Mirror::owner_changed(const PublisherOwner& owner) {
  if (!watched_) return;
  owner_ = owner;
  if (owner.epoch) {
    core_.owner_new(boot_now());
  } else {
    core_.owner_gone();
  }
  look_again();
}

/// Whoever answers to the publisher's name owns it. False: it did not see that yet, or did once.
bool Mirror::learn(const Position& at, const Home& home) {
  if (watched_) return is_of_owner(at);
  if (at.stream.epoch < owner_.epoch.value) return false;
  const bus::Process process{home.host, home.slot, home.incarnation};
  if (at.stream.epoch == owner_.epoch.value && process == owner_.process) return true;
  exchange_->lives_in(owner_.name, home.node);
  owner_ = {process, home.node, bus::Epoch{at.stream.epoch}};
  core_.owner_new(boot_now());
  return true;
}

void Mirror::process_ended(const std::string& process, const PublisherOwner& owner) {
  if (!lives_in(process, owner)) return;
  exchange_->lives_in(owner_.name, {});
  owner_ = {};
  core_.owner_gone();
  follow_at_ = boot_now();
  look_again();
}

void Mirror::delta(const entity::rpc::Caller& from, const Position& at, bus::ByteView bytes) {
  if (!from_owner(from, at)) return core_.ignore_stranger();
  core_.delta(at, bytes, boot_now());
  look_again();
}

void Mirror::position(const entity::rpc::Caller& from, const Position& at) {
  if (!from_owner(from, at) || !core_.has_state()) return;
  if (at.stream.epoch == 0) {
    const bool it_ends = at.stream.life == 0 || at.stream.life == core_.at().stream.life;
    if (it_ends && !watched_) process_ended(owner_.name, {});
    return;
  }
  if (at.stream != core_.at().stream) return;
  const entity::Time now = boot_now();
  answered_at_ = now;
  core_.position(at, now);
  look_again();
}

void Mirror::look(entity::Time now) {
  if (hears_owner() && core_.should_ask(now)) ask();
  if (!following_ && now >= follow_at_) follow(now);
  look_again();
}

void Mirror::look_again() {
  const entity::Time follow_at = following_ ? entity::Time::max() : follow_at_;
  exchange_->look_at(*this, hears_owner() ? std::min(core_.ask_at(), follow_at) : follow_at);
}

void Mirror::ask() {
  entity::rpc::CallOptions options;
  options.deadline = kSnapshotDeadline;
  options.lane = bus::Lane::bulk;
  const bus::Bytes version = core_.version();
  const std::string have(bus::as_text(version));
  entity::rpc::call<&Publisher::snapshot>(
      endpoint_, publisher_, options, exchange_->name(), publisher_,
      have)([this, question = core_.asked(),
             weak = std::weak_ptr(alive_)](const entity::rpc::Reply<std::string, Error>& reply) {
    if (weak.expired()) return;
    const entity::Time now = boot_now();
    const auto snapshot = reply ? unpack_snapshot(*reply) : entity::DataResult<Snapshot>{};
    if (!reply) {
      core_.no_snapshot(question, reason_of(reply.error()), now);
    } else if (!snapshot) {
      core_.no_snapshot(question, Errc::refused, now);
    } else if (!learn(snapshot->at, snapshot->home)) {
      core_.no_snapshot(question, Errc::unreachable, now);  // not seen as owner yet
    } else {
      answered_at_ = now;
      core_.snapshot(question, snapshot->at, bus::as_bytes(snapshot->state), now);
    }
    look_again();
  });
}

/// Together with the other mirrors of the publisher's process, as long as that answers.
void Mirror::follow(entity::Time now) {
  const bool answers = now - answered_at_ < entity::Time(kFollow) * 3 / 2;
  if (!answers || !owner_.epoch || !core_.has_state()) return call_follow();
  follow_at_ = now + kFollow;
  exchange_->ask_with_others(owner_.name, publisher_);
}

void Mirror::call_follow() {
  following_ = true;
  entity::rpc::CallOptions options;
  options.deadline = kFollowDeadline;
  entity::rpc::call<&Publisher::follow>(endpoint_, publisher_, options, exchange_->name(),
                                        publisher_)(
      [this, weak = std::weak_ptr(alive_)](const entity::rpc::Reply<Followed, Error>& reply) {
        if (weak.expired()) return;
        const entity::Time now = boot_now();
        following_ = false;
        follow_at_ = now + kFollow;
        if (reply && learn(reply->at, reply->home)) {
          answered_at_ = now;
          core_.position(reply->at, now);
        } else if (!reply && !hears_owner() && core_.should_ask(now)) {
          core_.no_snapshot(core_.asked(), reason_of(reply.error()), now);
        }
        look_again();
      });
}

}  // namespace starbus::nodes::replica
