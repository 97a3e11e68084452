// The objects that the tests call.
#pragma once

#include <boost/asio/deferred.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "entity/rpc/rpc.hpp"

namespace starbus::entity::rpc::world {

enum class ChatError : std::uint8_t { full = 1, banned = 2 };

struct Line {
  std::string who;
  std::int64_t at = 0;
  std::vector<std::string> words;
  bool operator==(const Line&) const = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(who, at, words);
  }
};

/// A service.
class Chat : public Callable<Chat> {
 public:
  bus::Result<int> join(Caller& from, std::string room) {
    ++entered;
    last = from.from;
    client = from.client;
    if (room.empty()) return bus::Error(bus::Errc::bad_name, "a room has a name");
    return static_cast<int>(room.size());
  }
  void said(Caller&, const std::string& text) { lines.push_back(text); }
  Reply<int, ChatError> sit(Caller&, std::uint8_t seat) {
    if (seat > 3) return refuse(ChatError::full);
    return int{seat};
  }
  void left(Caller& from, std::uint64_t) { last = from.from; }
  void broken(Caller&) { throw std::runtime_error("a bug"); }
  std::vector<Line> echo(Caller&, std::vector<Line> all, std::map<std::string, double> scores,
                         std::optional<int> some) {
    ++entered;
    all.push_back({"scores", static_cast<std::int64_t>(scores.size()), {}});
    if (some) all.back().at += *some;
    return all;
  }
  std::string blob(Caller&, std::uint32_t size) { return std::string(size, 'x'); }

  int entered = 0;
  From last = From::server;
  std::uint64_t client = 0;
  std::vector<std::string> lines;

  static constexpr auto kRpc =
      methods("chat", method<&Chat::join>("join", any_client), method<&Chat::said>("said"),
              method<&Chat::sit>("sit", own_client), method<&Chat::left>("left", rpc::gate),
              method<&Chat::broken>("broken"), method<&Chat::echo>("echo", any_client),
              method<&Chat::blob>("blob"));
};

/// A component.
class Bag : public Callable<Bag> {
 public:
  int add(Caller&, int count) { return held += count; }
  int held = 0;
  static constexpr auto kRpc = methods("bag", method<&Bag::add>("add"));
};
class BigBag : public Callable<BigBag, Bag> {
 public:
  int size(Caller&) { return 100; }
  static constexpr auto kRpc = methods("big_bag", method<&BigBag::size>("size"));
};
class Purse : public Callable<Purse> {
 public:
  int gold(Caller&) const { return 7; }
  static constexpr auto kRpc = methods("purse", method<&Purse::gold>("gold"));
};

/// An entity, and its base.
class Avatar : public Callable<Avatar> {
 public:
  void walk(Caller&, int steps) { walked.push_back(steps); }
  std::vector<int> walked;
  static constexpr auto kRpc = methods("avatar", method<&Avatar::walk>("walk"));
};
class Player : public Callable<Player, Avatar> {
 public:
  explicit Player(Endpoint& at) : endpoint(at) {}

  /// Answers after a while.
  Task<int> slow(Caller&, int milliseconds) {
    const Trail trail(*this);
    ++began;
    boost::asio::steady_timer timer(endpoint.loop(), std::chrono::milliseconds(milliseconds));
    const boost::system::error_code error = co_await timer.async_wait(boost::asio::deferred);
    ++finished;
    co_return error ? -1 : milliseconds;
  }
  /// Asks somebody else, through a coroutine of its own.
  Task<Reply<int, ChatError>> relay(Caller& from, std::string to, std::uint8_t seat) {
    const Trail trail(*this);
    ++began;
    auto seats = co_await ask(to, seat);
    ++finished;
    if (from.channel.empty()) co_return 0;
    co_return seats;
  }
  Task<Reply<int, ChatError>> ask(const std::string& to, std::uint8_t seat) {
    co_return co_await rpc::call<&Chat::sit>(endpoint, to, {}, seat);
  }
  /// Waits for an answer that takes a minute.
  Task<int> nap(Caller&, std::string to) {
    const Trail trail(*this);
    ++began;
    const auto answer = co_await rpc::call<&Player::slow>(endpoint, to, {}, 60'000);
    ++finished;
    co_return answer ? 1 : 0;
  }
  /// Ends its own object while it runs.
  Task<int> suicide(Caller&) {
    const Trail trail(*this);
    boost::asio::io_context& loop = endpoint.loop();
    on_suicide();
    boost::asio::steady_timer after(loop, std::chrono::milliseconds(1));
    co_await after.async_wait(boost::asio::deferred);
    ++survived;
    co_return 1;
  }
  Task<> thrower(Caller&) {
    co_await fail_later();
    co_return;
  }
  Task<> fail_later() {
    throw std::runtime_error("late");
    co_return;
  }

  struct Trail {
    explicit Trail(Player& owner) : player(&owner) {}
    Trail(const Trail&) = delete;
    Trail& operator=(const Trail&) = delete;
    ~Trail() { ++gone; }
    Player* player;
  };

  Endpoint& endpoint;
  int began = 0;
  inline static int finished = 0;
  inline static int gone = 0;
  inline static int survived = 0;
  std::function<void()> on_suicide = [] {};

  static constexpr auto kRpc =
      methods("player", method<&Player::slow>("slow"), method<&Player::relay>("relay"),
              method<&Player::nap>("nap"), method<&Player::suicide>("suicide"),
              method<&Player::thrower>("thrower"));
};

}  // namespace starbus::entity::rpc::world
