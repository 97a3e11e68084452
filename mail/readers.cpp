#include "mail/readers.hpp"

#include <algorithm>
#include <utility>

#include "mail/lost_row.hpp"
#include "mail/row_keys.hpp"

namespace starbus::mail {
namespace {

/// Size of a message key; scans of this prefix yield only message keys.
std::uint64_t number_in(const std::string& key) {
  return read_mail_key(key).value().number;
}

/// The first number after a page. The next page begins at a message; beside a damaged block it
/// begins right after one, and then its key has one byte more.
std::uint64_t number_behind(const std::string& next) {
  if (read_mail_key(next)) return number_in(next);
  return number_in(next.substr(0, next.size() - 1)) + 1;
}

}  // namespace

// --- sessions ------------------------------------------------------------------------------------

void Readers::add(const ReaderId& id, const Session& session) {
  thread_.check();
  forget(id);  // a process may say one token twice, and of another mailbox
  if (session.target == PostTarget::mailbox) {
    const auto before = by_box_.find(session.box);
    if (before != by_box_.end() && before->second.owner) {
      ++counters_.superseded;
      const ReaderId owner = *before->second.owner;
      end(owner, Errc::superseded, "another reader has opened it");
    }
  }
  ++counters_.opened;
  Open& open = open_[id];
  open.session = session;
  open.settled = session.position;
  OfBox& readers = by_box_[session.box];
  if (session.target == PostTarget::mailbox) {
    readers.owner = id;
  } else {
    open.place = readers.followers.size();
    readers.followers.push_back(id);
  }
  ++of_process_[id.process];
  want(id, open);
}

const Readers::Session* Readers::find(const ReaderId& id) const {
  const auto found = open_.find(id);
  return found == open_.end() ? nullptr : &found->second.session;
}

void Readers::end(const ReaderId& id, Errc reason, const std::string& detail) {
  thread_.check();
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  scratch_.clear();
  encode(bus::MailEnd{id.token, reason, detail}, scratch_);
  way_.say(id.process, found->second.session.reply, scratch_);
  erase(found);
}

void Readers::forget(const ReaderId& id) {
  if (const auto found = open_.find(id); found != open_.end()) erase(found);
}

void Readers::close(const ReaderId& id) {
  if (const auto found = open_.find(id); found != open_.end()) erase(found, true);
}

void Readers::erase(Opens::iterator at, bool closed) {
  const Open& open = at->second;
  const Session& session = open.session;
  if (session.target == PostTarget::mailbox && open.first != 0) {
    if (session.position > open.settled) {
      attempts_.ended(session.box,
                      {at->first.process, open.first, session.position, open.attempts, closed});
    } else {
      attempts_.settled(session.box);
    }
  }
  const auto box = by_box_.find(at->second.session.box);
  auto& [owner, followers] = box->second;
  if (at->second.session.target == PostTarget::mailbox) {
    owner.reset();
  } else {
    const ReaderId last = followers.back();
    followers[at->second.place] = last;
    open_.at(last).place = at->second.place;
    followers.pop_back();
  }
  if (!owner && followers.empty()) by_box_.erase(box);
  const auto process = of_process_.find(at->first.process);
  if (--process->second == 0) of_process_.erase(process);
  open_.erase(at);  // what stands in ready_ or blocked_ finds nothing
}

void Readers::end_shard(std::uint8_t shard) {
  std::vector<ReaderId> ids;
  for (const auto& [id, open] : open_) {
    if (open.session.shard == shard) ids.push_back(id);
  }
  for (const ReaderId& id : ids) end(id, Errc::busy, "the shard moves away");
}

bool Readers::ended_with(const Process& reader, const Process& process, bool living) {
  if (reader.host != process.host || reader.slot != process.slot) return false;
  return reader.incarnation < process.incarnation ||
         (!living && reader.incarnation == process.incarnation);
}

void Readers::process_gone(const Process& process, bool living) {
  Process first = process;
  first.incarnation = 0;
  for (auto at = open_.lower_bound({first, 0}); at != open_.end();) {
    if (!ended_with(at->first.process, process, living)) break;
    erase(at++);
  }
}

void Readers::process_lost(const ChannelId& process) {
  const auto host = static_cast<std::uint32_t>(process.low >> 32);
  const Process first{host, static_cast<std::uint32_t>(process.low), 0};
  std::vector<ReaderId> ids;
  for (auto at = open_.lower_bound({first, 0}); at != open_.end(); ++at) {
    if (at->first.process.channel() != process) break;
    ids.push_back(at->first);
  }
  for (const ReaderId& id : ids) end(id, Errc::busy, "a message was lost");
}

bool Readers::full(const Process& process) const {
  const auto own = of_process_.find(process);
  return open_.size() >= most_ || (own != of_process_.end() && own->second >= kReadersOfProcess);
}

// --- what they are sent --------------------------------------------------------------------------

void Readers::want(const ReaderId& id, Open& open) {
  if (open.queued || !may_send(open)) return;
  open.queued = true;
  ready_.push_back(id);
}

bool Readers::may_send(const Open& open) {
  const bool behind = open.session.position < open.session.last;
  return behind && !open.session.held && !open.starved &&
         open.sent - open.consumed < open.session.window;
}

void Readers::release(const ReaderId& id, std::uint64_t last) {
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  found->second.session.held = false;
  found->second.session.last = last;
  want(id, found->second);
}

void Readers::advance(const ChannelId& box, const BoxRow& row) {
  thread_.check();
  const auto found = by_box_.find(box);
  if (found == by_box_.end()) return;
  const bool log = row.kind == PostTarget::log;
  const auto& [owner, followers] = found->second;
  std::vector<ReaderId> ended;
  if (row.decided() && log && owner) ended.push_back(*owner);
  if (row.decided() && !log) ended.insert(ended.end(), followers.begin(), followers.end());
  const auto advance_one = [&](const ReaderId& id) {
    Open& open = open_.at(id);
    open.session.last = row.last;
    open.settled = std::max(open.settled, row.floor);
    want(id, open);
  };
  if (log) {
    std::ranges::for_each(followers, advance_one);
  } else if (owner) {
    advance_one(*owner);
  }
  for (const ReaderId& id : ended) end(id, Errc::denied, denial(row.kind));
}

void Readers::consumed(const ReaderId& id, std::uint64_t bytes) {
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  Open& open = found->second;
  open.consumed = std::max(open.consumed, std::min(bytes, open.sent));
  open.starved = false;
  want(id, open);
}

void Readers::room() {
  for (const ReaderId& id : blocked_) ready_.push_back(id);
  blocked_.clear();
}

bool Readers::pump() {
  thread_.check();
  std::size_t sent = 0;
  while (!ready_.empty() && sent < kReaderTurnBytes) {
    const ReaderId id = ready_.front();
    ready_.pop_front();
    const auto found = open_.find(id);
    if (found == open_.end()) continue;
    if (!way_.room(id.process)) {
      blocked_.push_back(id);
      continue;
    }
    found->second.queued = false;
    sent += send_page(id, found->second);
  }
  return !ready_.empty();
}

std::size_t Readers::send_page(const ReaderId& id, Open& open) {
  if (!may_send(open)) return 0;
  auto page = read_page(open);
  if (!page) {
    // A store that is being opened anew, after a full disk, or that has stopped: later.
    const bool passing = page.error() != storage::Errc::corrupt;
    end(id, passing ? Errc::busy : Errc::corrupt, page.error().to_string());
    return 0;
  }
  if (page->other) {
    end(id, Errc::denied, "a mailbox is not read as a log, nor a log as a mailbox");
    return 0;
  }
  bus::MailItems& record = page->record;
  if (page->gone) open.session.position = open.session.last;
  open.starved = record.items.empty() && !page->gone;
  if (record.items.empty()) return 0;
  record.token = id.token;
  if (open.first == 0) begin(id, open, record.items.front().number);
  for (const bus::MailItem& item : record.items) {
    open.sent += bus::mail_charge(item.body.size());
    counters_.bytes += item.body.size();
    counters_.corrupt += item.status == Errc::corrupt;
    open.session.position = item.number;
  }
  counters_.items += record.items.size();
  scratch_.clear();
  encode(record, scratch_);
  way_.say(id.process, open.session.reply, scratch_);
  want(id, open);
  return scratch_.size();
}

/// It is told before its first message how often that was given out before.
void Readers::begin(const ReaderId& id, Open& open, std::uint64_t first) {
  open.first = first;
  if (open.session.target != PostTarget::mailbox) return;
  open.attempts = attempts_.of(open.session.box, id.process, first);
  if (open.attempts == 1) return;
  scratch_.clear();
  encode(bus::MailAttempts{id.token, first, open.attempts}, scratch_);
  way_.say(id.process, open.session.reply, scratch_);
}

/// The next items that fit the window; at least one, if there is any. Numbers are dense between the
/// floor and the latest, so a missing number is an unreadable message.
storage::Result<Readers::Page> Readers::read_page(const Open& open) const {
  const Session& session = open.session;
  const auto snapshot = store_.snapshot();
  if (!snapshot) return snapshot.error();
  const auto stored = (*snapshot)->get(box_key(session.shard, session.box));
  if (!stored) return stored.error();
  const auto box = *stored ? decode_box(**stored) : std::nullopt;
  if (!box) return storage::Error(storage::Errc::corrupt, "not the row of a mailbox");

  std::uint64_t expected = std::max(session.position, box->floor) + 1;
  Page page;
  page.other = box->kind != session.target;
  if (page.other) return page;
  std::vector<bus::MailItem>& items = page.record.items;
  page.gone = expected > session.last;
  if (page.gone) return page;
  const std::uint64_t in_flight = open.sent - open.consumed;
  std::uint64_t room = session.window - in_flight;
  const auto fits = [&](std::size_t body) {
    const std::uint64_t charge = bus::mail_charge(body);
    if (charge > room && (!items.empty() || in_flight != 0)) return false;
    room -= std::min(room, charge);
    return items.size() < kReaderPageRecords;
  };
  const auto unreadable_before = [&](std::uint64_t number) {
    while (expected < number && fits(0)) {
      items.push_back({expected++, 0, Errc::corrupt, {}, {}});
    }
    return expected == number;
  };
  const auto rows = (*snapshot)->scan(message_key(session.shard, session.box, expected),
                                      message_key(session.shard, session.box, session.last + 1),
                                      {.records = kReaderPageRecords, .bytes = kReaderPageBytes});
  if (!rows) return rows.error();
  for (const storage::Record& record : rows->records) {
    const std::uint64_t number = number_in(record.key);
    const auto row = decode_message(record.value);
    const bool readable = row && !is_lost(*row);
    if (!unreadable_before(readable ? number : number + 1)) return page;
    if (!readable) continue;
    if (!fits(row->body.size())) return page;
    const ByteView trace = as_bytes(row->trace);
    const ByteView body = as_bytes(row->body);
    items.push_back({number, row->time_ms, Errc::ok, Bytes(trace.begin(), trace.end()),
                     Bytes(body.begin(), body.end())});
    expected = number + 1;
  }
  (void)unreadable_before(rows->next ? number_behind(*rows->next) : session.last + 1);
  return page;
}

}  // namespace starbus::mail
