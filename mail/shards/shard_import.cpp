#include "mail/shards/shard_import.hpp"

#include <utility>

#include "bus/core/wire/post_head.hpp"
#include "mail/store_limit.hpp"

namespace starbus::mail {

void ShardImport::enter(Phase phase) {
  phase_ = phase;
  since_ms_ = way_.now_ms();
}

/// The next step, once the batch is on the disk.
storage::Store::Completion ShardImport::then(void (ShardImport::*next_step)()) {
  return [this, weak = std::weak_ptr(alive_), next_step](const storage::Result<>& result) {
    if (!weak.lock()) return;
    result ? (this->*next_step)() : refused(result.error());
  };
}

/// The disk is full. Gives the move up before the shard is complete; retries writes of decisions.
void ShardImport::refused(const storage::Error& error) {
  if (phase_ == Phase::prepares || phase_ == Phase::writes) return give_up(error.to_string());
  refused_ = true;
  since_ms_ = way_.now_ms();
}

void ShardImport::found(std::uint8_t shard, const PlaceRow& row, Lineage lineage) {
  found_[shard] = {row, lineage};
}

Result<> ShardImport::begin(const std::vector<std::uint8_t>& shards) {
  thread_.check();
  if (progress_.goes_on()) {
    return Error{Errc::busy, "a move to this host is under way; starbus-mail move --stop ends it"};
  }
  waiting_.assign(shards.begin(), shards.end());
  progress_ = {};
  progress_.state = MoveProgress::State::running;
  progress_.shards = shards.size();
  if (ends_found_) show_found();
  if (phase_ == Phase::idle && found_.empty()) next();  // otherwise the tick begins it
  return {};
}

void ShardImport::stop() {
  if (progress_.state != MoveProgress::State::running) return;
  waiting_.clear();
  progress_.state = MoveProgress::State::stopping;
  if (ends_found_) return;
  if (phase_ == Phase::asks) {
    // Too late to cancel: it goes on until its source has answered who has the shard.
    ends_found_ = true;
    progress_.state = MoveProgress::State::failed;
    progress_.error =
        "stopped; " + shard_name(shard_) + " has arrived and waits for " + giver_.host;
    return;
  }
  if (phase_ == Phase::seeks) return fail("stopped");
  if (phase_ == Phase::copies) give_up("stopped");
}

void ShardImport::next() {
  progress_.shard.reset();
  while (!waiting_.empty() && way_.serves(waiting_.front())) {
    ++progress_.taken;
    waiting_.pop_front();
  }
  if (waiting_.empty()) {
    const bool whole = progress_.taken == progress_.shards;
    enter(Phase::idle);
    return whole ? end(MoveProgress::State::done, {}) : end(MoveProgress::State::failed, "stopped");
  }
  shard_ = waiting_.front();
  waiting_.pop_front();
  progress_.shard = shard_;
  attempts_ = 0;
  enter(Phase::seeks);
  seek();
}

std::string ShardImport::why_nobody_gives() const {
  const std::string shard = shard_name(shard_);
  if (!way_.keeps(shard_)) {
    return shard +
           ": no host serves it; start the host that has it, or use starbus-mail adopt if that "
           "is gone for good; [mail] shards is only for shards that no host has ever had";
  }
  const auto rival = way_.owner(shard_);
  if (!rival || rival->host == host_) {
    return shard + ": kept here, but not served; see the log of this busd";
  }
  return shard + " is kept here, and host " + rival->host +
         " serves it: two stores have it, see docs/operate/mail-tools.md, \"Two stores with one "
         "shard\"";
}

void ShardImport::seek() {
  progress_.doing = "seeks";
  if (attempts_ > 0 && way_.now_ms() < since_ms_ + in_ms(kImportPause)) return;
  if (way_.erases(shard_)) {
    progress_.doing = "waits until its earlier rows here are erased";
    return enter(Phase::seeks);  // however long that takes
  }
  // Where nobody can answer to, nobody is asked from.
  const bool may_ask = way_.reply_lineage() && !way_.keeps(shard_);
  const auto owner = may_ask ? way_.owner(shard_) : std::nullopt;
  if (way_.serves(shard_)) {
    ++progress_.taken;
    return next();
  }
  if (!owner) {
    if (way_.now_ms() < since_ms_ + in_ms(kImportSeek)) return;  // the next tick looks again
    return fail(why_nobody_gives());
  }
  giver_ = *owner;
  progress_.from = giver_.host;
  token_ = way_.token();
  page_ = 1;
  last_ = false;
  why_.clear();
  hopeless_ = false;
  progress_.rows = progress_.bytes = progress_.messages = 0;
  ++attempts_;
  marked_ = false;
  progress_.doing = "copies";
  enter(Phase::copies);
  ask();
}

/// The source serves the shard, so no host will ask this store about an earlier attempt: its marks
/// and old rows here can be erased.
void ShardImport::prepare(bus::ShardRows first) {
  first_ = std::move(first);
  marked_ = true;
  enter(Phase::prepares);
  way_.commit(incoming_batch(attempt()), then(&ShardImport::prepared));
}

/// True if the move was refused, or must end, while a write was under way.
bool ShardImport::stops() {
  if (why_.empty() && !last_ && progress_.state == MoveProgress::State::stopping) why_ = "stopped";
  if (why_.empty()) return false;
  give_up(std::exchange(why_, {}));
  return true;
}

void ShardImport::prepared() {
  if (stops()) return;
  write(std::exchange(first_, {}));
}

template <class Record>
void ShardImport::say(const Record& record) {
  scratch_.clear();
  encode(record, scratch_);
  way_.say(giver_.process, {}, scratch_);
}

void ShardImport::ask() {
  say(bus::ShardTake{token_, shard_, phase_ == Phase::asks, host_, lineage_, way_.reply_lineage()});
}

/// Checks the limits again: the shard grows while it is copied. Never refuses the last page: the
/// source is frozen, and few rows came after the page before.
bool ShardImport::has_room(const bus::ShardRows& rows) {
  if (marked_ && rows.last) return true;
  const Totals more{rows.boxes, rows.messages, rows.bytes};
  const auto passed = way_.limit_passed(more);
  if (!passed) return true;
  hopeless_ = true;
  const Error why{Errc::store_full, "it has " + describe(more) + ", and [mail] " +
                                        std::string(setting_of(*passed)) +
                                        " of this host leaves less"};
  give_up(why.to_string());
  return false;
}

void ShardImport::rows(const Process& from, bus::ShardRows rows) {
  thread_.check();
  const bool fits = phase_ == Phase::copies && from == giver_.process && rows.token == token_ &&
                    rows.shard == shard_ && rows.page == page_;
  if (!fits) return;
  if (!has_room(rows)) return;
  marked_ ? write(rows) : prepare(std::move(rows));
}

void ShardImport::write(const bus::ShardRows& rows) {
  auto batch = page_batch(attempt(), rows);
  if (!batch) {
    hopeless_ = true;
    return give_up("its host sends rows that are not the shard's");
  }
  for (const bus::ShardChange& change : rows.changes) {
    progress_.bytes += change.key.size() + change.value.size();
  }
  progress_.rows += rows.changes.size();
  progress_.messages = rows.messages;
  last_ = rows.last;
  lineage_ = rows.lineage;
  enter(Phase::writes);
  if (batch->empty()) return written();
  way_.commit(std::move(*batch), then(&ShardImport::written));
}

void ShardImport::written() {
  if (stops()) return;
  enter(last_ ? Phase::asks : Phase::copies);
  if (last_) progress_.doing = "waits for " + giver_.host;
  say(bus::ShardMore{token_, shard_, page_++});
}

void ShardImport::given(const Process& from, const bus::ShardGiven& given) {
  thread_.check();
  if (from != giver_.process || given.token != token_ || given.shard != shard_) return;
  if (given.status != Errc::ok) {
    const std::string why =
        Error{given.status, given.detail.empty() ? "refused" : given.detail}.to_string();
    hopeless_ = given.status == Errc::corrupt || given.status == Errc::denied;
    if (phase_ == Phase::copies || phase_ == Phase::asks) return give_up(why);
    if (phase_ == Phase::prepares || phase_ == Phase::writes) why_ = why;  // and then
    return;
  }
  if (phase_ == Phase::asks) keep();
}

void ShardImport::keep() {
  enter(Phase::keeps);
  way_.commit(kept_batch(attempt()), then(&ShardImport::kept));
}

void ShardImport::kept() {
  way_.taken(shard_);
  if (ends_found_) return found_ended();
  ++progress_.taken;
  next();
}

/// The rows here are erased before another attempt, or the end.
void ShardImport::give_up(const std::string& why) {
  why_ = why;
  marked_ ? write_off() : given_up();
}

void ShardImport::write_off() {
  enter(Phase::gives_up);
  way_.commit(elsewhere_batch(attempt()), then(&ShardImport::given_up));
}

void ShardImport::given_up() {
  const bool again = progress_.state == MoveProgress::State::running && !ends_found_ &&
                     attempts_ < kImportAttempts && !hopeless_;
  if (again) {
    way_.trouble(shard_name(shard_) + " is requested again: " + why_);
    return enter(Phase::seeks);
  }
  fail(shard_name(shard_) + " stays with " + giver_.host + ": " + why_);
}

void ShardImport::store_stopped() {
  if (!progress_.goes_on()) return;
  end(MoveProgress::State::failed, "the mail store of this host has stopped: see /healthz");
}

void ShardImport::end(MoveProgress::State state, const std::string& why) {
  progress_.state = state;
  progress_.error = why;
  show_nothing();
}

void ShardImport::fail(const std::string& why) {
  enter(Phase::idle);
  way_.trouble("the move has ended: " + why);
  if (ends_found_) return found_ended();
  waiting_.clear();
  end(MoveProgress::State::failed, why);
}

void ShardImport::process_gone(const Process& process, bool living) {
  if (copies_from(process.channel()) && (!living || process != giver_.process)) {
    give_up("its store is gone");
  }
}

void ShardImport::process_lost(const ChannelId& process) {
  if (copies_from(process)) give_up("a message between the stores was lost");
}

/// Erases an incomplete shard. The source decides about a complete one.
void ShardImport::end_found() {
  const std::uint8_t shard = found_.begin()->first;
  const auto [row, lineage] = found_.begin()->second;
  found_.erase(found_.begin());
  lineage_ = lineage;
  ends_found_ = true;
  shard_ = shard;
  token_ = row.token;
  giver_ = {{}, row.host};
  marked_ = true;
  last_ = row.keeping == Keeping::arrived;
  show_found();
  if (!last_) return give_up("busd was restarted");
  enter(Phase::asks);
  since_ms_ = 0;
}

void ShardImport::show_found() {
  progress_.doing = last_ ? "waits for " + giver_.host : "erases its rows";
  progress_.shard = shard_;
  progress_.from = giver_.host;
}

/// Clears the progress of the shard.
void ShardImport::show_nothing() {
  progress_.doing.clear();
  progress_.shard.reset();
  progress_.from.clear();
}

void ShardImport::found_ended() {
  ends_found_ = false;
  show_nothing();
  enter(Phase::idle);
}

void ShardImport::tick() {
  thread_.check();
  const std::uint64_t now = way_.now_ms();
  if (phase_ == Phase::idle && !found_.empty()) return end_found();
  if (phase_ == Phase::idle && progress_.goes_on()) return next();
  if (phase_ == Phase::seeks) return seek();
  if (refused_ && now >= since_ms_ + in_ms(kImportAskAgain)) {
    refused_ = false;
    return phase_ == Phase::keeps ? keep() : write_off();
  }
  if (phase_ == Phase::copies && now > since_ms_ + in_ms(kImportPatience))
    return give_up("no answer");
  if (phase_ != Phase::asks || now < since_ms_ + in_ms(kImportAskAgain)) return;
  // Only the source knows: without its answer no host may serve the shard.
  since_ms_ = now;
  if (const auto process = way_.store_of(giver_.host)) {
    giver_.process = *process;
    ask();
  }
}

}  // namespace starbus::mail
