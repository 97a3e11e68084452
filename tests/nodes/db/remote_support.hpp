/// A RemoteDatabase, a RequestHandler and a database in one thread, with a bus between them that
/// loses what it is told to, and a clock of its own.
#pragma once

#include <deque>
#include <map>
#include <thread>

#include "nodes/db/remote/remote_database.hpp"
#include "nodes/db/service/request_handler.hpp"
#include "tests/nodes/db/support.hpp"

namespace starbus::nodes::db::test {

class FakeLink final : public RemoteLink {
 public:
  struct Call {
    bus::Bytes body;
    Milliseconds due{};
    Replied replied;
    bool on_the_way = true;  // not delivered, and not lost
  };

  void call(bus::ByteView body, Milliseconds deadline, Replied replied) override {
    calls_[next_++] = {bus::Bytes(body.begin(), body.end()), now_ + deadline, std::move(replied)};
  }
  void wake_in(Milliseconds pause, std::function<void()> wake) override {
    timers_.emplace(now_ + pause, std::move(wake));
  }
  void watch_owner(std::function<void(bool)> changed) override { changed_ = std::move(changed); }
  Milliseconds now() const override { return now_; }

  /// The oldest that is on the way; 0: none is. It is not any more.
  std::uint64_t take() {
    for (auto& [id, call] : calls_) {
      if (std::exchange(call.on_the_way, false)) return id;
    }
    return 0;
  }
  const bus::Bytes& body(std::uint64_t id) const { return calls_.at(id).body; }
  void end(std::uint64_t id, const bus::Result<bus::Bytes>& result) {
    const auto found = calls_.find(id);
    if (found == calls_.end()) return;  // its deadline was sooner
    const auto replied = std::move(found->second.replied);
    calls_.erase(found);
    replied(result);
  }
  void pass(Milliseconds time) {
    now_ += time;
    for (auto at = calls_.begin(); at != calls_.end();) {
      const auto [id, due] = std::pair(at->first, at->second.due);
      ++at;
      if (due <= now_) end(id, bus::Error(bus::Errc::deadline));
    }
    while (!timers_.empty() && timers_.begin()->first <= now_) {
      const auto wake = std::move(timers_.begin()->second);
      timers_.erase(timers_.begin());
      wake();
    }
  }
  void change_owner(bool first) { changed_(first); }
  std::size_t on_the_way() const {
    const auto is = [](const auto& row) { return row.second.on_the_way; };
    return static_cast<std::size_t>(std::ranges::count_if(calls_, is));
  }

 private:
  Milliseconds now_{1'000};
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, Call> calls_;
  std::multimap<Milliseconds, std::function<void()>> timers_;
  std::function<void(bool)> changed_;
};

class RemoteWorld {
 public:
  explicit RemoteWorld(RemoteOptions options = {}, std::set<std::string> collections = {})
      : collections_(std::move(collections)) {
    make_desk();
    auto link = std::make_unique<FakeLink>();
    link_ = link.get();
    remote_ = std::make_unique<RemoteDatabase>(std::move(link), std::move(options));
  }

  RemoteDatabase& remote() { return *remote_; }
  FakeLink& link() { return *link_; }
  World& world() { return world_; }

  /// Hands the oldest request over; its answer gets lost, or comes when the database has it.
  bool deliver(bool lose_answer = false) {
    const std::uint64_t id = link_->take();
    if (id == 0) return false;
    const bus::Bytes body = link_->body(id);
    desk_->handle(body, [this, id, lose_answer](bus::Bytes answer) {
      if (!lose_answer) answers_.emplace_back(id, std::move(answer));
    });
    return true;
  }
  bool lose(bus::Errc reason) {
    const std::uint64_t id = link_->take();
    if (id != 0) link_->end(id, bus::Error(reason));
    return id != 0;
  }
  /// The database does what it can do now, and its answers arrive.
  void settle() {
    world_.loop().run_what_is_there();
    for (auto& [id, answer] : std::exchange(answers_, {})) link_->end(id, std::move(answer));
  }
  /// The node dies, and another one opens what its disk has.
  void crash(storage::testing::FaultEnv::Loss loss, std::uint64_t seed, bool noticed) {
    answers_.clear();
    while (lose(bus::Errc::owner_lost)) {
    }
    world_.crash(loss, seed);
    make_desk();
    if (noticed) link_->change_owner(false);
  }
  /// Without further losses, until all is answered.
  bool finish() {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (remote_->outstanding() != 0) {
      if (std::chrono::steady_clock::now() > limit) return false;
      while (deliver()) {
      }
      settle();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the disk's
      link_->pass(RemoteLink::Milliseconds(5));
    }
    return true;
  }
  template <class T, class Request>
  Result<T> ask(Result<> (Database::*call)(Request, Database::Done<T>), Request request) {
    std::optional<Result<T>> answer;
    const auto taken = (remote_.get()->*call)(
        std::move(request), [&](Result<T> result) { answer = std::move(result); });
    if (!taken) return taken.error();
    if (!finish()) ADD_FAILURE() << "no answer";
    return *std::move(answer);
  }

 private:
  void make_desk() {
    desk_ = std::make_unique<RequestHandler>(world_.database(),
                                             RequestHandler::Scope{"main", collections_});
  }

  const std::set<std::string> collections_;
  std::unique_ptr<RequestHandler> desk_;  // ends behind the database
  World world_;
  FakeLink* link_ = nullptr;
  std::unique_ptr<RemoteDatabase> remote_;
  std::vector<std::pair<std::uint64_t, bus::Bytes>> answers_;
};

}  // namespace starbus::nodes::db::test
