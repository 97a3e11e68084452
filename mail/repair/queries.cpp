#include "mail/repair/queries.hpp"

#include <array>
#include <utility>

#include "base/wall_clock.hpp"

namespace starbus::mail {

std::string_view name_of(Queries::BackupState state) {
  static constexpr std::array<std::string_view, 4> kNames = {"none", "running", "done", "failed"};
  return kNames.at(static_cast<std::size_t>(state));
}

Queries::Queries(storage::Store& store) : store_(store), thread_([this] { work(); }) {}

Queries::~Queries() {
  backup_stops_ = true;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
  if (backup_thread_.joinable()) backup_thread_.join();
  for (const Question& question : questions_) question(storage::Error(storage::Errc::closed));
}

bool Queries::ask(Question question) {
  {
    const std::lock_guard lock(mutex_);
    if (questions_.size() >= kStoreQuestions) return false;
    questions_.push_back(std::move(question));
  }
  changed_.notify_all();
  return true;
}

void Queries::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !questions_.empty(); });
    if (ending_) return;
    const Question question = std::move(questions_.front());
    questions_.pop_front();
    lock.unlock();
    if (const auto snapshot = store_.snapshot()) {
      question(snapshot->get());
    } else {
      question(snapshot.error());
    }
    lock.lock();
  }
}

storage::Result<> Queries::begin_backup(const std::filesystem::path& to, const std::string& host) {
  // The rest of what may be wrong with it is the disk's to say, and so the thread's to ask.
  if (!to.is_absolute()) {
    return storage::Error(storage::Errc::bad_batch, "give an absolute path, such as /backup/mail");
  }
  const std::lock_guard lock(mutex_);
  if (backup_.state == BackupState::running) {
    return storage::Error(storage::Errc::would_block, "a backup to " + backup_.to + " is running");
  }
  if (backup_thread_.joinable()) backup_thread_.join();  // it has said its last
  backup_ = {BackupState::running, to.string(), {}, {}};
  backup_.facts.host = host;
  backup_.facts.begun_ms = wall_ms();
  backup_stops_ = false;
  backup_thread_ = std::thread([this, to, begun = backup_.facts] { copy(to, begun); });
  return {};
}

void Queries::copy(const std::filesystem::path& to, const BackupFacts& begun) {
  const auto progress = [this](const BackupFacts& so_far) {
    const std::lock_guard lock(mutex_);
    backup_.facts = so_far;
    return !backup_stops_;
  };
  auto end = storage::Result<BackupFacts>(storage::Error{});
  if (const auto snapshot = store_.snapshot()) {
    end = copy_store(**snapshot, to, begun, progress);
  } else {
    end = snapshot.error();
  }
  const std::lock_guard lock(mutex_);
  backup_.state = end ? BackupState::done : BackupState::failed;
  if (end) backup_.facts = *end;
  if (!end) backup_.error = end.error();
}

Queries::Backup Queries::backup() const {
  const std::lock_guard lock(mutex_);
  return backup_;
}

}  // namespace starbus::mail
