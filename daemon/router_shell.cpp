#include "daemon/router_shell.hpp"

#include <spdlog/spdlog.h>

#include <boost/asio/post.hpp>
#include <cassert>
#include <map>
#include <utility>

namespace starbus::daemon {
namespace {

bus::PeerFacts facts_of(const bus::io::Peer& peer) {
  bus::PeerFacts facts;
  facts.pid = peer.pid;
  facts.uid = peer.uid;
  facts.gid = peer.gid;
  facts.groups.assign(peer.groups.begin(), peer.groups.end());
  facts.key = peer.key;
  facts.address = peer.address;
  return facts;
}

}  // namespace

/// One link and its id; the link's handler.
class LinkShell::Port final : public bus::io::LinkHandler {
 public:
  /// `user`: whose link it is; nullopt where users are not known, or do not count.
  Port(LinkShell& shell, bus::LinkId id, std::shared_ptr<bus::io::Link> link,
       std::optional<LinkTurns::User> user)
      : shell_(shell), id_(id), link_(std::move(link)), user_(user) {
    if (user_) shell_.turns_.join(*user_);
  }
  ~Port() {
    if (user_) shell_.turns_.leave(*user_, id_);
  }
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  bus::io::Link& link() { return *link_; }
  Speaker as_speaker() const { return {*link_, since_}; }
  std::optional<LinkTurns::User> user() const { return user_; }
  std::int64_t pid() const { return link_->peer().pid; }
  LinkTurns::Clock::duration used() const { return used_; }

  bool has_turn(bus::io::Link&) override {
    const auto now = LinkTurns::Clock::now();
    if (user_ && !shell_.turns_.begin(*user_, id_, now)) {
      shell_.serve_waiting();
      return false;
    }
    begin_batch(now);
    return true;
  }
  bool enough() override {
    if (!measured_) return false;
    const auto now = LinkTurns::Clock::now();
    if (!user_) return now - mark_ > LinkTurns::kTurn;
    spend_until(now);
    return shell_.turns_.is_over(*user_);
  }
  bool unfinished() override { return unfinished_; }

  void on_bundle(bus::io::Link&, bus::ByteView bundle) override { take(bundle); }
  void on_batch_end(bus::io::Link&) override {
    shell_.router_->flush();
    shell_.go_on_later();
    if (measured_ && user_) spend_until(LinkTurns::Clock::now());
  }
  void on_closed(bus::io::Link&, const Error& reason) override { shell_.ended(id_, reason); }

 private:
  /// What follows is measured, unless all links are of one user: then nobody waits for it.
  void begin_batch(LinkTurns::Clock::time_point now) {
    measured_ = !user_ || shell_.turns_.shared();
    mark_ = now;
  }
  void spend_until(LinkTurns::Clock::time_point now) {
    used_ += now - mark_;
    shell_.turns_.spend(*user_, now - mark_, now);
    mark_ = now;
  }
  void take(bus::ByteView bundle) {
    shell_.speaker_ = this;
    unfinished_ = !shell_.router_->on_bundle(id_, bundle, boot_now());
    shell_.speaker_ = nullptr;
    // If the bundle ended its own link, no end of the batch follows.
    if (!shell_.ports_.contains(id_)) shell_.router_->flush();
  }

