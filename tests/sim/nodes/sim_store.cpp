#include "tests/sim/nodes/sim_store.hpp"

#include <utility>

#include "storage/envelope.hpp"

namespace starbus::sim {
namespace {

/// Of the rows as they lie there, not of a copy: whoever takes one lets it go before the turn ends,
/// and nothing becomes durable within a turn.
class SimSnapshot final : public storage::Snapshot {
 public:
  explicit SimSnapshot(const std::map<std::string, std::string>& rows) : rows_(rows) {}

  storage::Result<std::optional<std::string>> get(std::string_view key) const override {
    const auto found = rows_.find(std::string(key));
    return found == rows_.end() ? std::nullopt : std::optional(found->second);
  }
  storage::Result<storage::Page> scan(std::string_view from, std::string_view to,
                                      storage::PageLimit limit) const override {
    storage::Page page;
    for (auto row = rows_.lower_bound(std::string(from)); row != rows_.end(); ++row) {
      if (!to.empty() && row->first >= to) break;
      if (page.records.size() == limit.records) {
        page.next = row->first;
        break;
      }
      page.records.push_back({row->first, row->second});
    }
    return page;
  }

 private:
  const std::map<std::string, std::string>& rows_;
};

}  // namespace

storage::Result<> SimStore::commit(storage::Batch batch, Completion done) {
  if (auto checked = batch.check(); !checked) return checked;
  if (stopped_) return storage::Error(storage::Errc::stopped, "simulated");
  const bool taken = disk_.room == SimDisk::Room::plenty ||
                     (disk_.room == SimDisk::Room::little && batch.may_use_reserve());
  // A store that is full says so at once or, if it finds out while it writes, later.
  if (!taken && random_.chance(0.5)) return storage::Error(storage::Errc::store_full, "simulated");
  if (!taken) {
    after_(random_.micros(50, 3'000), [done = std::move(done)] {
      done(storage::Error(storage::Errc::store_full, "simulated"));
    });
    return {};
  }
  pending_.push_back({std::move(batch), std::move(done)});
  after_(random_.micros(50, random_.chance(0.9) ? 3'000 : 100'000), [this] { sync(); });
  return {};
}

/// The batches are durable in order: each sync makes the oldest one so.
void SimStore::sync() {
  if (stopped_) return;
  if (disk_.fails) return fail();
  if (disk_.syncs_left == 0) return after_(bus::from_ms(10), [this] { sync(); });
  if (disk_.syncs_left) --*disk_.syncs_left;
  Pending oldest = std::move(pending_.front());
  pending_.pop_front();
  apply(oldest.batch);
  oldest.done({});
}

/// What waits behind it is never written.
void SimStore::fail() {
  stopped_ = true;
  disk_.fails = false;
  std::deque<Pending> ended = std::exchange(pending_, {});
  const Completion first = std::move(ended.front().done);
  torn_ = std::move(ended.front().batch);
  ended.pop_front();
  first(storage::Error(storage::Errc::io_error, "simulated"));
  for (Pending& later : ended) later.done(storage::Error(storage::Errc::stopped, "simulated"));
}

storage::Report SimStore::report() const {
  storage::Report report;
  if (!stopped_) return report;
  report.state = storage::State::stopped;
  report.reason = storage::Error(storage::Errc::io_error, "simulated");
  return report;
}

int SimStore::crash() {
  if (torn_ && random_.chance(0.5)) apply(*torn_);
  while (!pending_.empty() && !disk_.syncs_left && random_.chance(0.5)) {
    apply(pending_.front().batch);
    pending_.pop_front();
  }
  return static_cast<int>(pending_.size());
}

void SimStore::apply(const storage::Batch& batch) {
  if (when_durable) when_durable(batch);
  batch.for_each([&](storage::Batch::Kind kind, std::string_view first, std::string_view second) {
    switch (kind) {
      case storage::Batch::Kind::put: {
        const auto value = storage::unseal(first, second);
        disk_.rows[std::string(first)] = std::string(value.value());
        break;
      }
      case storage::Batch::Kind::erase:
        disk_.rows.erase(std::string(first));
        break;
      case storage::Batch::Kind::erase_range:
        disk_.rows.erase(disk_.rows.lower_bound(std::string(first)),
                         disk_.rows.lower_bound(std::string(second)));
        break;
    }
  });
}

storage::Result<std::optional<std::string>> SimStore::get(std::string_view key) const {
  const auto found = disk_.rows.find(std::string(key));
  return found == disk_.rows.end() ? std::nullopt : std::optional(found->second);
}

storage::Result<std::unique_ptr<storage::Snapshot>> SimStore::snapshot() const {
  return std::unique_ptr<storage::Snapshot>(std::make_unique<SimSnapshot>(disk_.rows));
}

}  // namespace starbus::sim
