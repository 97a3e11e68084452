// Shards that move: the functions that MailService gives to ShardExport and ShardImport.
#include <algorithm>
#include <iterator>
#include <utility>

#include "bus/core/wire/name.hpp"
#include "bus/core/wire/shard_list.hpp"
#include "mail/service.hpp"
#include "mail/shards/shard_row.hpp"
#include "mail/store_limit.hpp"

namespace starbus::mail {
ShardExport::Way MailService::export_way() {
  ShardExport::Way way;
  way.say = [this](const Process& to, Lineage hint, ByteView record) { say(to, hint, record); };
  way.serves = [this](std::uint8_t shard) { return serves(shard); };
  way.store_of = [this](const std::string& host) { return store_of(host); };
  way.offered = [this](std::uint8_t shard, const std::string& host) {
    return offers_.allows(shard, host, hooks_.now_ms());
  };
  way.freeze = [this](std::uint8_t shard) { freeze(shard); };
  way.begun = [this] { return mail_.begun(); };
  way.thaw = [this](std::uint8_t shard) { thaw(shard); };
  way.mark = [this](std::uint8_t shard, const PlaceRow& row) { mark(shard, row); };
  way.now_ms = hooks_.now_ms;
  way.trouble = hooks_.trouble;
  return way;
}

ShardImport::Way MailService::import_way() {
  ShardImport::Way way;
  way.say = [this](const Process& to, Lineage hint, ByteView record) { say(to, hint, record); };
  way.reply_lineage = [this] { return core_->reply_lineage(); };
  way.serves = [this](std::uint8_t shard) { return serves(shard); };
  way.keeps = [this](std::uint8_t shard) {
    const auto found = shards_.find(shard);
    return found != shards_.end() && found->second.phase != Phase::away;
  };
  way.limit_passed = [this](const Totals& more) {
    return limit_passed(mail_.quota(), totals_kept(), more);
  };
  way.erases = [this](std::uint8_t shard) { return is_being_erased(store_, shard); };
  way.owner = [this](std::uint8_t shard) { return owner_of(shard); };
  way.store_of = [this](const std::string& host) { return store_of(host); };
  way.taken = [this](std::uint8_t shard) {
    hooks_.note(shard_name(shard) + " has come from " + import_.progress().from);
    shards_[shard] = {};
    next_try_ms_ = 0;
  };
  way.commit = [this](storage::Batch batch, storage::Store::Completion done) {
    commit(std::move(batch), std::move(done));
  };
  way.token = hooks_.token;
  way.now_ms = hooks_.now_ms;
  way.trouble = hooks_.trouble;
  return way;
}

/// Includes shards that are not served now, for instance one that has just arrived. Skips
/// unreadable rows, as serving does.
Totals MailService::totals_kept() const {
  Totals all = mail_.totals();
  for (const auto& [number, shard] : shards_) {
    if (shard.phase == Phase::away || mail_.is_open(number)) continue;
    if (const auto row = read_shard_row(store_, number)) all += row->totals;
  }
  return all;
}

std::optional<ShardImport::Store> MailService::owner_of(std::uint8_t shard) const {
  const bus::RowSet* const rows = core_->rows(std::string(bus::kStores));
  if (rows == nullptr) return std::nullopt;
  const auto row = rows->rows().find(shard_name(shard));
  if (row == rows->rows().end()) return std::nullopt;
  // Any other process that has the name is no store.
  const std::string host = bus::host_of_process(row->second.owner_name);
  if (row->second.owner_name != host + "." + kStoreNode) return std::nullopt;
  return ShardImport::Store{row->second.owner, host};
}

std::optional<Process> MailService::store_of(const std::string& host) const {
  const bus::RowSet* const rows = core_->rows(kProcesses);
  if (rows == nullptr) return std::nullopt;
  const auto row = rows->rows().find(kProcesses + host + "." + kStoreNode);
  if (row == rows->rows().end()) return std::nullopt;
  return row->second.owner;
}

Result<std::vector<std::uint8_t>> MailService::offer(const std::vector<std::uint8_t>& shards,
                                                     const std::string& host) {
  if (stopped_) return Error{Errc::closed, "the mail store has stopped"};
  if (host == host_) return Error{Errc::bad_name, "host " + host + " has its own shards"};
  if (!store_of(host)) {
    return Error{Errc::no_owner, "host " + host + ": its mail store is not on the bus now"};
  }
  std::vector<std::uint8_t> kept;
  std::ranges::copy_if(shards, std::back_inserter(kept),
                       [this](std::uint8_t shard) { return keeps(shard); });
  std::ranges::sort(kept);
  if (kept.empty()) return Error{Errc::no_owner, "this host keeps none of these shards"};
  offers_.offer(kept, host, hooks_.now_ms());
  hooks_.note("the shards " + bus::shards_text(kept) + " are offered to host " + host);
  return kept;
}

void MailService::withdraw(const std::vector<std::uint8_t>& shards) {
  offers_.withdraw(shards);
}

std::map<std::string, std::vector<std::uint8_t>> MailService::offers() const {
  return offers_.by_host(hooks_.now_ms());
}

void MailService::on_shard(const Process& from, bus::Kind kind, ByteView payload) {
  if (kind == bus::Kind::shard_take) {
    auto take = bus::decode<bus::ShardTake>(payload);
    if (!take) return;
    take->host = storage::printable(take->host);  // for logs; names of hosts stay as they are
    exports_.take(from, *take);
  } else if (kind == bus::Kind::shard_rows) {
    if (auto rows = bus::decode<bus::ShardRows>(payload)) import_.rows(from, std::move(*rows));
  } else if (kind == bus::Kind::shard_more) {
    if (const auto more = bus::decode<bus::ShardMore>(payload)) exports_.more(from, *more);
  } else if (kind == bus::Kind::shard_given) {
    auto given = bus::decode<bus::ShardGiven>(payload);
    if (!given) return;
    given->detail = storage::printable(given->detail);
    import_.given(from, *given);
  }
}

/// From now on posts wait with their senders, and readers look for the next owner.
void MailService::freeze(std::uint8_t shard) {
  mail_.close(shard);
  (void)core_->unbind(shard_channel(shard).id());
  std::erase_if(bindings_, [shard](const auto& entry) { return entry.second == shard; });
  shards_[shard].phase = Phase::leaving;
}

void MailService::thaw(std::uint8_t shard) {
  if (shards_.at(shard).phase != Phase::leaving) return;
  shards_[shard] = {Phase::free, mail_.begun()};
  next_try_ms_ = 0;
}

void MailService::mark(std::uint8_t shard, const PlaceRow& row) {
  storage::Batch batch;
  batch.put(place_key(shard), encode(row));
  batch.use_reserve();
  commit(std::move(batch), [this, shard, to = row.host](const storage::Result<>& result) {
    if (result) {
      hooks_.note(shard_name(shard) + " has gone to " + to);
      shards_[shard].phase = Phase::away;
      offers_.given(shard);
      mail_.forget(shard);
    }
    exports_.marked(shard, result);
    if (result) erase(shard);
  });
}

/// Erases the rows of a shard that another store has. If the disk refuses, the next start does it.
void MailService::erase(std::uint8_t shard) {
  storage::Batch batch;
  erase_shard(shard, batch);
  (void)store_.commit(std::move(batch), [](const storage::Result<>&) {});
}

/// `done` on this thread.
void MailService::commit(storage::Batch batch, storage::Store::Completion done) {
  const auto finish = [this, weak = std::weak_ptr(alive_),
                       done = std::move(done)](const storage::Result<>& result) {
    post([this, weak, done, result] {
      if (!weak.lock()) return;
      done(result);
      if (result) return;
      // Without posts no other commit would report it.
      const storage::Report report = store_.report();
      if (report.state == storage::State::stopped) mail_.store_stopped(report.reason);
    });
  };
  if (auto taken = store_.commit(std::move(batch), finish); !taken) finish(taken);
}

}  // namespace starbus::mail
