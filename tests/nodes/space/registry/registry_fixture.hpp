/// A registry with nodes that a test plays by hand, under a virtual clock.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "nodes/space/limits.hpp"
#include "nodes/space/registry/limits.hpp"
#include "nodes/space/registry/registry.hpp"

namespace starbus::nodes::space {

using namespace std::chrono_literals;

inline SpaceType town(std::uint32_t capacity = 100, std::uint32_t max_lines = 4) {
  SpaceType type;
  type.name = "town";
  type.capacity = capacity;
  type.soft_capacity = capacity * 4 / 5;
  type.max_lines = max_lines;
  type.idle = 60s;
  type.countdown = 10s;
  type.ticks_per_second = 10;
  type.max = {100, 100, 0};
  type.sight = type.cell = 30;
  type.weight = 50;
  return type;
}
inline SpaceType dungeon() {
  SpaceType type = town(5, 1);
  type.name = "dungeon";
  type.scope = Scope::key;
  type.soft_capacity = 5;
  return type;
}

class RegistryFixture : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kTerm = 7;

  /// Begins with these types and nodes, which have nothing.
  void begin(const std::vector<SpaceType>& types, const std::vector<std::string>& nodes) {
    SpaceTypes all;
    for (const SpaceType& type : types) all[type.name] = type;
    registry_.emplace(kTerm, all, now_);
    for (const std::string& node : nodes) registry_->node_came(node, now_);
    registry_->directory_complete(now_);
    for (const std::string& node : nodes) announce(node);
    collect();
  }
  /// All that a node has been told of and has not ended, as ready, with `taken_`.
  void announce(const std::string& node, double busy = 0) {
    Announcement news;
    news.term = kTerm;
    news.seen = seen_;
    news.busy_ms_per_s = busy;
    news.types = {"town", "dungeon"};
    news.spaces = rows_[node];
    registry_->announced(node, news, now_);
    collect();
  }
  void pass(Time time) {
    now_ += time;
    registry_->due(now_);
    collect();
  }
  /// Passes time in ticks, while nodes announce what they have.
  void play(Time time, const std::vector<std::string>& nodes) {
    for (const Time end = now_ + time; now_ < end;) {
      pass(100ms);
      for (const std::string& node : nodes) announce(node);
    }
  }
  std::uint64_t enter(const PlaceId& place, std::uint32_t seats = 1, std::uint32_t line = 0,
                      std::chrono::milliseconds patience = 30s) {
    registry_->enter(++requests_, {place, seats, line, patience, ""}, now_);
    collect();
    return requests_;
  }
  void collect() {
    for (Order& order : registry_->take_orders()) orders_.push_back(std::move(order));
    for (Answer& each : registry_->take_answers()) {
      EXPECT_TRUE(answers_.emplace(each.request, each.result).second) << "a second answer";
    }
  }
  /// The orders of a kind since the last call of take().
  template <class What>
  std::vector<Order> take() {
    std::vector<Order> found;
    std::erase_if(orders_, [&](const Order& order) {
      if (!std::holds_alternative<What>(order.what)) return false;
      found.push_back(order);
      return true;
    });
    return found;
  }
  /// The one order of that kind.
  template <class What>
  Order take_one() {
    auto found = take<What>();
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? Order{} : found.front();
  }
  void reply(const Order& order, Reply::To to, Result<> result = {}, Seats seats = {}) {
    seen_ = std::max(seen_, order.number);
    registry_->replied(order.node, {kTerm, order.number, to, order.life, std::move(result), seats},
                       now_);
    collect();
  }
  /// The space has started.
  void start(const Order& order) {
    const Create& create = std::get<Create>(order.what);
    rows_[order.node].push_back(
        {order.life, create.name, true, false, {}, create.type.capacity, {}});
    reply(order, Reply::To::create);
  }
  /// Answers all reservations as a node with room does, and says how full it is then.
  void seat_all() {
    for (auto asked = take<Reserve>(); !asked.empty(); asked = take<Reserve>()) {
      for (const Order& order : asked) {
        Seats& seats = row(order.life).seats;
        seats.present += static_cast<std::uint32_t>(std::get<Reserve>(order.what).tickets.size());
        reply(order, Reply::To::reserve, {}, seats);
      }
    }
  }
  SpaceRow& row(const Life& life) {
    for (auto& [node, rows] : rows_) {
      for (SpaceRow& each : rows) {
        if (each.life == life) return each;
      }
    }
    throw std::logic_error("no such space");
  }
  void forget(const Order& order) {
    std::erase_if(rows_[order.node], [&](const SpaceRow& each) { return each.life == order.life; });
  }
  /// Its space ends as ordered.
  void end(const Order& order) {
    forget(order);
    reply(order, Reply::To::close);
  }
  Code code_of(std::uint64_t request) const {
    const auto found = answers_.find(request);
    return found == answers_.end() ? Code() : found->second.error().code;
  }
  bool granted(std::uint64_t request) const {
    const auto found = answers_.find(request);
    return found != answers_.end() && found->second.has_value();
  }
  bool waits(std::uint64_t request) const { return !answers_.contains(request); }

  Time now_ = 1h;
  std::optional<Registry> registry_;
  std::map<std::string, std::vector<SpaceRow>> rows_;
  std::vector<Order> orders_;
  std::map<std::uint64_t, Result<Grant>> answers_;
  std::uint64_t requests_ = 0;
  std::uint64_t seen_ = 0;
};

}  // namespace starbus::nodes::space
