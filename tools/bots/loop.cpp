#include "tools/bots/loop.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "bus/core/error.hpp"

namespace starbus::bots {
namespace {

constexpr std::uint64_t kTimer = ~std::uint64_t{0};
constexpr std::uint64_t kWake = kTimer - 1;
/// Events of one turn: the lock is given back in between.
constexpr int kEvents = 256;

bool listen_to(int epoll, int fd, std::uint64_t name) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = name;
  return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

void drain(int fd) {
  std::uint64_t times = 0;
  const ssize_t size = read(fd, &times, sizeof times);
  static_cast<void>(size);
}

}  // namespace

Result<std::unique_ptr<Loop>> Loop::make(std::unique_ptr<Ground> ground) {
  std::unique_ptr<Loop> loop(new Loop(std::move(ground)));
  loop->epoll_ = FileDescriptor(epoll_create1(EPOLL_CLOEXEC));
  loop->timer_ = FileDescriptor(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  loop->wake_ = FileDescriptor(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!loop->epoll_ || !loop->timer_ || !loop->wake_ ||
      !listen_to(loop->epoll_.get(), loop->timer_.get(), kTimer) ||
      !listen_to(loop->epoll_.get(), loop->wake_.get(), kWake)) {
    return Error(bus::Errc::io_error, std::string("a loop: ") + std::strerror(errno) +
                                          ", raise the limit of open files");
  }
  return loop;
}

Loop::~Loop() {
  enter(Stage::over);
  if (thread_.joinable()) thread_.join();
}

void Loop::add(std::uint64_t number, Nanos arrival) {
  rows_.push_back({std::make_unique<Bot>(*ground_, number, arrival)});
  schedule(rows_.size() - 1);
}

void Loop::start() {
  set_timer();
  thread_ = std::thread([this] { run(); });
}

void Loop::enter(Stage stage) {
  stage_ = stage;
  const std::uint64_t once = 1;
  const ssize_t size = write(wake_.get(), &once, sizeof once);
  static_cast<void>(size);  // it is awake already
}

void Loop::run() {
  std::array<epoll_event, kEvents> events{};
  while (stage_ != Stage::over) {
    const int count = epoll_wait(epoll_.get(), events.data(), kEvents, -1);
    const std::lock_guard lock(mutex_);
    ground_->stage = stage_;
    if (ground_->stage == Stage::leaving && !std::exchange(goodbye_, true)) say_goodbye();
    for (int i = 0; i < count; ++i) {
      const std::uint64_t name = events[static_cast<std::size_t>(i)].data.u64;
      if (name == kTimer) {
        drain(timer_.get());
        timer_at_ = kNever;
      } else if (name == kWake) {
        drain(wake_.get());
      } else {
        turn(static_cast<std::size_t>(name), now_nanos(), true);
      }
    }
    turn_due();
    set_timer();
  }
}

void Loop::turn(std::size_t row, Nanos now, bool ready) {
  rows_[row].bot->turn(now, ready);
  watch(row);
  schedule(row);
}

void Loop::turn_due() {
  const Nanos now = now_nanos();
  while (!due_.empty() && due_.top().at <= now) {
    const Due due = due_.top();
    due_.pop();
    if (rows_[due.row].scheduled != due.at) continue;  // it was due earlier
    rows_[due.row].scheduled = kNever;
    turn(due.row, now, false);
  }
}

/// A deadline that has moved to later stays: looked at too early, it is set anew.
void Loop::schedule(std::size_t row) {
  const Nanos at = rows_[row].bot->due();
  if (at >= rows_[row].scheduled) return;
  rows_[row].scheduled = at;
  due_.push({at, row});
}

void Loop::set_timer() {
  const Nanos at = due_.empty() ? kNever : due_.top().at;
  if (at >= timer_at_) return;
  timer_at_ = at;
  itimerspec when{};
  when.it_value.tv_sec = at / kSecond;
  when.it_value.tv_nsec = at % kSecond;
  if (at <= 0) when.it_value.tv_nsec = 1;  // 0 would be never
  timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

void Loop::watch(std::size_t row) {
  Row& each = rows_[row];
  watch(row, each.sockets[0], each.bot->present());
  watch(row, each.sockets[1], each.bot->next());
}

/// A socket that was closed has left epoll by itself; its number may be that of another one.
void Loop::watch(std::size_t row, Watched& known, const Player* player) {
  const Watched wanted =
      player == nullptr || player->client().fd() < 0
          ? Watched{}
          : Watched{player->client().fd(), player->client().session().counts().connections,
                    player->client().wants_write()};
  const bool same = wanted.fd == known.fd && wanted.connection == known.connection;
  if (same && wanted.writes == known.writes) return;
  known = wanted;
  if (wanted.fd < 0) return;
  epoll_event event{};
  event.events = EPOLLIN | (wanted.writes ? EPOLLOUT : 0U);
  event.data.u64 = row;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, wanted.fd, &event) == 0 || errno != ENOENT) return;
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wanted.fd, &event);
}

void Loop::say_goodbye() {
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    for (Player* each : {rows_[row].bot->present(), rows_[row].bot->next()}) {
      if (each != nullptr && !each->ended()) each->say_goodbye();
    }
    turn(row, now_nanos(), false);
  }
}

Figures Loop::take(Gauges& gauges) {
  Figures taken(ground_->script.says.size(), ground_->script.hears.size());
  const std::lock_guard lock(mutex_);
  std::swap(taken, ground_->figures);
  for (const Row& each : rows_) each.bot->measure(gauges);
  return taken;
}

void Loop::look(std::vector<Sighting>& all) {
  const std::lock_guard lock(mutex_);
  for (const Row& each : rows_) each.bot->look(all);
}

void Loop::stand(std::vector<Standing>& all) {
  const std::lock_guard lock(mutex_);
  for (const Row& each : rows_) each.bot->stand(all);
}

void Loop::judge_end() {
  const std::lock_guard lock(mutex_);
  for (const Row& each : rows_) each.bot->judge_end();
}

void Loop::tickets(Tickets& all) {
  const std::lock_guard lock(mutex_);
  for (const Row& each : rows_) {
    const Player* const player = each.bot->present();
    if (player != nullptr && !player->reentry().empty()) {
      all[each.bot->account()] = player->reentry();
    }
  }
}

}  // namespace starbus::bots
