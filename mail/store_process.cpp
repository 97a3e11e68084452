#include "mail/store_process.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <random>
#include <utility>

#include "base/wall_clock.hpp"
#include "bus/core/wire/version.hpp"
#include "bus/io/draws.hpp"
#include "mail/answer_once.hpp"
#include "mail/limits.hpp"
#include "storage/recovery/repair.hpp"

namespace starbus::mail {
namespace {

std::uint64_t now_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

std::uint64_t random_number() {
  std::random_device device;
  const std::uint64_t high = device();
  return high << 32 | device();
}

}  // namespace

StoreProcess::StoreProcess(const MailStoreSettings& settings, const MailStoreHooks& hooks,
                           std::unique_ptr<storage::Store> store, std::function<bool()> may_repair)
    : settings_(settings),
      hooks_(hooks),
      store_(std::move(store)),
      measured_(*store_, hooks_.measured),
      service_(measured_, settings_.host, settings_.shards, settings_.quota,
               {.post =
                    [this](std::function<void()> action) {
                      boost::asio::post(loop_, [this, action = std::move(action)] {
                        action();
                        link_.request_send(0);
                      });
                    },
                .wall_ms = settings_.wall_ms ? settings_.wall_ms : wall_ms,
                .now_ms = now_ms,
                .trouble = hooks_.trouble,
                .note = hooks_.note,
                .stopped = [this](const storage::Error& reason) { stopped(reason); },
                .token = random_number}),
      core_({kName, settings_.role, bus::io::draw_incarnation(),
             std::string("starbus ") + bus::kVersion, bus::kVersionMinor},
            service_, bus::io::boot_now()),
      link_(loop_, core_, settings_.endpoint, link_hooks()),
      may_repair_(std::move(may_repair)),
      queries_(*store_),
      scrubber_(*store_, settings_.scrub, hooks_.trouble),
      oldest_(*store_) {
  for (const std::string& damage : store_->report().damage) hooks_.trouble(damage);
}

bus::ProcessLink::Hooks StoreProcess::link_hooks() {
  bus::ProcessLink::Hooks hooks;
  hooks.hold = [this]() -> std::shared_ptr<void> { return alive_; };
  hooks.lost = [](const Error&, bool) {};  // busd says so itself
  hooks.refused = [this](const Error& reason) {
    hooks_.trouble("the mail store is not let in by its own busd, and asks again: " +
                   reason.to_string());
  };
  hooks.persists = true;
  hooks.tick = [this] { publish(); };
  hooks.before_send = [this] { service_.turn(); };
  hooks.after_turn = [] {};
  return hooks;
}

/// What a disk has lost can be repaired while others wait; what it did not take, or fails to sync,
/// is not known any more.
void StoreProcess::stopped(const storage::Error& reason) {
  thread_.check();
  const storage::Error why = store_->report().reason;
  if (!storage::can_be_repaired(why) || !may_repair_()) return hooks_.stopped(reason);
  damaged_ = why;
  leave();
}

void StoreProcess::publish() {
  thread_.check();
  const auto now = std::chrono::steady_clock::now();
  if (now < published_ + kFiguresPause) return;
  published_ = now;
  MailStoreFigures figures;
  figures.counters = service_.mail().counters();
  figures.totals = service_.mail().totals();
  figures.readers = service_.mail().readers().count();
  figures.kept.emplace();
  for (unsigned shard = 0; shard < kShards; ++shard) {
    figures.held.set(shard, service_.serves(static_cast<std::uint8_t>(shard)));
    figures.kept->set(shard, service_.keeps(static_cast<std::uint8_t>(shard)));
    figures.lacking.set(shard, service_.lacks(static_cast<std::uint8_t>(shard)));
  }
  figures.move = service_.move();
  figures.exporting = service_.exporting();
  figures.offers = service_.offers();
  const std::lock_guard lock(figures_mutex_);
  figures_ = figures;
}

MailStoreFigures StoreProcess::figures() const {
  const std::lock_guard lock(figures_mutex_);
  return figures_;
}

void StoreProcess::purge(const std::string& name, std::uint64_t upto, Mail::Purged done) {
  auto answer = answer_once<Result<std::uint64_t>>(std::move(done), Error{Errc::closed});
  boost::asio::post(loop_, [this, name, upto, answer = std::move(answer)] {
    service_.purge(name, upto, answer);
    link_.request_send(0);
  });
}

void StoreProcess::take(std::vector<std::uint8_t> shards, Taken begun) {
  auto answer = answer_once<Result<>>(std::move(begun), Error{Errc::closed});
  boost::asio::post(loop_, [this, shards = std::move(shards), answer = std::move(answer)] {
    const auto result = service_.take(shards);
    published_ = {};
    publish();  // so that whoever is told finds it in the figures
    answer(result);
    link_.request_send(0);
  });
}

void StoreProcess::stop_taking() {
  boost::asio::post(loop_, [this] {
    service_.stop_taking();
    link_.request_send(0);
  });
}

void StoreProcess::offer(std::vector<std::uint8_t> shards, std::string host, Offered done) {
  auto answer =
      answer_once<Result<std::vector<std::uint8_t>>>(std::move(done), Error{Errc::closed});
  boost::asio::post(loop_, [this, shards = std::move(shards), host = std::move(host),
                            answer = std::move(answer)] {
    const auto offered = service_.offer(shards, host);
    published_ = {};
    publish();
    answer(offered);
    link_.request_send(0);
  });
}

void StoreProcess::withdraw(std::vector<std::uint8_t> shards) {
  boost::asio::post(loop_, [this, shards = std::move(shards)] {
    service_.withdraw(shards);
    published_ = {};
    publish();
  });
}

void StoreProcess::run() {
  thread_.check();
  service_.attach(core_);
  link_.start();
  const auto work = boost::asio::make_work_guard(loop_);
  loop_.run();
}

void StoreProcess::detach() {
  boost::asio::post(loop_, [this] { detached_ = true; });
  leave();
}

void StoreProcess::leave() {
  boost::asio::post(loop_, [this] {
    core_.leave();
    link_.stop();
    loop_.stop();
  });
}

StoreProcess::~StoreProcess() {
  // What is still under way becomes durable, and nobody is told: its senders ask the next one.
  store_->close();
}

}  // namespace starbus::mail
