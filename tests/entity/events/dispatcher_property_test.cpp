/// A dispatcher against a model, over random scripts whose listeners add, remove, change
/// priorities, dispatch again, and throw.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "entity/events/dispatcher.hpp"

namespace starbus::entity {
namespace {

struct BellAct {
  std::uint8_t kind = 0;
  std::uint8_t which = 0;
  std::int8_t priority = 0;
};
[[maybe_unused]] std::ostream& operator<<(std::ostream& out, const BellAct& act) {
  return out << '{' << act.kind % 8 << ", " << int{act.which} << ", " << act.priority % 3 << '}';
}

class BellWorld {
 public:
  explicit BellWorld(const std::vector<BellAct>& reactions) : reactions_(reactions) {}

  void take(const BellAct& act) {
    switch (act.kind % 8) {
      case 0:
      case 1:
        add(act.priority % 3);
        break;
      case 2:
        if (const auto key = pick(act.which)) remove(*key);
        break;
      case 3:
        if (const auto key = pick(act.which)) set_priority(*key, act.priority % 3);
        break;
      case 4:
        if (!rounds_.empty()) remove(rounds_.back().current);
        break;
      case 5:
        if (!rounds_.empty() && act.which % 4 == 0) throw std::runtime_error("a bug");
        break;
      default:
        dispatch();
        break;
    }
    RC_ASSERT(bell_.size() == living_.size());
  }
  void outer(const BellAct& act) {
    try {
      take(act);
    } catch (const std::runtime_error&) {
      RC_ASSERT(rounds_.empty());
    }
    // Nothing that was removed is still owned once no round runs.
    RC_ASSERT(static_cast<std::size_t>(owned_.use_count()) == living_.size() + 1);
  }

 private:
  struct Place {
    int priority;
    std::uint64_t order;
    bool operator<(const Place& other) const {
      return priority != other.priority ? priority > other.priority : order < other.order;
    }
  };
  struct ModelRound {
    std::vector<int> keys;
    std::size_t next = 0;
    std::size_t called = 0;
    int current = -1;
  };

  void add(int priority) {
    const int key = next_key_++;
    living_[key] = *bell_.add([this, key, owned = owned_](const int&) { called(key); }, priority);
    places_[key] = {priority, next_order_++};
  }
  void remove(int key) {
    const bool was = living_.contains(key);
    const ListenerId id = was ? living_[key] : stale_[key];
    RC_ASSERT(bell_.remove(id) == was);
    RC_ASSERT(!bell_.remove(id));
    living_.erase(key);
    stale_[key] = id;
  }
  void set_priority(int key, int priority) {
    RC_ASSERT(bell_.set_priority(living_[key], priority));
    if (places_[key].priority != priority) places_[key] = {priority, next_order_++};
  }
  std::optional<int> pick(std::size_t which) const {
    if (living_.empty()) return std::nullopt;
    return std::next(living_.begin(), static_cast<std::ptrdiff_t>(which % living_.size()))->first;
  }

  void dispatch() {
    if (rounds_.size() == kMaxDispatchDepth) {
      RC_ASSERT(bell_.dispatch(1).error() == EventErrc::too_deep);
      return;
    }
    ModelRound round;
    for (const auto& [key, id] : living_) round.keys.push_back(key);
    std::ranges::sort(round.keys, [&](int a, int b) { return places_[a] < places_[b]; });
    rounds_.push_back(round);
    std::size_t called = 0;
    try {
      called = *bell_.dispatch(1);
    } catch (...) {
      rounds_.pop_back();
      throw;
    }
    skip_dead();
    RC_ASSERT(rounds_.back().next == rounds_.back().keys.size());
    RC_ASSERT(called == rounds_.back().called);
    rounds_.pop_back();
  }
  void skip_dead() {
    ModelRound& round = rounds_.back();
    while (round.next < round.keys.size() && !living_.contains(round.keys[round.next])) {
      ++round.next;
    }
  }
  void called(int key) {
    skip_dead();
    RC_ASSERT(rounds_.back().next < rounds_.back().keys.size());
    RC_ASSERT(rounds_.back().keys[rounds_.back().next] == key);
    ++rounds_.back().next;
    ++rounds_.back().called;
    rounds_.back().current = key;
    if (reaction_ < reactions_.size()) take(reactions_[reaction_++]);
  }

  const std::vector<BellAct>& reactions_;
  std::size_t reaction_ = 0;
  std::shared_ptr<int> owned_ = std::make_shared<int>(0);
  std::map<int, ListenerId> living_;
  std::map<int, ListenerId> stale_;
  std::map<int, Place> places_;
  std::vector<ModelRound> rounds_;
  int next_key_ = 0;
  std::uint64_t next_order_ = 0;
  Dispatcher<int> bell_;
};

}  // namespace
}  // namespace starbus::entity

namespace rc {
template <>
struct Arbitrary<starbus::entity::BellAct> {
  static Gen<starbus::entity::BellAct> arbitrary() {
    using starbus::entity::BellAct;
    return gen::build<BellAct>(gen::set(&BellAct::kind), gen::set(&BellAct::which),
                               gen::set(&BellAct::priority));
  }
};
}  // namespace rc

namespace starbus::entity {
namespace {

RC_GTEST_PROP(DispatcherProperty, BehavesLikeItsModel,
              (const std::vector<BellAct>& acts, const std::vector<BellAct>& reactions)) {
  BellWorld world(reactions);
  for (int i = 0; i < 3; ++i) world.outer({0, 0, 0});
  for (const BellAct& act : acts) world.outer(act);
  world.outer({7, 0, 0});
}

}  // namespace
}  // namespace starbus::entity
