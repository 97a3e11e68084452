#include "mail/shards/shard_export.hpp"

#include <utility>

#include "mail/shards/shard_row.hpp"

namespace starbus::bus::busd::mail {
namespace {

Bytes bytes_of(std::string_view text) {
  const ByteView view = as_bytes(text);
  return {view.begin(), view.end()};
}

ShardChange put(std::string_view key, std::string_view value) {
  return {ShardChange::What::put, bytes_of(key), bytes_of(value)};
}

}  // namespace

template <class Record>
void Givers::say(const Process& to, Lineage hint, const Record& record) {
  scratch_.clear();
  encode(record, scratch_);
  way_.say(to, hint, scratch_);
}

void Givers::refuse(const Process& to, const ShardTake& take, Errc reason,
                    const std::string& detail) {
  say(to, take.reply, ShardGiven{take.token, take.shard, reason, detail});
}

void Givers::take(const Process& from, const ShardTake& take) {
  if (take.asks) return asked(from, take);
  const auto present = givings_.find(take.shard);
  if (present != givings_.end() && present->second.phase == Phase::marks) {
    return refuse(from, take, Errc::busy, "it is being given");
  }
  // A taker that begins anew has forgotten what it was given before.
  if (present != givings_.end() && present->second.to.channel() == from.channel()) {
    end(present, Errc::superseded, "a later attempt");
  } else if (present != givings_.end()) {
    return refuse(from, take, Errc::busy, present->second.request.host + " takes it");
  }
  if (!way_.serves(take.shard)) {
    return refuse(from, take, Errc::no_owner, "this store does not serve it now");
  }
  Giving& giving = givings_[take.shard];
  giving.to = from;
  giving.request = take;
  giving.barrier = way_.begun();
  giving.heard_ms = way_.now_ms();
}

/// The taker has all of it, and does not know whether it is its own.
void Givers::asked(const Process& from, const ShardTake& take) {
  const auto present = givings_.find(take.shard);
  if (present != givings_.end() && present->second.request.token == take.token) {
    Giving& giving = present->second;
    giving.to = from;  // perhaps in a new life
    giving.request.reply = take.reply;
    if (giving.last_sent) more(from, {take.token, take.shard, giving.page});
    return;
  }
  const auto stored = store_.get(place_key(take.shard));
  if (!stored) return;  // it asks again
  const auto row = *stored ? decode_place(**stored) : std::nullopt;
  const bool elsewhere = row && row->keeping == Keeping::elsewhere && row->token != 0;
  if (elsewhere && row->token == take.token) {
    return say(from, take.reply, ShardGiven{take.token, take.shard, Errc::ok, {}});
  }
  // The taker erases what it has upon this word: it must not come from a store that has lost its
  // disk, and knows nothing of the shard.
  const auto own = read_shard_row(store_, take.shard);
  if (!own && own.error().code != storage::Errc::corrupt) return;
  const bool known = own && own->lineage && own->lineage == take.lineage;
  if (!elsewhere && !known) {
    return way_.trouble(shard_name(take.shard) + " has arrived at " + take.host +
                        ", and this store knows nothing of it: starbus-mail adopt decides");
  }
  refuse(from, take, Errc::no_owner, "it was not given in that attempt");
}

void Givers::more(const Process& from, const ShardMore& more) {
  const auto entry = givings_.find(more.shard);
  if (entry == givings_.end()) return;
  Giving& giving = entry->second;
  const bool fits = giving.to == from && giving.request.token == more.token &&
                    giving.page == more.page && giving.phase != Phase::marks;
  if (!fits) return;
  if (!giving.last_sent) return go_on(entry);
  giving.phase = Phase::marks;
  mark(entry);
}

void Givers::mark(Entry entry) {
  const Giving& giving = entry->second;
  way_.mark(entry->first, {Keeping::elsewhere, giving.request.token, giving.request.host});
}

/// The page before this one is on the taker's disk.
void Givers::go_on(Entry entry) {
  Giving& giving = entry->second;
  giving.heard_ms = way_.now_ms();
  if (giving.phase == Phase::follows && giving.sending.empty()) {
    ++giving.rounds;
    if (giving.changed.size() <= kFreezeAt || giving.rounds >= kRounds) {
      giving.phase = Phase::freezes;
      giving.barrier = way_.begun();
      return way_.freeze(entry->first);
    }
    giving.sending = std::exchange(giving.changed, {});
  }
  auto rows = page(entry->first, giving);
  if (!rows) {
    const bool damage = rows.error().code == storage::Errc::corrupt;
    return end(entry, damage ? Errc::corrupt : Errc::busy, rows.error().to_string());
  }
  giving.last_sent = rows->last;
  say(giving.to, giving.request.reply, *rows);
}

storage::Result<ShardRows> Givers::page(std::uint8_t shard, Giving& giving) {
  ShardRows rows;
  rows.token = giving.request.token;
  rows.shard = shard;
  rows.page = ++giving.page;
  const auto row = read_shard_row(store_, shard);
  if (!row) return row.error();
  rows.lineage = row->lineage;
  rows.boxes = row->totals.boxes;
  rows.messages = row->totals.messages;
  rows.bytes = row->totals.bytes;
  if (giving.phase == Phase::copies) {
    const auto more = copy(shard, giving, rows);
    if (!more) return more.error();
    if (!*more) giving.phase = Phase::follows;
    return rows;
  }
  if (auto followed = follow(giving, rows); !followed) return followed.error();
  rows.last = giving.phase == Phase::ends && giving.sending.empty();
  return rows;
}

/// A page of the snapshot; false: it was the last one.
storage::Result<bool> Givers::copy(std::uint8_t shard, Giving& giving, ShardRows& rows) {
  const std::string prefix = kind_prefix(kMovingKinds[giving.kind], shard);
  const std::string from = giving.next.empty() ? prefix : giving.next;
  auto page = giving.snapshot->scan(from, prefix_end(prefix), {kPageRows, kPageBytes});
  if (!page) return page.error();
  if (!page->damage.empty()) return page->damage.front();
  for (const storage::Record& record : page->records) {
    rows.changes.push_back(put(record.key, record.value));
  }
  giving.next = page->next.value_or("");
  if (page->next || ++giving.kind < kMovingKinds.size()) return true;
  giving.snapshot.reset();
  return false;
}

/// What has changed, as it is now.
storage::Result<> Givers::follow(Giving& giving, ShardRows& rows) {
  if (giving.sending.has_ranges()) {
    // A batch may not put into what it erases: pages have ranges, or keys.
    while (giving.sending.has_ranges() && rows.changes.size() < ChangedRows::kRangesOfAPage) {
      const auto [from, to] = giving.sending.take_range();
      rows.changes.push_back({ShardChange::What::erase_range, bytes_of(from), bytes_of(to)});
    }
    return {};
  }
  for (std::size_t bytes = 0;
       !giving.sending.empty() && rows.changes.size() < kPageRows && bytes < kPageBytes;) {
    const std::string key = giving.sending.take_key();
    const auto value = store_.get(key);
    if (!value) return value.error();
    bytes += key.size() + (*value ? (*value)->size() : 0);
    rows.changes.push_back(*value ? put(key, **value)
                                  : ShardChange{ShardChange::What::erase, bytes_of(key), {}});
  }
  return {};
}

void Givers::changed(std::uint8_t shard, storage::Batch::Kind kind, std::string_view key,
                     std::string_view end_key) {
  const auto entry = givings_.find(shard);
  if (entry == givings_.end()) return;
  if (!entry->second.changed.add(kind, key, end_key)) {
    end(entry, Errc::busy, "it changes faster than it can be copied");
  }
}

/// Each may end within its call.
template <class Act>
void Givers::for_each(Act&& act) {
  for (auto entry = givings_.begin(); entry != givings_.end();) act(entry++);
}

void Givers::settled(std::uint64_t batch) {
  for_each([&](Entry entry) {
    Giving& giving = entry->second;
    if (batch < giving.barrier) return;
    if (giving.phase == Phase::waits) {
      auto snapshot = store_.snapshot();
      if (!snapshot) return end(entry, Errc::busy, snapshot.error().to_string());
      giving.snapshot = std::move(*snapshot);
      giving.phase = Phase::copies;
      go_on(entry);
    } else if (giving.phase == Phase::freezes) {
      giving.phase = Phase::ends;
      giving.sending = std::exchange(giving.changed, {});
      go_on(entry);
    }
  });
}

void Givers::marked(std::uint8_t shard, const storage::Result<>& result) {
  const auto entry = givings_.find(shard);
  if (entry == givings_.end()) return;
  if (!result) {
    Giving& giving = entry->second;
    giving.undecided |= result.error().code == storage::Errc::io_error;
    if (!giving.undecided) return end(entry, Errc::busy, result.error().to_string());
    // A disk that fails does not say what it kept. If the shard was served again now, and the mark
    // was there after all, the next start would erase it: so nobody has it until the mark is
    // written, or this store starts again and reads what there is.
    giving.heard_ms = way_.now_ms();
    return way_.trouble(shard_name(shard) +
                        ": whether it was given is not known yet: " + result.error().to_string());
  }
  const Giving giving = std::move(entry->second);
  givings_.erase(entry);
  say(giving.to, giving.request.reply, ShardGiven{giving.request.token, shard, Errc::ok, {}});
}

/// It stays here.
void Givers::end(Entry entry, Errc reason, const std::string& detail) {
  const std::uint8_t shard = entry->first;
  const Giving giving = std::move(entry->second);
  givings_.erase(entry);
  way_.trouble(shard_name(shard) + " is not given to " + giving.request.host + ": " + detail);
  refuse(giving.to, giving.request, reason, detail);
  if (giving.phase >= Phase::freezes) way_.thaw(shard);
}

/// Unless it is marked: then it is given, whatever else is lost.
void Givers::lose(Entry entry, const std::string& why) {
  if (entry->second.phase != Phase::marks) end(entry, Errc::busy, why);
}

void Givers::closed(std::uint8_t shard) {
  const auto entry = givings_.find(shard);
  if (entry != givings_.end()) lose(entry, "the store does not serve it any more");
}

void Givers::process_gone(const Process& process, bool living) {
  for_each([&](Entry entry) {
    const Process& to = entry->second.to;
    const bool gone = to.channel() == process.channel() && (!living || to != process);
    if (gone) lose(entry, "its store is gone");
  });
}

void Givers::process_lost(const ChannelId& process) {
  for_each([&](Entry entry) {
    if (entry->second.to.channel() == process) lose(entry, "a page was lost");
  });
}

void Givers::tick() {
  const std::uint64_t now = way_.now_ms();
  for_each([&](Entry entry) {
    Giving& giving = entry->second;
    if (giving.phase == Phase::marks && giving.undecided && now > giving.heard_ms + kMarkAgain) {
      giving.heard_ms = now;
      mark(entry);
    }
    if (giving.phase == Phase::marks || giving.phase == Phase::freezes) return;
    const std::uint64_t patience = giving.phase == Phase::ends ? kFrozenPatience : kPatience;
    if (now > giving.heard_ms + patience) end(entry, Errc::busy, "nothing was heard of its store");
  });
}

}  // namespace starbus::bus::busd::mail
