/// The report of a busd about its mail store: a part of /status, and the start of /mail/stats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/report/fields.hpp"

namespace starbus::report {

/// Since the start of the busd.
struct MailCounters {
  std::uint64_t stored = 0;
  std::uint64_t refused = 0;
  std::uint64_t repeated_keys = 0;
  std::uint64_t batches = 0;
  std::uint64_t overflows = 0;
  std::uint64_t settled = 0;
  std::uint64_t trimmed = 0;
  std::uint64_t aged = 0;
  std::uint64_t purged = 0;
  std::uint64_t dead_letters = 0;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("stored", self.stored);
    visit("refused", self.refused);
    visit("repeated_keys", self.repeated_keys);
    visit("batches", self.batches);
    visit("overflows", self.overflows);
    visit("settled", self.settled);
    visit("trimmed", self.trimmed);
    visit("aged", self.aged);
    visit("purged", self.purged);
    visit("dead_letters", self.dead_letters);
  }
  friend bool operator==(const MailCounters&, const MailCounters&) = default;
};

/// The background check of all files of the store.
struct MailScrub {
  std::uint64_t rounds = 0;
  std::uint64_t bytes = 0;            // read
  std::uint64_t damaged = 0;          // places
  std::vector<std::string> findings;  // the first few

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("rounds", self.rounds);
    visit("bytes", self.bytes);
    visit("damaged", self.damaged);
    visit("findings", self.findings);
  }
  friend bool operator==(const MailScrub&, const MailScrub&) = default;
};

/// Repaired damage that no operator has acknowledged yet.
struct MailDamage {
  std::uint64_t lost = 0;      // places where mail was lost
  std::uint64_t repaired = 0;  // places repaired without a loss
  std::uint64_t repairs = 0;
  std::vector<std::string> notes;  // the first few

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("lost", self.lost);
    visit("repaired", self.repaired);
    visit("repairs", self.repairs);
    visit("notes", self.notes);
  }
  friend bool operator==(const MailDamage&, const MailDamage&) = default;
};

/// Figures of the key-value store.
struct MailStore {
  std::uint64_t committed = 0;
  std::uint64_t refused = 0;
  std::uint64_t groups = 0;
  std::uint64_t syncs = 0;
  std::uint64_t queued_batches = 0;
  std::uint64_t queued_bytes = 0;
  std::uint64_t erasing_ranges = 0;
  std::uint64_t reopened = 0;
  std::uint64_t snapshots = 0;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("committed", self.committed);
    visit("refused", self.refused);
    visit("groups", self.groups);
    visit("syncs", self.syncs);
    visit("queued_batches", self.queued_batches);
    visit("queued_bytes", self.queued_bytes);
    visit("erasing_ranges", self.erasing_ranges);
    visit("reopened", self.reopened);
    visit("snapshots", self.snapshots);
  }
  friend bool operator==(const MailStore&, const MailStore&) = default;
};

struct MailStatus {
  std::string host;
  std::string state;                        // opening, mending, running, full, stopped, closed
  std::string reason;                       // why it is full or stopped
  std::vector<std::uint8_t> shards_listed;  // in the configuration
  /// Shards that the store has, listed or not. No value: it is not open, or its busd is too old.
  std::optional<std::vector<std::uint8_t>> shards_kept;
  std::uint64_t shards_held = 0;
  std::uint64_t bytes = 0;        // of the bodies in the shards that are held
  std::uint64_t quota_bytes = 0;  // limit of `bytes`; 0: none
  MailCounters counters;
  MailScrub scrub;
  MailDamage damage;
  std::uint64_t oldest_age_ms = 0;  // of the oldest message; 0: none
  MailStore store;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("host", self.host);
    visit("state", self.state);
    visit("reason", self.reason);
    visit("shards_listed", shard_text(self.shards_listed));
    visit("shards_kept", shard_text(self.shards_kept));
    visit("shards_held", self.shards_held);
    visit("bytes", self.bytes);
    visit("quota_bytes", self.quota_bytes);
    visit("counters", self.counters);
    visit("scrub", self.scrub);
    visit("damage", self.damage);
    visit("oldest_age_ms", self.oldest_age_ms);
    visit("store", self.store);
  }
  friend bool operator==(const MailStatus&, const MailStatus&) = default;
};

}  // namespace starbus::report
