/// The time of the loop per kind of work: number of runs, total and longest time.
///
///   const Load::Scope scope(load, load.source("autosave"));
///
/// Belongs to the loop's thread, except running(), which the stall detector calls from its thread.
/// Owns the rows, which live as long as it does. A scope costs two readings of the processor's
/// counter and a few stores, so it is on in production. Never fails; above kMaxSources kinds, the
/// rest shares one row.
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

  /// The present scope of the loop; null and 0 outside of scopes.
  struct Running {
    const Source* source = nullptr;
    std::uint64_t since = 0;  // ticks
  };

  Load() = default;
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  /// The kind of work of this name, made at the first use. Valid as long as the Load.
  Source& source(const WorkName& name);
  Source& source(const char* literal) { return source(WorkName(literal)); }
  /// For texts that are not literals, such as the kind of a channel. Looked up by content.
  Source& source(std::string_view name);

  /// Measures during its lifetime. Nested scopes end before outer ones.
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
  /// Ticks in all scopes together: nested time counts once, RPC does not count.
  std::uint64_t measured() const { return measured_; }

  /// About once a second: the rates of what was charged since the call before. `seconds` is how
  /// long ago that was.
  void sample(double seconds, double nanoseconds_per_tick);

  /// The busiest of the latest second first, then by time in all.
  std::vector<const Source*> busiest(std::size_t most) const;
  std::size_t size() const { return sources_.size(); }

  /// From any thread. Both values may be of different moments; the source stays valid.
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