  LinkShell& shell_;
  bus::LinkId id_;
  std::shared_ptr<bus::io::Link> link_;
  const std::optional<LinkTurns::User> user_;
  const bus::Time since_ = boot_now();
  bool measured_ = false;                // the present batch
  bool unfinished_ = false;              // the latest bundle was taken in part
  LinkTurns::Clock::time_point mark_{};  // until here the batch is spent; without a user: its begin
  LinkTurns::Clock::duration used_{};
};

LinkShell::LinkShell(boost::asio::io_context& loop) : loop_(loop), timer_(loop) {}

LinkShell::~LinkShell() {
  stop();
}

void LinkShell::start(bus::Router& router) {
  assert(router_ == nullptr);
  router_ = &router;
  take_thread();
  wait();
}

/// The loop may run in another thread than the one that builds the daemon: a test's, for example.
void LinkShell::take_thread() {
  boost::asio::post(loop_, [this, weak = std::weak_ptr(alive_)] {
    if (weak.expired() || router_ == nullptr) return;
    thread_.rebind();
    router_->rebind_thread();
  });
}

void LinkShell::stop() {
  timer_.cancel();
  router_ = nullptr;
  for (auto& [id, port] : ports_) port->link().close();
  ports_.clear();
  retired_.clear();
}

void LinkShell::wait() {
  timer_.expires_after(kTick);
  // An expired timer cannot be cancelled: its handler may run after this object is destroyed.
  timer_.async_wait([this, weak = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    if (error || weak.expired() || router_ == nullptr) return;
    retired_.clear();
    // If this loop stood still, bundles that arrived meanwhile are read first: those peers are not
    // silent.
    const auto late = boost::asio::steady_timer::clock_type::now() - timer_.expiry();
    if (late < bus::kSuspect) {
      router_->tick(boot_now());
      router_->flush();
      go_on_later();
    }
    wait();
  });
}

bus::LinkId LinkShell::add(std::shared_ptr<bus::io::Link> link, const Opened& opened) {
  thread_.check();
  assert(router_ != nullptr);
  const bus::LinkId id = next_id_++;
  bus::PeerFacts facts = facts_of(link->peer());
  std::optional<LinkTurns::User> user;
  if (facts.pid != 0 && !opened) user = facts.uid;
  auto& port =
      *ports_.emplace(id, std::make_unique<Port>(*this, id, std::move(link), user)).first->second;
  if (opened) {
    opened(id, std::move(facts), boot_now());
  } else {
    router_->link_opened(id, std::move(facts), boot_now());
  }
  if (ports_.contains(id)) port.link().start(port);
  router_->flush();
  return id;
}

void LinkShell::serve_waiting() {
  if (!turns_.somebody_waits() || std::exchange(serving_, true)) return;
  boost::asio::post(loop_, [this, weak = std::weak_ptr(alive_)] {
    if (weak.expired()) return;
    serving_ = false;
    const auto link = router_ == nullptr ? std::nullopt : turns_.next(LinkTurns::Clock::now());
    if (!link) return;
    if (const auto found = ports_.find(*link); found != ports_.end()) {
      // It may close itself meanwhile.
      const std::shared_ptr<bus::io::Link> kept = found->second->link().shared_from_this();
      kept->go_on();
    }
    serve_waiting();
  });
}

void LinkShell::go_on_later() {
  if (!router_->unfinished() || std::exchange(going_on_, true)) return;
  boost::asio::post(loop_, [this, weak = std::weak_ptr(alive_)] {
    if (weak.expired()) return;
    going_on_ = false;
    if (router_ == nullptr) return;
    router_->go_on();
    router_->flush();
    go_on_later();
  });
}

void LinkShell::flush() {
  thread_.check();
  if (router_ != nullptr) router_->flush();
}

std::optional<LinkShell::Speaker> LinkShell::speaker() const {
  if (speaker_ == nullptr) return std::nullopt;
  return speaker_->as_speaker();
}

bus::Bytes LinkShell::take_buffer(bus::LinkId id) {
  const auto found = ports_.find(id);
  return found == ports_.end() ? bus::Bytes{} : found->second->link().take_buffer();
}

void LinkShell::send(bus::LinkId id, bus::Bytes bundle) {
  if (const auto found = ports_.find(id); found != ports_.end()) {
    found->second->link().send(std::move(bundle));
  }
}

void LinkShell::close(bus::LinkId id) {
  const auto found = ports_.find(id);
  if (found == ports_.end()) return;
  found->second->link().close();
  retire(id);
}

bool LinkShell::enough(bus::LinkId id) {
  const auto found = ports_.find(id);
  return found != ports_.end() && found->second.get() == speaker_ && found->second->enough();
}

std::vector<LinkShell::LoopUse> LinkShell::loop_use() const {
  using std::chrono::microseconds;
  std::map<std::pair<LinkTurns::User, std::int64_t>, LinkTurns::Clock::duration> used;
  for (const auto& [id, port] : ports_) {
    if (!port->user()) continue;
    used[{*port->user(), 0}] = turns_.used(*port->user());
    used[{*port->user(), port->pid()}] += port->used();
  }
  std::vector<LoopUse> all;
  for (const auto& [who, time] : used) {
    all.push_back({who.first, who.second, std::chrono::duration_cast<microseconds>(time)});
  }
  return all;
}

void LinkShell::ended(bus::LinkId id, const Error& reason) {
  retire(id);
  router_->link_closed(id, reason, boot_now());
  router_->flush();
}

void LinkShell::retire(bus::LinkId id) {
  const auto found = ports_.find(id);
  assert(found != ports_.end());
  retired_.push_back(std::move(found->second));
  ports_.erase(found);
}

void log_router_line(bus::RouterShell::Level level, const std::string& text) {
  switch (level) {
    case bus::RouterShell::Level::debug:
      return spdlog::debug(text);
    case bus::RouterShell::Level::info:
      return spdlog::info(text);
    case bus::RouterShell::Level::warning:
      return spdlog::warn(text);
    case bus::RouterShell::Level::error:
      return spdlog::error(text);
  }
}

}  // namespace starbus::daemon
