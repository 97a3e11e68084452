#include "nodes/nav/crowd_pool.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "nodes/nav/limits.hpp"

namespace starbus::nodes::crowds {
namespace {

std::string channel_of(CrowdId crowd) {
  return "crowd/" + std::to_string(crowd.slot);
}

}  // namespace

CrowdPool::CrowdPool(TaskChannels& tasks, CrowdPoolOptions options)
    : tasks_(tasks), options_(std::move(options)), maps_(tasks, options_.maps) {
  if (!options_.clock) {
    options_.clock = [] {
      return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch());
    };
  }
}

// --- which there are -----------------------------------------------------------------------------

const CrowdPool::Row* CrowdPool::find(CrowdId crowd) const {
  if (crowd.slot == 0 || crowd.slot > rows_.size()) return nullptr;
  const Row& row = rows_[crowd.slot - 1];
  return row.used && row.generation == crowd.generation ? &row : nullptr;
}

CrowdPool::Row* CrowdPool::find(CrowdId crowd) {
  return const_cast<Row*>(std::as_const(*this).find(crowd));
}

std::size_t CrowdPool::room_taken() const {
  std::size_t walkers = 0;
  for (const Row& row : rows_) walkers += row.used ? row.walkers : 0;
  return walkers;
}

std::size_t CrowdPool::own_maps() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(rows_, [](const Row& row) { return row.used && row.own_map; }));
}

Result<> CrowdPool::may_create(const CrowdSpec& spec) const {
  if (spec.walkers == 0 || spec.walkers > kMaxPoolWalkers) {
    return Error(Errc::bad_request,
                 "walkers: 1 to " + std::to_string(kMaxPoolWalkers) + " in a crowd");
  }
  const auto used = std::ranges::count_if(rows_, &Row::used);
  if (static_cast<std::uint64_t>(used) >= kMaxCrowds) {
    return Error(Errc::too_many, "there are " + std::to_string(kMaxCrowds) + " crowds already");
  }
  if (room_taken() + spec.walkers > kMaxPoolWalkers) {
    return Error(Errc::too_many, "all crowds together have at most " +
                                     std::to_string(kMaxPoolWalkers) + " walkers");
  }
  if (spec.obstacles > 0 && own_maps() >= kMaxOwnMaps) {
    return Error(Errc::too_many,
                 "there are " + std::to_string(kMaxOwnMaps) + " crowds with obstacles already");
  }
  return {};
}

void CrowdPool::create(const CrowdSpec& spec, Made done) {
  if (const auto may = may_create(spec); !may) return done(may.error());
  const auto then_make = [this, spec, done](auto create_work) {
    return [this, spec, done, create_work](const auto& map) {
      if (!map) return done(map.error());
      make(
          spec,
          [spec, create_work, map = *map, clock = options_.clock] {
            return create_work(map, spec, clock);
          },
          done);
    };
  };
  if (spec.obstacles == 0) return maps_.get(spec.map, spec.kinds, then_make(CrowdWork::create));
  maps_.get_own(spec.map, spec.kinds, then_make(CrowdWork::create_own));
}

/// On a worker, too: it takes all of its memory at once.
void CrowdPool::make(const CrowdSpec& spec, MakeWork how, Made done) {
  struct MadeWork {
    std::shared_ptr<CrowdWork> work;
    Error why;
  };
  const auto submitted = tasks_.submit(
      "", owner_,
      [how = std::move(how)] {
        auto work = how();
        return work ? MadeWork{*std::move(work), {}} : MadeWork{nullptr, work.error()};
      },
      [this, spec, done](bus::Result<MadeWork> made) {
        if (!made) return done(made.error());
        if (made->work == nullptr) return done(made->why);
        done(keep(std::move(made->work), spec));
      });
  if (!submitted) done(Error(Errc::busy, submitted.error().to_string()));
}

Result<CrowdId> CrowdPool::keep(std::shared_ptr<CrowdWork> work, const CrowdSpec& spec) {
  if (const auto may = may_create(spec); !may) return may.error();  // others came meanwhile
  auto free = std::ranges::find(rows_, false, &Row::used);
  if (free == rows_.end()) free = rows_.insert(rows_.end(), Row{});
  free->used = true;
  ++free->generation;
  free->walkers = spec.walkers;
  free->own_map = spec.obstacles > 0;
  free->work = std::move(work);
  free->under_way = false;
  free->asked = options_.clock();
  return CrowdId{static_cast<std::uint32_t>(free - rows_.begin()) + 1, free->generation};
}

void CrowdPool::destroy(CrowdId crowd) {
  Row* const row = find(crowd);
  if (row == nullptr) return;
  row->used = false;
  row->work.reset();  // a worker that has it ends it
}

void CrowdPool::expire() {
  const auto now = options_.clock();
  for (std::uint32_t slot = 1; slot <= rows_.size(); ++slot) {
    const Row& row = rows_[slot - 1];
    if (!row.used || row.under_way || now - row.asked < kCrowdIdle) continue;
    ++counts_.expired;
    destroy({slot, row.generation});
  }
}

// --- batches -------------------------------------------------------------------------------------

void CrowdPool::step(Batch batch, Answered done) {
  if (batch.requests.size() > kMaxBatch) {
    return done(
        Error(Errc::bad_request, "a batch has at most " + std::to_string(kMaxBatch) + " requests"));
  }
  Row* const row = find(batch.crowd);
  if (row == nullptr) return done(Errc::unknown_crowd);
  if (row->under_way) return done(Errc::busy);
  const CrowdId crowd = batch.crowd;
  const std::size_t requests = batch.requests.size();
  const auto submitted = tasks_.submit(
      channel_of(crowd), owner_,
      [work = row->work, batch = std::move(batch), clock = options_.clock] {
        const auto began = clock();
        const std::uint64_t before = work->counts().left_out_us;
        Stepped stepped{work->step(batch)};
        stepped.left_out_us = work->counts().left_out_us - before;
        stepped.took = clock() - began;
        return stepped;
      },
      [this, crowd, done](bus::Result<Stepped> result) {
        stepped(crowd, std::move(result), done);
      });
  if (!submitted) return done(Error(Errc::busy, submitted.error().to_string()));
  row->under_way = true;
  row->asked = options_.clock();
  ++counts_.batches;
  counts_.requests += requests;
}

/// After what a worker threw nobody knows what its crowd is like: the space makes another one.
void CrowdPool::stepped(CrowdId crowd, bus::Result<Stepped> result, const Answered& done) {
  Row* const row = find(crowd);
  if (row == nullptr) return done(Errc::unknown_crowd);
  row->under_way = false;
  if (!result) {
    ++counts_.failed;
    spdlog::error("crowds: a batch failed, its crowd has gone: {}", result.error().to_string());
    destroy(crowd);
    return done(Error(Errc::unknown_crowd, result.error().to_string()));
  }
  counts_.left_out_us += result->left_out_us;
  counts_.moves += result->answer.moved.size();
  counts_.ends += result->answer.ended.size();
  counts_.refused += result->answer.refused.size();
  took_.record(std::chrono::duration_cast<std::chrono::microseconds>(result->took).count());
  done(std::move(result->answer));
}

CrowdPoolCounts CrowdPool::counts() const {
  CrowdPoolCounts counts = counts_;
  counts.walkers = room_taken();
  counts.own_maps = own_maps();
  for (const Row& row : rows_) {
    counts.crowds += row.used ? 1 : 0;
    counts.under_way += row.used && row.under_way ? 1 : 0;
  }
  return counts;
}

}  // namespace starbus::nodes::crowds
