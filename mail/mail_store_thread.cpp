#include "mail/mail_store_thread.hpp"

#include <utility>

#include "base/wall_clock.hpp"
#include "mail/repair/backup.hpp"

namespace starbus::mail {

MailStoreThread::MailStoreThread(MailStoreSettings settings, MailStoreHooks hooks)
    : settings_(std::move(settings)), hooks_(std::move(hooks)), thread_([this] { run(); }) {}

MailStoreThread::~MailStoreThread() {
  leave({});
  thread_.join();
}

void MailStoreThread::run() {
  store_thread_.rebind();
  for (auto store = open(); store; store = open()) {
    if (!serve(std::move(store))) break;
  }
  const std::lock_guard lock(mutex_);
  if (left_) std::exchange(left_, {})();
}

/// Serves until the thread must end (false), or until the store is closed for a repair or for
/// another program (true).
bool MailStoreThread::serve(std::unique_ptr<storage::Store> store) {
  auto process = std::make_unique<StoreProcess>(settings_, hooks_, std::move(store),
                                                [this] { return may_repair(); });
  StoreProcess* const running = process.get();
  {
    const std::lock_guard lock(mutex_);
    process_ = std::move(process);
    if (leaving_) running->leave();
  }
  running->run();
  if (!running->damage() && !running->detached()) return false;
  std::function<void()> detached;
  {
    const std::lock_guard lock(mutex_);
    if (leaving_) return false;
    repairing_ = running->damage().has_value();
    process = std::move(process_);
    detached = std::exchange(detached_, {});
  }
  const std::optional<storage::Error> damage = process->damage();
  process.reset();
  if (detached) detached();
  if (damage) repair_after(*damage);
  return true;
}

void MailStoreThread::repair_after(const storage::Error& damage) {
  const auto repaired = repair_files(damage);
  const std::lock_guard lock(mutex_);
  repairing_ = false;
  // The program that has it open may repair it; if not, the damage is met again.
  if (!repaired && repaired.error() != storage::Errc::in_use) unopened_ = repaired.error();
}

void MailStoreThread::leave(std::function<void()> left) {
  const std::lock_guard lock(mutex_);
  left_ = std::move(left);
  if (std::exchange(leaving_, true)) return;
  changed_.notify_all();
  if (process_) process_->leave();
}

MailStoreFigures MailStoreThread::figures() const {
  const std::lock_guard lock(mutex_);
  return process_ ? process_->figures() : MailStoreFigures{};
}

bool MailStoreThread::is_open() const {
  const std::lock_guard lock(mutex_);
  return process_ != nullptr;
}

bool MailStoreThread::opening() const {
  const std::lock_guard lock(mutex_);
  return process_ == nullptr && unopened_.code == storage::Errc::ok;
}

std::string_view MailStoreThread::state() const {
  {
    const std::lock_guard lock(mutex_);
    if (repairing_) return "repairing";
  }
  return opening() ? "opening" : storage::name_of(report().state);
}

storage::Report MailStoreThread::report() const {
  const std::lock_guard lock(mutex_);
  if (process_) return process_->report();
  storage::Report report;
  report.reason = unopened_;
  if (unopened_.code != storage::Errc::ok) report.state = storage::State::stopped;
  return report;
}

ScrubFigures MailStoreThread::scrub() const {
  const std::lock_guard lock(mutex_);
  return process_ ? process_->scrub() : ScrubFigures{};
}

std::uint64_t MailStoreThread::oldest_age_ms() const {
  const std::lock_guard lock(mutex_);
  const std::uint64_t time = process_ ? process_->oldest_ms() : 0;
  const std::uint64_t now = wall_ms();
  return time == 0 || time > now ? 0 : now - time;
}

DamageFigures MailStoreThread::damage() const {
  const std::lock_guard lock(mutex_);
  return damage_;
}

bool MailStoreThread::ask(Queries::Question question) {
  const std::lock_guard lock(mutex_);
  return process_ && process_->queries().ask(std::move(question));
}

storage::Result<> MailStoreThread::begin_backup(const std::filesystem::path& to) {
  const std::lock_guard lock(mutex_);
  if (!process_) return storage::Error(storage::Errc::closed);
  return process_->queries().begin_backup(to, settings_.host);
}

void MailStoreThread::stop_backup() {
  const std::lock_guard lock(mutex_);
  if (process_) process_->queries().stop_backup();
}

std::optional<Queries::Backup> MailStoreThread::backup() const {
  const std::lock_guard lock(mutex_);
  if (!process_) return std::nullopt;
  return process_->queries().backup();
}

bool MailStoreThread::detach(std::function<void()> closed) {
  const std::lock_guard lock(mutex_);
  if (!process_ || detached_ || leaving_) return false;
  detached_ = std::move(closed);
  process_->detach();
  return true;
}

bool MailStoreThread::acknowledge_damage(std::function<void(const storage::Result<>&)> done) {
  return ask([this, done = std::move(done)](const storage::Result<const storage::Snapshot*>& open) {
    // While it is repaired somebody else writes them.
    if (!open) return done(open.error());
    const auto acknowledged = storage::acknowledge_damage(options());
    if (acknowledged) {
      const std::lock_guard lock(mutex_);
      damage_.lost = damage_.repaired = 0;
      damage_.texts.clear();
    }
    done(acknowledged);
  });
}

bool MailStoreThread::purge(const std::string& name, std::uint64_t upto, Mail::Purged done) {
  const std::lock_guard lock(mutex_);
  if (process_) process_->purge(name, upto, std::move(done));
  return process_ != nullptr;
}

bool MailStoreThread::take(std::vector<std::uint8_t> shards, StoreProcess::Taken begun) {
  const std::lock_guard lock(mutex_);
  if (process_) process_->take(std::move(shards), std::move(begun));
  return process_ != nullptr;
}

bool MailStoreThread::offer(std::vector<std::uint8_t> shards, std::string host,
                            StoreProcess::Offered done) {
  const std::lock_guard lock(mutex_);
  if (process_) process_->offer(std::move(shards), std::move(host), std::move(done));
  return process_ != nullptr;
}

bool MailStoreThread::withdraw(std::vector<std::uint8_t> shards) {
  const std::lock_guard lock(mutex_);
  if (process_) process_->withdraw(std::move(shards));
  return process_ != nullptr;
}

bool MailStoreThread::stop_taking() {
  const std::lock_guard lock(mutex_);
  if (process_) process_->stop_taking();
  return process_ != nullptr;
}

}  // namespace starbus::mail
