#include "mail/mail_store_thread.hpp"

#include <utility>

#include "mail/repair/backup.hpp"

namespace starbus::bus::busd::mail {

Node::Node(NodeSettings settings, NodeHooks hooks)
    : settings_(std::move(settings)), hooks_(std::move(hooks)), thread_([this] { run(); }) {}

Node::~Node() {
  leave({});
  thread_.join();
}

void Node::run() {
  for (auto store = open(); store; store = open()) {
    if (!serve(std::move(store))) break;
  }
  const std::lock_guard lock(mutex_);
  if (left_) std::exchange(left_, {})();
}

/// Until it is to leave: false. True: it has met damage, and is closed.
bool Node::serve(std::unique_ptr<storage::Store> store) {
  auto process = std::make_unique<StoreProcess>(settings_, hooks_, std::move(store),
                                                [this] { return may_mend(); });
  StoreProcess* const running = process.get();
  {
    const std::lock_guard lock(mutex_);
    process_ = std::move(process);
    if (leaving_) running->leave();
  }
  running->run();
  if (!running->damage() && !running->lent()) return false;
  std::function<void()> lent;
  {
    const std::lock_guard lock(mutex_);
    if (leaving_) return false;
    mending_ = running->damage().has_value();
    process = std::move(process_);
    lent = std::exchange(lent_, {});
  }
  const std::optional<storage::Error> damage = process->damage();
  process.reset();
  if (lent) lent();
  if (damage) mend_after(*damage);
  return true;
}

void Node::mend_after(const storage::Error& damage) {
  const auto mended = mend_files(damage);
  const std::lock_guard lock(mutex_);
  mending_ = false;
  // Who has it open now may well mend it; if not, the damage is met again.
  if (!mended && mended.error() != storage::Errc::in_use) unopened_ = mended.error();
}

void Node::leave(std::function<void()> left) {
  const std::lock_guard lock(mutex_);
  left_ = std::move(left);
  if (std::exchange(leaving_, true)) return;
  changed_.notify_all();
  if (process_) process_->leave();
}

NodeFigures Node::figures() const {
  const std::lock_guard lock(mutex_);
  return process_ ? process_->figures() : NodeFigures{};
}

bool Node::is_open() const {
  const std::lock_guard lock(mutex_);
  return process_ != nullptr;
}

bool Node::opening() const {
  const std::lock_guard lock(mutex_);
  return process_ == nullptr && unopened_.code == storage::Errc::ok;
}

std::string_view Node::state() const {
  {
    const std::lock_guard lock(mutex_);
    if (mending_) return "mending";
  }
  return opening() ? "opening" : storage::name_of(report().state);
}

storage::Report Node::report() const {
  const std::lock_guard lock(mutex_);
  if (process_) return process_->report();
  storage::Report report;
  report.reason = unopened_;
  if (unopened_.code != storage::Errc::ok) report.state = storage::State::stopped;
  return report;
}

PatrolFigures Node::patrol() const {
  const std::lock_guard lock(mutex_);
  return process_ ? process_->patrol() : PatrolFigures{};
}

std::uint64_t Node::oldest_age_ms() const {
  const std::lock_guard lock(mutex_);
  const std::uint64_t time = process_ ? process_->oldest_ms() : 0;
  const std::uint64_t now = wall_clock_ms();
  return time == 0 || time > now ? 0 : now - time;
}

DamageFigures Node::damage() const {
  const std::lock_guard lock(mutex_);
  return damage_;
}

bool Node::ask(Desk::Question question) {
  const std::lock_guard lock(mutex_);
  return process_ && process_->desk().ask(std::move(question));
}

storage::Result<> Node::begin_backup(const std::filesystem::path& to) {
  const std::lock_guard lock(mutex_);
  if (!process_) return storage::Error(storage::Errc::closed);
  return process_->desk().begin_backup(to, settings_.host);
}

void Node::stop_backup() {
  const std::lock_guard lock(mutex_);
  if (process_) process_->desk().stop_backup();
}

std::optional<Desk::Backup> Node::backup() const {
  const std::lock_guard lock(mutex_);
  if (!process_) return std::nullopt;
  return process_->desk().backup();
}

bool Node::lend(std::function<void()> closed) {
  const std::lock_guard lock(mutex_);
  if (!process_ || lent_ || leaving_) return false;
  lent_ = std::move(closed);
  process_->lend();
  return true;
}

bool Node::acknowledge_damage(std::function<void(const storage::Result<>&)> done) {
  return ask([this, done = std::move(done)](const storage::Result<const storage::Snapshot*>& open) {
    // While it is mended somebody else writes them.
    if (!open) return done(open.error());
    const auto acknowledged = storage::acknowledge_damage(options());
    if (acknowledged) {
      const std::lock_guard lock(mutex_);
      damage_.lost = damage_.mended = 0;
      damage_.texts.clear();
    }
    done(acknowledged);
  });
}

bool Node::purge(const std::string& name, std::uint64_t upto, Mail::Purged done) {
  const std::lock_guard lock(mutex_);
  if (process_) process_->purge(name, upto, std::move(done));
  return process_ != nullptr;
}

bool Node::take(std::vector<std::uint8_t> shards, StoreProcess::Taken begun) {
  const std::lock_guard lock(mutex_);
  if (process_) process_->take(std::move(shards), std::move(begun));
  return process_ != nullptr;
}

bool Node::stop_taking() {
  const std::lock_guard lock(mutex_);
  if (process_) process_->stop_taking();
  return process_ != nullptr;
}

}  // namespace starbus::bus::busd::mail
