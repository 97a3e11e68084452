#include "mail/repair/oldest.hpp"

#include <algorithm>
#include <utility>

#include "mail/lost_row.hpp"
#include "mail/row_keys.hpp"
#include "mail/rows.hpp"

namespace starbus::mail {
namespace {

/// 0 is none.
std::uint64_t older_of(std::uint64_t a, std::uint64_t b) {
  return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b);
}

}  // namespace

OldestMail::OldestMail(const storage::Store& store) : store_(store), thread_([this] { run(); }) {}

OldestMail::~OldestMail() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::uint64_t OldestMail::time_ms() const {
  const std::lock_guard lock(mutex_);
  return older_of(latest_ms_, present_ms_);
}

void OldestMail::run() {
  for (std::unique_lock lock(mutex_); !ending_;) {
    lock.unlock();
    const auto begin = std::chrono::steady_clock::now();
    look_at_page();
    const auto took = std::chrono::steady_clock::now() - begin;
    const auto rest = std::max<std::chrono::steady_clock::duration>(kOldestRest, kRestShare * took);
    lock.lock();
    changed_.wait_for(lock, rest, [this] { return ending_; });
  }
}

/// What cannot be read is passed over, and a store that cannot be asked now is asked again later.
void OldestMail::look_at_page() {
  const std::string all(1, kBoxRows);
  const auto snapshot = store_.snapshot();
  if (!snapshot) return;
  const auto page =
      (*snapshot)->scan(from_.empty() ? all : from_, prefix_end(all), {.records = kOldestPage});
  if (!page) return;
  std::uint64_t oldest = 0;
  for (const storage::Record& record : page->records) {
    oldest = older_of(oldest, oldest_of(**snapshot, record).value_or(0));
  }
  from_ = page->next.value_or("");
  const std::lock_guard lock(mutex_);
  present_ms_ = older_of(present_ms_, oldest);
  if (from_.empty()) latest_ms_ = std::exchange(present_ms_, 0);
}

std::optional<std::uint64_t> OldestMail::oldest_of(const storage::Snapshot& snapshot,
                                                   const storage::Record& record) const {
  const auto key = read_mail_key(record.key);
  const auto box = decode_box(record.value);
  if (!key || !box || box->kind != PostTarget::mailbox || box->count() == 0) return std::nullopt;
  const auto first = snapshot.get(message_key(key->shard, key->id, box->floor + 1));
  const auto message = first && *first ? decode_message(**first) : std::nullopt;
  if (!message || is_lost(*message)) return std::nullopt;
  return message->time_ms;
}

}  // namespace starbus::mail
