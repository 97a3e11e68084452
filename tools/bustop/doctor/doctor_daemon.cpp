// Checks of single daemons: their state, counters and links.
#include <algorithm>
#include <string>

#include "bus/core/limits.hpp"
#include "tools/bustop/doctor/doctor_checks.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::bustop::checks {
namespace {

constexpr double kLagWarning = 100;  // ms
constexpr double kLagError = 1000;
constexpr double kRecentJump = 3600;    // seconds
constexpr double kRttWarning = 50'000;  // us
constexpr double kQueueWarning = 0.5;   // of the limit
constexpr double kQueueError = 0.9;
constexpr double kMailQuotaWarning = 0.9;  // a large message does not fit before it is reached

std::uint64_t growth(const DaemonReading* before, const DaemonReading& after,
                     const std::string& counter) {
  const std::uint64_t now = after.status.counter(counter);
  if (before == nullptr || before->status.pid != after.status.pid) return 0;
  const std::uint64_t earlier = before->status.counter(counter);
  return now > earlier ? now - earlier : 0;
}

std::string grown(std::uint64_t by, const DaemonReading* before, const DaemonReading& after,
                  const std::string& what) {
  return std::to_string(by) + " " + what + " in " +
         human_seconds(before == nullptr ? 0 : after.at_s - before->at_s);
}

std::string where_of(const DaemonReading& reading, const LinkInfo& link) {
  return reading.name + " -> " + (link.peer.empty() ? link.address : link.peer);
}

const LinkInfo* earlier(const DaemonReading* before, const LinkInfo& link) {
  if (before == nullptr) return nullptr;
  const auto found = std::ranges::find(before->links, link.id, &LinkInfo::id);
  return found == before->links.end() ? nullptr : &*found;
}

void check_queues(const std::string& where, const LinkInfo& link, Findings& to) {
  for (std::size_t lane = 0; lane < kLaneNames.size(); ++lane) {
    const auto limit = static_cast<double>(lane == 0 ? bus::kControlQueue : bus::kDaemonQueue);
    const auto used = static_cast<double>(link.queued_bytes[lane]);
    if (used < kQueueWarning * limit) continue;
    add(to, used < kQueueError * limit ? Severity::warning : Severity::error,
        Check::queue_near_limit, where,
        "lane " + std::string(kLaneNames[lane]) + " holds " + human_bytes(used) + " of " +
            human_bytes(limit));
  }
}

void check_link(const DaemonReading* before, const DaemonReading& after, const LinkInfo& link,
                Findings& to) {
  const std::string where = where_of(after, link);
  const LinkInfo* previous = earlier(before, link);
  if (!link.greeted) {
    // One reading may meet a peer in the middle of its greeting.
    if (previous != nullptr && !previous->greeted) {
      add(to, Severity::warning, Check::link_not_greeted, where,
          "no greeting from " + link.address);
    }
    return;
  }
  if (link.suspect || link.silence_ms > static_cast<double>(bus::kSuspect.count())) {
    add(to, Severity::warning, Check::link_suspect, where,
        "silent for " + human_milliseconds(link.silence_ms));
  }
  check_queues(where, link, to);
  // A busy link touches its clock now and then; one that stays there is slow.
  const bool full = link.in_flight_bytes >= bus::kLinkClock;
  if (full && previous != nullptr && previous->in_flight_bytes >= bus::kLinkClock) {
    add(to, Severity::warning, Check::link_clock_full, where,
        human_bytes(static_cast<double>(link.in_flight_bytes)) + " in flight, in both readings");
  }
  if (link.rtt_us > kRttWarning) {
    add(to, Severity::warning, Check::rtt_high, where,
        "round trip " + human_microseconds(link.rtt_us));
  }
}

void check_mail_store(const MailStatus& mail, const std::string& host, Findings& to) {
  const std::string& state = mail.state;
  if (state == "full" || state == "stopped") {
    add(to, Severity::error, state == "full" ? Check::mail_store_full : Check::mail_store_stopped,
        host, "its mail store is " + state + ": " + mail.reason);
  }
  if (state == "opening" || state == "mending") {
    add(to, Severity::warning, Check::mail_store_opening, host,
        state == "opening" ? "its mail store is not open yet" : "its mail store is being repaired");
  }
  const auto first_of = [](const std::vector<std::string>& texts) {
    return texts.empty() ? std::string() : texts.front();
  };
  if (mail.scrub.damaged != 0) {
    add(to, Severity::error, Check::mail_store_damaged, host,
        "its mail store has " + count_of(mail.scrub.damaged, "damaged place") + ": " +
            first_of(mail.scrub.findings));
  }
  const report::MailDamage& damage = mail.damage;
  if (damage.lost != 0) {
    add(to, Severity::error, Check::mail_lost, host,
        "its mail store has lost mail in " + count_of(damage.lost, "place") + ": " +
            first_of(damage.notes));
  } else if (damage.repaired != 0) {
    add(to, Severity::warning, Check::mail_store_mended, host,
        count_of(damage.repaired, "wrong byte") +
            " of its mail store were corrected: " + first_of(damage.notes));
  }
  const auto bytes = static_cast<double>(mail.bytes);
  const auto quota = static_cast<double>(mail.quota_bytes);
  if (mail.quota_bytes != 0 && bytes >= kMailQuotaWarning * quota) {
    add(to, Severity::warning, Check::mail_quota_full, host,
        "its mail has " + human_bytes(bytes) + " of the " + human_bytes(quota) +
            " that [mail] total_bytes allows");
  }
}

}  // namespace

