/// What happened in a run, by kind: the coverage that a campaign reports. A plain value.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace starbus::sim {

// X(name): every event kind of a simulation. clang-format never comes to rest over this list.
// clang-format off
#define STARBUS_SIM_EVENTS(X)                                                                     \
  X(steps)                                                                                        \
  X(bundles)                                                                                      \
  X(busd_crashes)                                                                                 \
  X(busroot_crashes)                                                                              \
  X(process_deaths)                                                                               \
  X(cuts)                                                                                         \
  X(half_open) X(abandoned_links) X(isolations) X(stalls) X(slow_readers) X(pauses)               \
      X(stray_bundles) X(lost_records) X(lost_writes) X(leases_lost) X(messages) X(handled)       \
          X(multicasts) X(calls) X(replies) X(deadlines) X(would_block) X(no_owner) X(owner_lost) \
              X(expired) X(binds) X(binds_refused) X(unbinds) X(moves) X(crossed_moves) X(moved)  \
                  X(moves_refused) X(moves_busy) X(moves_unwanted) X(rolled_back) X(probes)       \
                      X(resends) X(chokes) X(gap_nacks) X(duplicates) X(overflow_nacks)           \
                          X(foreign_bundles) X(grace_periods) X(posts) X(posted)              \
                              X(posts_refused) X(full_disks) X(failed_disks) X(mail_read) X(mail_acks) X(shard_moves) \
                                  X(appends) X(log_read) X(log_trimmed) X(log_jumps) X(to_settled) X(lies) X(liars_ended)  \
  X(handler_failed) X(lease_lost) X(late_replies) X(unknown_replies) X(kept_replies)   \
  X(full_channel_window) X(full_process_window) X(full_outbox) X(full_link) X(full_lane)          \
      X(full_total) X(full_hold)
// clang-format on

enum class Event : std::uint8_t {
#define X(name) name,
  STARBUS_SIM_EVENTS(X)
#undef X
};

inline constexpr std::string_view kEventNames[] = {
#define X(name) #name,
    STARBUS_SIM_EVENTS(X)
#undef X
};
inline constexpr std::size_t kEvents = std::size(kEventNames);

/// Of which a queue, window or outbox was seen full.
inline constexpr Event kFullEvents[] = {
    Event::full_channel_window, Event::full_process_window, Event::full_outbox, Event::full_link,
    Event::full_lane,           Event::full_total,          Event::full_hold};

struct Counts {
  std::array<std::uint64_t, kEvents> values{};

  std::uint64_t& operator[](Event event) { return values[static_cast<std::size_t>(event)]; }
  std::uint64_t operator[](Event event) const { return values[static_cast<std::size_t>(event)]; }
  /// How many kinds of queue, window or outbox were full.
  std::size_t kinds_filled() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(kFullEvents, [this](Event event) { return (*this)[event] != 0; }));
  }
  Counts& operator+=(const Counts& other) {
    for (std::size_t i = 0; i < kEvents; ++i) values[i] += other.values[i];
    return *this;
  }
};

}  // namespace starbus::sim
