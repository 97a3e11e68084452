/// Entities that move between the hosts of these tests: with properties, steps and hooks.
#pragma once

#include <boost/asio/deferred.hpp>
#include <boost/asio/steady_timer.hpp>

#include "entity/properties/properties.hpp"
#include "nodes/hosting/entity_host.hpp"

namespace starbus::nodes::entities {

namespace rpc = entity::rpc;

/// What happened, wherever it did.
struct Diary {
  std::vector<std::string> lines;
  std::vector<int> said;
  bool stays = false;  // on_before_move refuses
};
inline Diary* diary = nullptr;

/// Answers when the test wants.
class Bank : public rpc::Callable<Bank> {
 public:
  rpc::Task<int> balance(rpc::Caller& from, int account) {
    ++asked;
    boost::asio::steady_timer timer(from.endpoint->loop());
    while (closed) {
      timer.expires_after(std::chrono::milliseconds(1));
      co_await timer.async_wait(boost::asio::deferred);
    }
    co_return account * 10;
  }
  int asked = 0;
  bool closed = true;
  static constexpr auto kRpc = rpc::methods("test_bank", rpc::method<&Bank::balance>("balance"));
};

struct TraderState : entity::Properties<TraderState> {
  entity::Field<int, entity::Flags::all_clients> gold{this, "gold", 3};
};
class Trader final : public entity::EntityOf<Trader> {
 public:
  static constexpr std::string_view kTypeName = "trader";
  explicit Trader(const entity::ConstructKey& key) : EntityOf(key) {}
  void say(rpc::Caller&, int number) { diary->said.push_back(number); }
  int gold(rpc::Caller&) { return state.gold; }
  void rang(const std::string& what) { diary->lines.push_back("rang " + what); }
  void told(rpc::Reply<int> balance, const std::string& why) {
    diary->lines.push_back(why + ' ' +
                           (balance ? std::to_string(*balance) : balance.error().to_string()));
  }
  entity::Root* properties() override { return &state; }
  TraderState state;
  static constexpr auto kSteps =
      entity::steps(entity::step<&Trader::rang>("rang"), entity::step<&Trader::told>("told"));
  static constexpr auto kRpc = rpc::methods("test_trader", rpc::method<&Trader::say>("say"),
                                            rpc::method<&Trader::gold>("gold"));

 private:
  ~Trader() override = default;
  entity::EntityResult<> on_before_move(entity::Encoder&) override {
    if (diary->stays) return entity::EntityError(entity::EntityErrc::hook_failed, "no wish to");
    diary->lines.emplace_back("before");
    return {};
  }
  entity::EntityResult<> on_after_move(entity::Decoder* in) override {
    diary->lines.emplace_back(in == nullptr ? "back" : "after");
    return {};
  }
  entity::EntityResult<> on_activate() override {
    diary->lines.emplace_back("active");
    return {};
  }
  void on_final(entity::EndReason why) override {
    diary->lines.push_back("final " + std::string(entity::name_of(why)));
  }
};

/// The same type in another build.
struct NewTraderState : entity::Properties<NewTraderState> {
  entity::Field<std::string, entity::Flags::ghost> guild{this, "guild", "none"};
  entity::Field<int, entity::Flags::all_clients> gold{this, "gold"};
};
class NewTrader final : public entity::EntityOf<NewTrader> {
 public:
  static constexpr std::string_view kTypeName = "trader";
  explicit NewTrader(const entity::ConstructKey& key) : EntityOf(key) {}
  entity::Root* properties() override { return &state; }
  NewTraderState state;
  void rang(const std::string& what) { diary->lines.push_back("new rang " + what); }
  static constexpr auto kSteps = entity::steps(entity::step<&NewTrader::rang>("rang"));

 private:
  ~NewTrader() override = default;
};

}  // namespace starbus::nodes::entities
