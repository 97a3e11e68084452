#include "mail/shards/shard_export.hpp"

#include <utility>

#include "mail/shards/shard_row.hpp"

namespace starbus::mail {
namespace {

Bytes bytes_of(std::string_view text) {
  const ByteView view = as_bytes(text);
  return {view.begin(), view.end()};
}

bus::ShardChange put(std::string_view key, std::string_view value) {
  return {bus::ShardChange::What::put, bytes_of(key), bytes_of(value)};
}

}  // namespace

template <class Record>
void ShardExport::say(const Process& to, Lineage hint, const Record& record) {
  scratch_.clear();
  encode(record, scratch_);
  way_.say(to, hint, scratch_);
}

void ShardExport::refuse(const Process& to, const bus::ShardTake& take, Errc reason,
                         const std::string& detail) {
  say(to, take.reply, bus::ShardGiven{take.token, take.shard, reason, detail});
}

/// The host is the taker's own word: it counts if its store is who speaks.
bool ShardExport::is_store(const Process& from, const std::string& host) const {
  return way_.store_of(host) == from;
}

void ShardExport::take(const Process& from, const bus::ShardTake& take) {
  thread_.check();
  if (!is_store(from, take.host)) {
    if (take.asks) return;  // it asks again; a store that has just begun is seen by then
    return refuse(from, take, Errc::busy, "the taker is not known as the store of its host");
  }
  if (take.asks) return asked(from, take);
  if (!way_.offered(take.shard, take.host)) {
    return refuse(from, take, Errc::denied,
                  "not offered; at its host: starbus-mail offer " + std::to_string(take.shard) +
                      " --to " + take.host);
  }
  const auto present = exports_.find(take.shard);
  if (present != exports_.end() && present->second.phase == Phase::marks) {
    return refuse(from, take, Errc::busy, "the shard is being moved");
  }
  // A target that begins anew has forgotten what it was given before.
  if (present != exports_.end() && present->second.to.channel() == from.channel()) {
    end(present, Errc::superseded, "superseded by a later attempt");
  } else if (present != exports_.end()) {
    return refuse(from, take, Errc::busy, present->second.request.host + " takes it");
  }
  if (!way_.serves(take.shard)) {
    return refuse(from, take, Errc::no_owner, "this store does not serve it now");
  }
  Export& exporting = exports_[take.shard];
  exporting.to = from;
  exporting.request = take;
  exporting.barrier = way_.begun();
  exporting.heard_ms = way_.now_ms();
}

/// The target has the whole shard, and asks whether it was given.
void ShardExport::asked(const Process& from, const bus::ShardTake& take) {
  const auto present = exports_.find(take.shard);
  if (present != exports_.end() && present->second.request.token == take.token) {
    Export& exporting = present->second;
    exporting.to = from;  // perhaps in a new life
    exporting.request.reply = take.reply;
    if (exporting.last_sent) more(from, {take.token, take.shard, exporting.page});
    return;
  }
  const auto stored = store_.get(place_key(take.shard));
  if (!stored) return;  // it asks again
  const auto row = *stored ? decode_place(**stored) : std::nullopt;
  const bool elsewhere = row && row->keeping == Keeping::elsewhere && row->token != 0;
  if (elsewhere && row->token == take.token) {
    return say(from, take.reply, bus::ShardGiven{take.token, take.shard, Errc::ok, {}});
  }
  // The target erases its copy upon this answer: a store that has lost its disk, and so has no row
  // of the shard, must not give it.
  const auto own = read_shard_row(store_, take.shard);
  if (!own && own.error().code != storage::Errc::corrupt) return;
  const bool known = own && own->lineage && own->lineage == take.lineage;
  if (!elsewhere && !known) {
    return way_.trouble(shard_name(take.shard) + " has arrived at " + take.host +
                        ", and this store has no row of it; decide with starbus-mail adopt");
  }
  refuse(from, take, Errc::no_owner, "the shard was not given in that attempt");
}

void ShardExport::more(const Process& from, const bus::ShardMore& more) {
  thread_.check();
  const auto entry = exports_.find(more.shard);
  if (entry == exports_.end()) return;
  Export& exporting = entry->second;
  const bool fits = exporting.to == from && exporting.request.token == more.token &&
                    exporting.page == more.page && exporting.phase != Phase::marks;
  if (!fits) return;
  if (!exporting.last_sent) return go_on(entry);
  exporting.phase = Phase::marks;
  mark(entry);
}

void ShardExport::mark(Entry entry) {
  const Export& exporting = entry->second;
  way_.mark(entry->first, {Keeping::elsewhere, exporting.request.token, exporting.request.host});
}

/// The page before this one is on the target's disk.
void ShardExport::go_on(Entry entry) {
  Export& exporting = entry->second;
  exporting.heard_ms = way_.now_ms();
  if (exporting.phase == Phase::follows && exporting.sending.empty()) {
    ++exporting.rounds;
    if (exporting.changed.size() <= kExportFreezeAt || exporting.rounds >= kExportRounds) {
      exporting.phase = Phase::freezes;
      exporting.barrier = way_.begun();
      return way_.freeze(entry->first);
    }
    exporting.sending = std::exchange(exporting.changed, {});
  }
  auto rows = page(entry->first, exporting);
  if (!rows) {
    const bool damage = rows.error().code == storage::Errc::corrupt;
    return end(entry, damage ? Errc::corrupt : Errc::busy, rows.error().to_string());
  }
  exporting.last_sent = rows->last;
  say(exporting.to, exporting.request.reply, *rows);
}

storage::Result<bus::ShardRows> ShardExport::page(std::uint8_t shard, Export& exporting) {
  bus::ShardRows rows;
  rows.token = exporting.request.token;
  rows.shard = shard;
  rows.page = ++exporting.page;
  const auto row = read_shard_row(store_, shard);
  if (!row) return row.error();
  rows.lineage = row->lineage;
  rows.boxes = row->totals.boxes;
  rows.messages = row->totals.messages;
  rows.bytes = row->totals.bytes;
  if (exporting.phase == Phase::copies) {
    const auto more = copy(shard, exporting, rows);
    if (!more) return more.error();
    if (!*more) exporting.phase = Phase::follows;
    return rows;
  }
  if (auto followed = follow(exporting, rows); !followed) return followed.error();
  rows.last = exporting.phase == Phase::ends && exporting.sending.empty();
  return rows;
}

/// A page of the snapshot; false: it was the last one.
storage::Result<bool> ShardExport::copy(std::uint8_t shard, Export& exporting,
                                        bus::ShardRows& rows) {
  const std::string prefix = kind_prefix(kMovingKinds[exporting.kind], shard);
  const std::string from = exporting.next.empty() ? prefix : exporting.next;
  auto page =
      exporting.snapshot->scan(from, prefix_end(prefix), {kExportPageRows, kExportPageBytes});
  if (!page) return page.error();
  if (!page->damage.empty()) return page->damage.front();
  for (const storage::Record& record : page->records) {
    rows.changes.push_back(put(record.key, record.value));
  }
  exporting.next = page->next.value_or("");
  if (page->next || ++exporting.kind < kMovingKinds.size()) return true;
  exporting.snapshot.reset();
  return false;
}

/// What has changed, as it is now.
storage::Result<> ShardExport::follow(Export& exporting, bus::ShardRows& rows) {
  if (exporting.sending.has_ranges()) {
    // A batch may not put into what it erases: pages have ranges, or keys.
    while (exporting.sending.has_ranges() && rows.changes.size() < kExportPageRanges) {
      const auto [from, to] = exporting.sending.take_range();
      rows.changes.push_back({bus::ShardChange::What::erase_range, bytes_of(from), bytes_of(to)});
    }
    return {};
  }
  for (std::size_t bytes = 0; !exporting.sending.empty() && rows.changes.size() < kExportPageRows &&
                              bytes < kExportPageBytes;) {
    const std::string key = exporting.sending.take_key();
    const auto value = store_.get(key);
    if (!value) return value.error();
    bytes += key.size() + (*value ? (*value)->size() : 0);
    rows.changes.push_back(
        *value ? put(key, **value)
               : bus::ShardChange{bus::ShardChange::What::erase, bytes_of(key), {}});
  }
  return {};
}

void ShardExport::changed(std::uint8_t shard, storage::Batch::Kind kind, std::string_view key,
                          std::string_view end_key) {
  thread_.check();
  const auto entry = exports_.find(shard);
  if (entry == exports_.end()) return;
  if (!entry->second.changed.add(kind, key, end_key)) {
    end(entry, Errc::busy, "it changes faster than it can be copied");
  }
}

/// Each may end within its call.
template <class Act>
void ShardExport::for_each(Act&& act) {
  for (auto entry = exports_.begin(); entry != exports_.end();) act(entry++);
}

void ShardExport::settled(std::uint64_t batch) {
  thread_.check();
  for_each([&](Entry entry) {
    Export& exporting = entry->second;
    if (batch < exporting.barrier) return;
    if (exporting.phase == Phase::waits) {
      auto snapshot = store_.snapshot();
      if (!snapshot) return end(entry, Errc::busy, snapshot.error().to_string());
      exporting.snapshot = std::move(*snapshot);
      exporting.phase = Phase::copies;
      go_on(entry);
    } else if (exporting.phase == Phase::freezes) {
      exporting.phase = Phase::ends;
      exporting.sending = std::exchange(exporting.changed, {});
      go_on(entry);
    }
  });
}

void ShardExport::marked(std::uint8_t shard, const storage::Result<>& result) {
  thread_.check();
  const auto entry = exports_.find(shard);
  if (entry == exports_.end()) return;
  if (!result) {
    Export& exporting = entry->second;
    exporting.undecided |= result.error().code == storage::Errc::io_error;
    if (!exporting.undecided) return end(entry, Errc::busy, result.error().to_string());
    // A disk that fails does not say what it kept. If the shard was served again now, and the mark
    // was there after all, the next start would erase it: so nobody has it until the mark is
    // written, or this store starts again and reads what there is.
    exporting.heard_ms = way_.now_ms();
    return way_.trouble(shard_name(shard) +
                        ": not known yet whether it was given: " + result.error().to_string());
  }
  const Export exporting = std::move(entry->second);
  exports_.erase(entry);
  say(exporting.to, exporting.request.reply,
      bus::ShardGiven{exporting.request.token, shard, Errc::ok, {}});
}

/// Ends an export; the shard stays here.
void ShardExport::end(Entry entry, Errc reason, const std::string& detail) {
  const std::uint8_t shard = entry->first;
  const Export exporting = std::move(entry->second);
  exports_.erase(entry);
  way_.trouble(shard_name(shard) + " stays here and does not move to " + exporting.request.host +
               ": " + detail);
  refuse(exporting.to, exporting.request, reason, detail);
  if (exporting.phase >= Phase::freezes) way_.thaw(shard);
}

/// Ends an export, unless the mark is written: then the shard is given.
void ShardExport::lose(Entry entry, const std::string& why) {
  if (entry->second.phase != Phase::marks) end(entry, Errc::busy, why);
}

void ShardExport::closed(std::uint8_t shard) {
  const auto entry = exports_.find(shard);
  if (entry != exports_.end()) lose(entry, "the store does not serve the shard any more");
}

void ShardExport::process_gone(const Process& process, bool living) {
  for_each([&](Entry entry) {
    const Process& to = entry->second.to;
    const bool gone = to.channel() == process.channel() && (!living || to != process);
    if (gone) lose(entry, "its store is gone");
  });
}

void ShardExport::process_lost(const ChannelId& process) {
  for_each([&](Entry entry) {
    if (entry->second.to.channel() == process) lose(entry, "a page was lost");
  });
}

void ShardExport::tick() {
  thread_.check();
  const std::uint64_t now = way_.now_ms();
  for_each([&](Entry entry) {
    Export& exporting = entry->second;
    if (exporting.phase == Phase::marks && exporting.undecided &&
        now > exporting.heard_ms + in_ms(kExportMarkAgain)) {
      exporting.heard_ms = now;
      mark(entry);
    }
    if (exporting.phase == Phase::marks || exporting.phase == Phase::freezes) return;
    const auto patience = exporting.phase == Phase::ends ? kExportFrozenPatience : kExportPatience;
    if (now > exporting.heard_ms + in_ms(patience))
      end(entry, Errc::busy, "its store did not answer");
  });
}

}  // namespace starbus::mail
