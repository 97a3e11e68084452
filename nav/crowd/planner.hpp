/// Planner: searches for the ways of a crowd, in slices, in fair turns. For nav/crowd alone; one
/// thread.
///
/// Those who have no way wait in one queue, those whose way is old in another, which is served
/// every fourth time. A walker stands in each at most once. Several searches are under way, each in
/// memory of its own; they take turns of so many nodes, from where the last step ended. A search
/// whose walker wants something else meanwhile is dropped: the plan's number says so.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "nav/crowd/member.hpp"
#include "nav/crowd/options.hpp"

namespace starbus::nav::crowd {

/// Since the crowd was made.
struct PlannerCounts {
  std::uint64_t begun = 0;     ///< searches
  std::uint64_t expanded = 0;  ///< nodes
  std::uint64_t dropped = 0;   ///< searches that were of no use any more before their end
};

class Planner {
 public:
  /// A search that has ended.
  struct Done {
    std::uint32_t slot = 0;      ///< of the member
    const Path* path = nullptr;  ///< until the next call; nullptr if there is none
    Errc error = Errc::unreachable;
    Point goal;
  };

  /// The ground must outlive it.
  Planner(const Ground& ground, const CrowdOptions& options);

  /// A member wants a way; `late`: it has an old one.
  void want(std::span<Member> members, std::uint32_t slot, bool late);
  /// It does not want one any more: what is under way is of no use.
  static void forget(Member& member);

  /// Begins a step: the budget is whole again.
  void begin_step() { left_ = options_.nodes_per_step; }
  /// Who is next, if a search is free for it.
  std::optional<std::uint32_t> next(std::span<Member> members);
  /// Begins the search of one that next() has given; true if it is under way.
  Result<void> start(std::span<Member> members, std::uint32_t slot, const PathRequest& request);
  /// Takes turns until a search ends, or the budget does.
  std::optional<Done> advance(std::span<Member> members);
  const PlannerCounts& counts() const { return counts_; }
  /// Members that wait in queues.
  std::size_t waiting() const { return none_.size() + old_.size(); }

 private:
  /// A ring of slots; it never holds more than there are members.
  class Queue {
   public:
    explicit Queue(std::size_t most) : slots_(most) {}
    std::size_t size() const { return count_; }
    void push(std::uint32_t slot) { slots_[(first_ + count_++) % slots_.size()] = slot; }
    std::uint32_t pop() {
      const std::uint32_t slot = slots_[first_];
      first_ = (first_ + 1) % slots_.size();
      --count_;
      return slot;
    }

   private:
    std::vector<std::uint32_t> slots_;
    std::size_t first_ = 0;
    std::size_t count_ = 0;
  };
  struct Turn {
    std::unique_ptr<Search> search;
    bool busy = false;
    std::uint32_t slot = 0;
    std::uint32_t plan = 0;
    std::uint32_t spent = 0;  ///< nodes
    PathRequest request;
  };

  bool take_turn(std::span<Member> members, Turn& turn, Done& done);
  std::optional<std::uint32_t> pop(std::span<Member> members, bool late);

  const Ground& ground_;
  const CrowdOptions options_;
  Queue none_;
  Queue old_;
  std::vector<Turn> turns_;
  std::size_t turn_ = 0;     ///< whose turn is next
  std::uint32_t taken_ = 0;  ///< from the queues
  std::uint32_t left_ = 0;   ///< of the budget
  Path path_;
  PlannerCounts counts_;
};

}  // namespace starbus::nav::crowd
