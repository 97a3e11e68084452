#include "storage/writer.hpp"

#include <cassert>
#include <string>
#include <utility>

#include "storage/group.hpp"
#include "storage/leveldb/leveldb_status.hpp"
#include "storage/limits.hpp"

namespace starbus::storage {

Writer::Writer(Database& database, const StoreOptions& options, ErasingRanges open_ranges)
    : database_(database),
      headroom_(options.headroom),
      space_retry_(options.space_retry),
      compactor_(database),
      ranges_(std::move(open_ranges)),
      hidden_(ranges_.size()),
      thread_([this] { run(); }) {}

Writer::~Writer() {
  close();
}

void Writer::close() {
  const std::lock_guard lock(close_mutex_);
  assert(std::this_thread::get_id() != thread_.get_id() && "not from a completion");
  queue_.close();
  if (thread_.joinable()) thread_.join();
  compactor_.stop();
  set_state(State::closed, {});
}

Result<> Writer::commit(Batch&& batch, Store::Completion&& done) {
  Result<> taken = batch.check();
  if (taken) taken = may_write(batch);
  if (taken) taken = queue_.push(std::move(batch), std::move(done));
  if (!taken) ++refused_;
  return taken;
}

Result<> Writer::may_write(const Batch& batch) const {
  const std::lock_guard lock(state_mutex_);
  switch (state_) {
    case State::running:
      return {};
    case State::full:
      if (reserve_open_ && batch.may_use_reserve()) return {};
      return Error(Errc::store_full, reason_.detail);
    case State::stopped:
      return Error(Errc::stopped, reason_.to_string());
    case State::closed:
      return Error(Errc::closed);
  }
  return Error(Errc::closed);
}

bool Writer::may_erase() const {
  const std::lock_guard lock(state_mutex_);
  return state_ == State::running || reserve_open_;
}

void Writer::run() {
  auto next_try = std::chrono::steady_clock::time_point::min();
  while (true) {
    std::vector<Commit> group = queue_.take(patience());
    if (group.empty() && queue_.drained()) return;
    if (group.empty() && ranges_.empty()) compactor_.idle();
    give_back_space(group);
    if (state() == State::full && broken_) {
      const auto now = std::chrono::steady_clock::now();
      if (now >= next_try) {
        reopen();
        next_try = now + space_retry_;
      }
    } else {
      next_try = std::chrono::steady_clock::time_point::min();
    }
    write(group);
  }
}

// How long to wait for commits before there is something else to do.
std::optional<std::chrono::steady_clock::duration> Writer::patience() const {
  // Also while the disk is full: erasing is what frees space.
  if (!ranges_.empty() && may_erase()) return pace_.wait(std::chrono::steady_clock::now());
  if (state() == State::full) return space_retry_;
  if (compactor_.waits()) return kCompactIdle;
  return std::nullopt;
}

void Writer::write(std::span<Commit> commits) {
  // Each group may have used up what was free before it.
  look_for_space();
  if (commits.empty()) erase_chunk();
  while (!commits.empty()) {
    commits = commits.subspan(write_some(commits));
    if (!commits.empty()) look_for_space();
  }
}

void Writer::erase_chunk() {
  const auto begin = std::chrono::steady_clock::now();
  if (ranges_.empty() || !may_erase() || !pace_.is_due(begin)) return;
  const auto use = database_.use();
  if (!use) return;
  Group group(**use, ranges_);
  if (const auto chunk = group.add_chunk(pace_.keys(begin)); !chunk) return stop(chunk.error());
  (void)sync(**use, group.finish());
  pace_.erased(begin, std::chrono::steady_clock::now());
}

// Writes and completes as many of `commits`, from the first, as fit into one group; says how many.
std::size_t Writer::write_some(std::span<Commit> commits) {
  std::vector<Result<>> outcomes;
  std::size_t writes = 0;
  const auto use = database_.use();
  if (!use) {
    // Full, and not open again yet; or stopped, because it could not be.
    for (const Commit& commit : commits) {
      const Result<> may = may_write(commit.batch);
      outcomes.push_back(may ? Result<>(use.error()) : may);
    }
    complete(commits, outcomes);
    return commits.size();
  }
  Group group(**use, ranges_);
  for (Commit& commit : commits) {
    Result<> outcome = may_write(commit.batch);
    if (outcome && group.must_wait(commit.batch)) {
      if (writes > 0) break;
      outcome = erase_hidden(**use, commit.batch);
      ranges_.begin();
    }
    if (outcome) {
      outcome = group.add(commit.batch);
      if (!outcome) {
        // Half a batch may be in the group: nothing of it may be written.
        stop(outcome.error());
        outcomes.assign(outcomes.size() + 1, Error(Errc::stopped, outcome.error().to_string()));
        complete(commits.first(outcomes.size()), outcomes);
        return outcomes.size();
      }
      ++writes;
      erased_ = erased_ || commit.batch.erases();
    }
    outcomes.push_back(std::move(outcome));
    if (group.complete()) break;
  }
  if (writes > 0) {
    pace_.committed();
    Result<> written;
    const auto begin = std::chrono::steady_clock::now();
    const bool chunk = !ranges_.empty() && pace_.is_due(begin);
    if (chunk) written = group.add_chunk(pace_.keys(begin));
    if (written) {
      written = sync(**use, group.finish());
    } else {
      stop(written.error());
      written = Error(Errc::stopped, written.error().to_string());
    }
    if (chunk) pace_.erased(begin, std::chrono::steady_clock::now());
    for (Result<>& outcome : outcomes) {
      if (outcome) outcome = written;
    }
  }
  complete(commits.first(outcomes.size()), outcomes);
  return outcomes.size();
}

// Erases all that is hidden, now: the batch wants to put there. An error is the batch's, of which
// nothing has been written.
Result<> Writer::erase_hidden(leveldb::DB& db, const Batch& for_batch) {
  while (!ranges_.empty()) {
    Group group(db, ranges_);
    Result<> erased = group.add_chunk(kRangeHurry);
    if (!erased) {
      stop(erased.error());
      return Error(Errc::stopped, erased.error().to_string());
    }
    (void)sync(db, group.finish());
    look_for_space();
    if (auto may = may_write(for_batch); !may) return may;
  }
  return {};
}

Result<> Writer::sync(leveldb::DB& db, leveldb::WriteBatch& batch) {
  StoreEnv& env = database_.env();
  const std::uint64_t log_bytes = env.log_bytes();
  const std::uint64_t failed_syncs = env.failed_log_syncs();
  // Readers that see the write must look for the ranges that it hides.
  hidden_ = ranges_.size();
  leveldb::WriteOptions options;
  options.sync = true;
  const leveldb::Status status = db.Write(options, &batch);
  if (status.ok()) {
    ++groups_;
    for (ErasedPiece& piece : ranges_.confirm()) compactor_.hint(std::move(piece));
    hidden_ = ranges_.size();
    ranges_.empty() ? pace_.nothing_left() : pace_.wanted(std::chrono::steady_clock::now());
    return {};
  }
  const Error error = error_of(status);
  if (may_pass(error)) {
    broken_ = true;
    const Error full(Errc::store_full, error.detail);
    set_state(State::full, full);
    // A record that the log did not take whole is never read again. One that was written, and then
    // could not be synced, may be.
    if (env.failed_log_syncs() == failed_syncs) return full;
    return Error(Errc::io_error, error.detail);
  }
  stop(error);
  // LevelDB had met an error before this write began.
  if (env.log_bytes() == log_bytes) return Error(Errc::stopped, error.to_string());
  return Error(Errc::io_error, error.detail);
}

void Writer::complete(std::span<Commit> commits, const std::vector<Result<>>& outcomes) {
  assert(commits.size() == outcomes.size());
  for (std::size_t i = 0; i < commits.size(); ++i) {
    queue_.finished(1, commits[i].batch.bytes());
    ++(outcomes[i] ? committed_ : refused_);
    const Store::Completion done = std::move(commits[i].done);
    commits[i].batch = Batch();  // its memory is free before the next completion runs
    if (done) done(outcomes[i]);
  }
}

void Writer::stop(Error reason) {
  set_state(State::stopped, std::move(reason));
}

void Writer::set_state(State next, Error reason, bool reserve_open) {
  const std::lock_guard lock(state_mutex_);
  if (state_ == State::closed) return;
  state_ = next;
  reserve_open_ = reserve_open;
  reason_ = std::move(reason);
}

State Writer::state() const {
  const std::lock_guard lock(state_mutex_);
  return state_;
}

Report Writer::report() const {
  Report report;
  {
    const std::lock_guard lock(state_mutex_);
    report.state = state_;
    report.reason = reason_;
  }
  report.committed = committed_;
  report.refused = refused_;
  report.groups = groups_;
  report.syncs = database_.env().syncs();
  report.queued_batches = queue_.batches();
  report.queued_bytes = queue_.bytes();
  report.erasing_ranges = hidden_;
  report.reopened = reopened_;
  report.snapshots = database_.snapshots();
  report.damage = database_.damage();
  return report;
}

}  // namespace starbus::storage
