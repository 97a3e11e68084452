/// Where the loop's time goes: per kind of work how often, how long in all, and the longest.
///
///   const Load::Scope scope(load, load.source("autosave"));
///
/// Belongs to the loop's thread, but for running(), which any thread may ask: the stall detector
/// does. Owns the rows, which live as long as it does. Two readings of the processor's counter and
/// a few stores per scope: left on in production. Never fails; beyond kMaxSources kinds, the rest
/// has one row.
#pragma once

#include <atomic>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "entity/rpc/loop_time.hpp"
#include "nodes/runtime/load/work_name.hpp"

namespace starbus::nodes {

class Load {
 public:
  /// One kind of work. Time is its own: without that of scopes, and of turns of RPC, within it.
  struct Source {
    std::string name;
    std::uint64_t count = 0;
    std::uint64_t ticks = 0;
    std::uint64_t longest = 0;
    std::uint64_t ticks_before = 0;  // at the latest sample
    double busy_ms_per_s = 0;        // between the two latest samples
  };

  /// What the loop does now; both null and 0 if it is in no scope.
  struct Running {
    const Source* source = nullptr;
    std::uint64_t since = 0;  // ticks
  };

  Load() = default;
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  Source& source(const WorkName& name);
  Source& source(const char* literal) { return source(WorkName(literal)); }
  /// For texts that are made: the channel's kind of a handler. Looked up by content.
  Source& source(std::string_view name);

  /// Measures while it lives; may be nested, and then ends first.
  class Scope {
   public:
    Scope(Load& load, Source& source);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Load& load_;
    Source& source_;
    Scope* const outer_;
    const entity::rpc::OwnTime time_;
  };

  /// Adds what a Scope has measured.
  static void charge(Source& source, std::uint64_t ticks) {
    ++source.count;
    source.ticks += ticks;
    if (ticks > source.longest) source.longest = ticks;
  }
  /// In all scopes together, in ticks: each moment once, and none of RPC.
  std::uint64_t measured() const { return measured_; }

  /// About once a second: the rates of what was charged since the call before. `seconds` is how
  /// long ago that was.
  void sample(double seconds, double nanoseconds_per_tick);

  /// The busiest of the latest second first, then by time in all.
  std::vector<const Source*> busiest(std::size_t most) const;
  std::size_t size() const { return sources_.size(); }

  /// From any thread. The two may be of different moments; the source stays valid.
  Running running() const {
    return {running_.load(std::memory_order_acquire), since_.load(std::memory_order_relaxed)};
  }

 private:
  Source& add(std::string name);
  void show(const Source* source, std::uint64_t since) {
    since_.store(since, std::memory_order_relaxed);
    running_.store(source, std::memory_order_release);
  }

  std::deque<Source> sources_;  // references stay valid
  boost::unordered_flat_map<const void*, Source*> by_key_;
  std::unordered_map<std::string_view, Source*> by_name_;  // views the row's own
  Scope* innermost_ = nullptr;
  std::uint64_t measured_ = 0;
  std::atomic<const Source*> running_{nullptr};
  std::atomic<std::uint64_t> since_{0};
};

}  // namespace starbus::nodes
