/// Chooses whose movement one client is told in a tick, when not all of it fits: virtual-time fair
/// queueing over the movers that its player sees. Near ones come more often than far ones, and
/// none is left out.
///
///   schedule.tick(budget, [&](std::uint16_t index, std::size_t left) -> std::optional<std::size_t>
///   {
///     const MoveBody& body = body_of(index);                  // made once, for all observers
///     if (kMoveIndex + body.size() > left) return std::nullopt;
///     batch.add(index, body);
///     return kMoveIndex + body.size();
///   });
///
/// Each mover has a priority, a virtual time: the lowest comes first, and sending adds to it what
/// the distance costs. One per client, used by the loop of its space; sans-IO. An entry costs 40
/// bytes; a tick costs O(log n) for each that is sent, and allocates nothing. Failures are values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "nodes/space/movement/error.hpp"
#include "nodes/space/movement/limits.hpp"

namespace starbus::nodes::movement {

/// What movers cost in virtual time, and how far that may run ahead.
struct SightOptions {
  double base = 1;         ///< what sending costs at distance 0; above 0
  double per_metre = 0.2;  ///< added for each metre; 0: all are equal
  /// A mover is not sent when it is this much ahead of the first one, even if there is room: far
  /// ones then cost nothing most of the time. Above 0, and finite: or the far would be so far ahead
  /// after a quiet time that they had to wait for as long in a crowd.
  double ahead = 10;
};

/// What a tick has sent.
struct SightTick {
  std::size_t sent = 0;  ///< movers
  std::size_t bytes = 0;
  bool full = false;  ///< one did not fit; it is the first of the next tick
};

class SightSchedule {
 public:
  /// bad_option: not a number, or outside what the options say.
  static MoveResult<SightSchedule> create(const SightOptions& options = {});

  /// A mover that came in sight, by its index there (aoi::Event::index). It comes in the next tick,
  /// in which newcomers have at least one place and half of the bytes, in the order in which they
  /// came. Errors: mover_exists, bad_option (a distance that is negative or no number, index 0),
  /// busy.
  MoveResult<> add(std::uint16_t index, float distance);
  /// unknown_mover, busy.
  MoveResult<> remove(std::uint16_t index);
  /// Counts from the next sending on. unknown_mover, bad_option, busy.
  MoveResult<> set_distance(std::uint16_t index, float distance);
  std::size_t size() const { return size_; }

  /// Calls `send(index, bytes left)` for movers, in order: it returns the bytes that it has
  /// written, 0 if there is nothing to tell, or nullopt if what there is does not fit, which ends
  /// the tick. Each mover comes at most once. From within `send` it does
  /// nothing. What `send` throws comes out, and the mover keeps its
  /// place.
  template <class Send>
  SightTick tick(std::size_t budget, Send&& send);

 private:
  static constexpr std::uint32_t kNowhere = 0xffffffff;
  struct Entry {
    double priority = 0;
    std::uint64_t order = 0;  ///< of arrival: decides between equal priorities
    float distance = 0;
    std::uint32_t place = kNowhere;  ///< in heap_
    std::uint16_t before = 0;        ///< among newcomers; 0: none
    std::uint16_t after = 0;
    enum class Where : std::uint8_t { nowhere, fresh, heap, aside } where = Where::nowhere;
  };
  /// A tick, at whose end those that were sent go back.
  class Turn {
   public:
    explicit Turn(SightSchedule& schedule);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    SightSchedule& schedule_;
  };

  explicit SightSchedule(const SightOptions& options) : options_(options) {}

  MoveResult<> check_change(std::uint16_t index, float distance) const;
  bool has(std::uint16_t index) const {
    return index < entries_.size() && entries_[index].where != Entry::Where::nowhere;
  }
  double cost(float distance) const {
    return options_.base + options_.per_metre * static_cast<double>(distance);
  }
  bool is_before(std::uint16_t a, std::uint16_t b) const;
  void place(std::size_t at, std::uint16_t index);
  void rise(std::size_t at);
  void sink(std::size_t at);
  void push(std::uint16_t index);
  void take_from_heap(std::uint16_t index);
  void append_fresh(std::uint16_t index);
  void take_from_fresh(std::uint16_t index);
  /// The first one's priority; the last one known if only newcomers are there.
  double virtual_time() const;
  /// Takes it out, and sets its next turn.
  void sent(std::uint16_t index, double virtual_time);
  void set_back();

  SightOptions options_;
  std::vector<Entry> entries_;        ///< by index
  std::vector<std::uint16_t> heap_;   ///< the lowest priority first
  std::vector<std::uint16_t> aside_;  ///< sent in this tick
  std::uint16_t first_fresh_ = 0;     ///< newcomers; 0: none
  std::uint16_t last_fresh_ = 0;
  std::size_t size_ = 0;
  std::uint64_t arrivals_ = 0;
  double virtual_time_ = 0;
  bool busy_ = false;
};

template <class Send>
SightTick SightSchedule::tick(std::size_t budget, Send&& send) {
  SightTick report;
  if (busy_) return report;
  const Turn turn(*this);
  const double now = virtual_time();
  const auto serve = [&](std::uint16_t index) {
    const std::size_t left = budget - report.bytes;
    const std::optional<std::size_t> size = send(index, left);
    if (!size || *size > left) {
      report.full = true;
      return;
    }
    report.bytes += *size;
    ++report.sent;
    sent(index, now);
  };
  while (!report.full && first_fresh_ != 0 && (report.sent == 0 || report.bytes < budget / 2)) {
    serve(first_fresh_);
  }
  while (!report.full && !heap_.empty() &&
         entries_[heap_.front()].priority < now + options_.ahead) {
    serve(heap_.front());
  }
  while (!report.full && first_fresh_ != 0) serve(first_fresh_);
  return report;
}

}  // namespace starbus::nodes::movement
