#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "mail/limits.hpp"
#include "mail/quota.hpp"
#include "mail/rows.hpp"
#include "mail/types.hpp"
#include "storage/store.hpp"

namespace starbus::mail {

/// Walks through the rows of the open shards, page by page and round after round, and finds expired
/// rows: messages beyond the age limit, idempotency keys, and the streams of silent senders. Erases
/// nothing itself. One thread; blocks for disk reads.
class Sweeper {
 public:
  struct Shard {
    std::uint8_t number = 0;
    std::uint64_t opened_ms = 0;  // earlier silence does not count
    friend auto operator<=>(const Shard&, const Shard&) = default;
  };
  struct Aged {
    std::uint8_t shard = 0;
    ChannelId box;
    std::uint64_t upto = 0;  // it and all before are too old
  };
  struct Found {
    std::vector<Aged> boxes;
    std::vector<std::string> keys;
    std::vector<StreamId> streams;
    bool empty() const { return boxes.empty() && keys.empty() && streams.empty(); }
  };

  /// Whether the key has expired, independent of the walk: posters rely on the time.
  static bool outlived(const KeyRow& row, std::uint64_t now_ms) {
    return older(row.time_ms, in_ms(kKeyLife), now_ms);
  }

  Sweeper(const storage::Store& store, const MailQuota& quota) : store_(store), quota_(quota) {}

  /// Reads the next page; skips unreadable rows.
  Found step(const std::set<Shard>& shards, std::uint64_t now_ms);

 private:
  static bool older(std::uint64_t time_ms, std::uint64_t life_ms, std::uint64_t now_ms) {
    return now_ms > time_ms && now_ms - time_ms > life_ms;
  }
  void look(const Shard& shard, const storage::Record& record, std::uint64_t now_ms,
            const storage::Snapshot& snapshot, Found& found) const;
  void look_at_box(const Shard& shard, const storage::Record& record, std::uint64_t now_ms,
                   const storage::Snapshot& snapshot, Found& found) const;

  const storage::Store& store_;
  const MailQuota& quota_;
  std::uint8_t shard_ = 0;
  std::size_t kind_ = 0;  // of kKinds
  std::string from_;      // where the next page begins; empty: at the beginning of the kind
};

}  // namespace starbus::mail