void check_daemon(const DaemonReading* before, const DaemonReading& after, Findings& to) {
  const double lag = std::max(after.status.loop_lag_ms, before ? before->status.loop_lag_ms : 0);
  if (lag > kLagWarning) {
    add(to, lag > kLagError ? Severity::error : Severity::warning, Check::loop_lag, after.name,
        "the event loop is late by " + human_milliseconds(lag));
  }
  if (after.status.clock_jump_age_s && *after.status.clock_jump_age_s < kRecentJump) {
    add(to, Severity::warning, Check::clock_jump, after.name,
        "its wall clock was set " + human_seconds(*after.status.clock_jump_age_s) + " ago");
  }
  if (after.status.mail) check_mail_store(*after.status.mail, after.name, to);
  const std::string& state = after.status.state;
  if (state == "draining" || state == "stopping") {
    add(to, Severity::info, Check::daemon_state, after.name, "state " + state);
  }
}

void check_counters(const DaemonReading* before, const DaemonReading& after, Findings& to) {
  const auto report = [&](const char* counter, Check check, const std::string& what) {
    const std::uint64_t by = growth(before, after, counter);
    if (by > 0) add(to, Severity::warning, check, after.name, grown(by, before, after, what));
    return by > 0;
  };
  report("nacks_overflow", Check::overflow_growing, "records dropped for full queues");
  report("nacks_no_owner", Check::no_owner_growing, "records for channels without an owner");
  const auto total = [&](const char* counter) { return after.status.counter(counter); };
  if (!report("sessions_refused", Check::peers_refused, "peers refused") &&
      total("sessions_refused") > 0) {
    add(to, Severity::info, Check::peers_refused, after.name,
        std::to_string(total("sessions_refused")) + " peers refused since its start, none now");
  }
  const std::uint64_t hostile = total("hostile_bytes");
  if (hostile == 0) return;
  const bool growing = growth(before, after, "hostile_bytes") > 0;
  add(to, growing ? Severity::error : Severity::warning, Check::hostile_bytes, after.name,
      std::to_string(hostile) + " sessions ended for bytes that are not the protocol" +
          (growing ? ", still growing" : ", none now"));
}

void check_links(const DaemonReading* before, const DaemonReading& after, Findings& to) {
  for (const LinkInfo& link : after.links) check_link(before, after, link, to);
}

}  // namespace starbus::bustop::checks
