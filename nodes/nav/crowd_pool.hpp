/// Crowds of this process: their maps, and workers that step them beside the loop. Read this header
/// first, then messages.hpp and docs/guide/crowds.md.
///
///   CrowdPool pool(node.tasks(), {.maps = "/srv/maps"});
///   pool.create({.map = "town.nav", .kinds = {{.name = "small"}}, .walkers = 600}, made);
///   pool.step({.crowd = id, .number = 1, .passed_us = 100'000, .requests = ...}, answered);
///
/// Each crowd has a channel of the workers: its batches run in order, never two at once, so nothing
/// of it is locked. It has one batch at a time, and channels take turns, so no crowd holds up the
/// others for longer than one batch.
///
/// Belongs to the loop's thread; the channels of tasks outlive it. Its end drops the callbacks that
/// wait; batches that run end on their worker, which owns the crowd with it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/histogram.hpp"
#include "nodes/nav/crowd_port.hpp"
#include "nodes/nav/crowd_work.hpp"
#include "nodes/nav/map_store.hpp"
#include "nodes/runtime/tasks/task_channels.hpp"

namespace starbus::nodes::crowds {

/// What a pool is made with.
struct CrowdPoolOptions {
  std::string maps = "";        ///< folder of the files; empty: the working folder
  CrowdWork::Clock clock = {};  ///< of budgets and of kCrowdIdle; not set: the machine's steady one
};

/// Since the pool was made, and now.
struct CrowdPoolCounts {
  std::uint64_t batches = 0;
  std::uint64_t requests = 0;
  std::uint64_t moves = 0;    ///< told
  std::uint64_t ends = 0;     ///< told
  std::uint64_t refused = 0;  ///< requests
  std::uint64_t failed = 0;   ///< batches whose worker threw: their crowd is gone
  std::uint64_t expired = 0;  ///< crowds, by kCrowdIdle
  std::uint64_t left_out_us = 0;
  std::size_t crowds = 0;
  std::size_t own_maps = 0;  ///< crowds with a map of their own
  std::size_t walkers = 0;   ///< for which crowds have room
  std::size_t under_way = 0;
};

class CrowdPool final : public CrowdPort {
 public:
  explicit CrowdPool(TaskChannels& tasks, CrowdPoolOptions options = {});

  void create(const CrowdSpec& spec, Made done) override;
  void step(Batch batch, Answered done) override;
  void destroy(CrowdId crowd) override;

  /// Ends crowds that had no batch for kCrowdIdle: for nodes whose spaces are elsewhere.
  void expire();
  bool has(CrowdId crowd) const { return find(crowd) != nullptr; }
  CrowdPoolCounts counts() const;
  const MapStore& maps() const { return maps_; }
  /// us of workers for a batch, of those since the pool was made.
  const Histogram& took() const { return took_; }

 private:
  struct Row {
    std::uint32_t generation = 0;
    bool used = false;
    std::uint32_t walkers = 0;
    bool own_map = false;
    std::shared_ptr<CrowdWork> work;  ///< while a batch is under way, the worker's alone
    bool under_way = false;
    std::chrono::nanoseconds asked{};
  };
  struct Stepped {
    Answer answer;
    std::chrono::nanoseconds took{};
    std::uint64_t left_out_us = 0;
  };

  Row* find(CrowdId crowd);
  const Row* find(CrowdId crowd) const;
  Result<> may_create(const CrowdSpec& spec) const;
  using MakeWork = std::function<Result<std::unique_ptr<CrowdWork>>()>;
  void make(const CrowdSpec& spec, MakeWork how, Made done);
  Result<CrowdId> keep(std::shared_ptr<CrowdWork> work, const CrowdSpec& spec);
  void stepped(CrowdId crowd, bus::Result<Stepped> result, const Answered& done);
  std::size_t room_taken() const;
  std::size_t own_maps() const;

  TaskChannels& tasks_;
  CrowdPoolOptions options_;
  MapStore maps_;
  std::vector<Row> rows_;  ///< by slot - 1
  CrowdPoolCounts counts_;
  Histogram took_;
  TaskOwner owner_;
};

}  // namespace starbus::nodes::crowds
