#include "nodes/db/service/engine.hpp"

#include <utility>

#include "nodes/db/service/store_identity.hpp"
#include "storage/bulk_writer.hpp"
#include "storage/recovery/repair.hpp"

namespace starbus::nodes::db {

Engine::Engine(Settings settings, Hooks hooks)
    : settings_(std::move(settings)), hooks_(std::move(hooks)), thread_([this] { run(); }) {}

Engine::~Engine() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  posted_.notify_one();
  thread_.join();
}

void Engine::run_later(WorkName, Closure closure) {
  {
    const std::lock_guard lock(mutex_);
    closures_.push_back(std::move(closure));
  }
  posted_.notify_one();
}

void Engine::run() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    posted_.wait_for(lock, kPublish, [this] { return ending_ || !closures_.empty(); });
    std::deque<Closure> closures = std::exchange(closures_, {});
    lock.unlock();
    for (Closure& closure : closures) std::exchange(closure, nullptr)();
    publish();
    lock.lock();
  }
  lock.unlock();
  close();
}

/// Waiting requests are dropped: no caller is left. The store first: its completions still use the
/// database.
void Engine::close() {
  if (store_) store_->close();
  database_.reset();
  handler_.reset();
  const std::lock_guard lock(mutex_);
  closures_.clear();
}

// --- opening -------------------------------------------------------------------------------------

void Engine::open(std::function<void(const Result<>&)> opened) {
  run_later("open", [this, opened = std::move(opened)] {
    if (database_) return opened({});
    if (const auto result = open_now(); !result) return opened(result);
    declare(0, opened);
  });
}

Result<> Engine::open_now() {
  auto store = storage::open_store({.folder = settings_.folder,
                                    .env = settings_.env,
                                    .headroom = settings_.headroom,
                                    .repair_logs = storage::repair_logs});
  if (!store) {
    // No code of the database says what these do.
    if (store.error() == storage::Errc::in_use) {
      return Error(Errc::unavailable, store.error().to_string());
    }
    return error_of(store.error());
  }
  store_ = std::move(*store);
  if (const auto named = name_store(); !named) return named;
  if (const auto identified = identify_store(); !identified) return identified;
  measured_ = std::make_unique<storage::MeasuredStore>(*store_, hooks_.measured);
  auto database = StoreDatabase::open(*measured_, *this);
  if (!database) return database.error();
  database_ = std::move(*database);
  handler_ = std::make_unique<RequestHandler>(*database_, settings_.scope);
  return {};
}

/// A folder belongs to one database for good: one that was given to another by mistake would mix
/// their documents.
Result<> Engine::name_store() {
  const std::string& name = settings_.scope.database;
  const auto known = store_->get(kNameKey);
  if (!known) return error_of(known.error());
  if (known->has_value()) {
    if (**known == name) return {};
    return Error(Errc::not_here,
                 settings_.folder.string() + " has the database " + **known + ", not " + name);
  }
  storage::Batch batch;
  batch.put(kNameKey, name);
  const auto written = storage::commit_and_wait(*store_, std::move(batch));
  return written ? Result<>() : Result<>(error_of(written.error()));
}

Result<> Engine::identify_store() {
  const auto known = store_->get(kIdentityKey);
  if (!known) return error_of(known.error());
  if (known->has_value()) {
    identity_ = **known;
    return {};
  }
  identity_ = draw_identity();
  storage::Batch batch;
  batch.put(kIdentityKey, identity_);
  const auto written = storage::commit_and_wait(*store_, std::move(batch));
  return written ? Result<>() : Result<>(error_of(written.error()));
}

void Engine::declare(std::size_t index, std::function<void(const Result<>&)> opened) {
  if (index == settings_.indexes.size()) {
    publish();
    return opened({});
  }
  const auto taken = database_->declare_index(
      settings_.indexes[index], [this, index, opened](const Result<>& declared) {
        declared ? declare(index + 1, opened) : opened(declared);
      });
  if (!taken) opened(taken);
}

// --- requests ------------------------------------------------------------------------------------

void Engine::handle(bus::Bytes body, RequestHandler::Reply reply) {
  run_later("request", [this, body = std::move(body), reply = std::move(reply)] {
    handler_->handle(body, reply);
  });
}

// --- what others see -----------------------------------------------------------------------------

void Engine::publish() {
  const auto now = std::chrono::steady_clock::now();
  if (!handler_ || (figures_.open && now - published_ < kPublish)) return;
  published_ = now;
  EngineFigures figures{true, database_->report(), store_->report(), handler_->counters(),
                        identity_};
  const bool stopped = figures.storage.state == storage::State::stopped && !told_;
  told_ |= stopped;
  const storage::Error reason = figures.storage.reason;
  {
    const std::lock_guard lock(mutex_);
    figures_ = std::move(figures);
  }
  if (stopped) hooks_.stopped(reason);
}

EngineFigures Engine::figures() const {
  const std::lock_guard lock(mutex_);
  return figures_;
}

}  // namespace starbus::nodes::db
