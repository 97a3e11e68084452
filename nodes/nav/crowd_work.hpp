/// The part of a crowd that workers run: requests are applied to a nav::crowd::Crowd, and what has
/// come of them is written down. Names are checked; nothing that a batch says is believed.
///
/// One thread at a time; owns its crowd, and shares its map with others, unless it has obstacles:
/// then the map is its own. The same batches give the same answers on every machine, as long as no
/// step is left out (kBatchBudget).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "nav/crowd/crowd.hpp"
#include "nodes/nav/map.hpp"

namespace starbus::nodes::crowds {

/// Since a crowd was made.
struct WorkCounts {
  std::uint64_t steps = 0;
  std::uint64_t left_out_us = 0;  ///< of time that batches have asked for: kMaxPassed, kBatchBudget
  std::uint64_t off_ground = 0;   ///< pushes of passive walkers to where no ground is
};

class CrowdWork {
 public:
  using Clock = std::function<std::chrono::nanoseconds()>;

  /// `clock`: of the budget; not set: the machine's steady one. bad_request, and too_many of the
  /// crowd, with a text.
  static Result<std::unique_ptr<CrowdWork>> create(std::shared_ptr<const Map> map,
                                                   const CrowdSpec& spec, Clock clock = {});
  /// With a map that nobody else has: its obstacles stand there.
  static Result<std::unique_ptr<CrowdWork>> create_own(std::shared_ptr<Map> map,
                                                       const CrowdSpec& spec, Clock clock = {});

  /// Applies a batch. The answer has its number.
  Answer step(const Batch& batch);
  const WorkCounts& counts() const { return counts_; }

 private:
  struct Row {
    std::uint32_t generation = 0;  ///< 0: nobody has the slot
    nav::crowd::WalkerId walker;
    std::uint32_t version = 0;
    nav::AgentId kind;
    bool passive = false;
    bool moved = false;    ///< in this batch
    bool walking = false;  ///< as it was told
  };

  CrowdWork(std::shared_ptr<const Map> map, const CrowdSpec& spec,
            std::unique_ptr<nav::crowd::Crowd> crowd, Clock clock);
  static Result<std::unique_ptr<CrowdWork>> make(std::shared_ptr<const Map> map,
                                                 const CrowdSpec& spec, Clock clock);

  Row* find(const WalkerName& name);
  Result<nav::Place> place(const Point& at, nav::AgentId kind) const;
  Result<> apply(const Add& add);
  Result<> apply(const Remove& remove);
  Result<> apply(const GoTo& go);
  Result<> apply(const Chase& chase);
  Result<> apply(const Cancel& cancel);
  Result<> apply(const Teleport& teleport);
  Result<> apply(const Push& push);
  Result<> apply(const Block& block);
  Result<> apply(const Unblock& unblock);
  nav::ObstacleId* obstacle(std::uint32_t number);
  Result<> take_away(nav::ObstacleId& obstacle);
  template <class Command>
  void refuse(const Command& command, const Error& why, Answer& answer);
  void drop(Row& row);
  void take_reports(Answer& answer);
  std::uint32_t pass(const Batch& batch, std::chrono::nanoseconds began, Answer& answer);
  void note_moved();
  void tell_moved(Answer& answer);
  void tell_ways(Answer& answer) const;

  const std::shared_ptr<const Map> map_;
  const float reach_;
  const std::unique_ptr<nav::crowd::Crowd> crowd_;
  const Clock clock_;
  nav::Ground* changes_ = nullptr;          ///< of the map, if it is its own
  std::vector<nav::ObstacleId> obstacles_;  ///< by number - 1; 0: none
  std::vector<Row> rows_;                   ///< by slot - 1
  std::vector<std::uint32_t> slot_of_;      ///< by slot of the crowd's own walkers - 1
  std::vector<nav::crowd::Report> reports_;
  WorkCounts counts_;
};

}  // namespace starbus::nodes::crowds
