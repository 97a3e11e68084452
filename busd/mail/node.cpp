#include "busd/mail/node.hpp"

#include <utility>

namespace starbus::bus::busd::mail {

Node::Node(NodeSettings settings, NodeHooks hooks)
    : settings_(std::move(settings)), hooks_(std::move(hooks)), thread_([this] { run(); }) {}

Node::~Node() {
  leave({});
  thread_.join();
}

void Node::run() {
  auto store = open();
  if (store) {
    auto process = std::make_unique<StoreProcess>(settings_, hooks_, std::move(store));
    StoreProcess* const running = process.get();
    {
      const std::lock_guard lock(mutex_);
      process_ = std::move(process);
      if (leaving_) running->leave();
    }
    running->run();
  }
  const std::lock_guard lock(mutex_);
  if (left_) std::exchange(left_, {})();
}

/// Null: it is to leave, or the store cannot be opened.
std::unique_ptr<storage::Store> Node::open() {
  for (bool said = false;; said = true) {
    auto store = storage::open_store({.folder = settings_.folder, .env = settings_.env});
    if (store) return std::move(*store);
    const storage::Error& why = store.error();
    std::unique_lock lock(mutex_);
    if (leaving_) return nullptr;
    if (why.code != storage::Errc::in_use) {
      unopened_ = why;
      lock.unlock();
      hooks_.stopped(why);
      lock.lock();
      changed_.wait(lock, [this] { return leaving_; });
      return nullptr;
    }
    if (!said) hooks_.trouble(why.to_string() + "; it is tried again every second");
    if (changed_.wait_for(lock, kOpenAgain, [this] { return leaving_; })) return nullptr;
  }
}

void Node::leave(std::function<void()> left) {
  const std::lock_guard lock(mutex_);
  left_ = std::move(left);
  if (std::exchange(leaving_, true)) return;
  changed_.notify_all();
  if (process_) process_->leave();
}

StoreProcess* Node::process() const {
  const std::lock_guard lock(mutex_);
  return process_.get();
}

NodeFigures Node::figures() const {
  const StoreProcess* const running = process();
  return running != nullptr ? running->figures() : NodeFigures{};
}

bool Node::opening() const {
  const std::lock_guard lock(mutex_);
  return process_ == nullptr && unopened_.code == storage::Errc::ok;
}

std::string_view Node::state() const {
  return opening() ? "opening" : storage::name_of(report().state);
}

storage::Report Node::report() const {
  if (const StoreProcess* const running = process()) return running->report();
  storage::Report report;
  const std::lock_guard lock(mutex_);
  report.reason = unopened_;
  if (unopened_.code != storage::Errc::ok) report.state = storage::State::stopped;
  return report;
}

PatrolFigures Node::patrol() const {
  const StoreProcess* const running = process();
  return running != nullptr ? running->patrol() : PatrolFigures{};
}

Desk* Node::desk() {
  StoreProcess* const running = process();
  return running != nullptr ? &running->desk() : nullptr;
}

bool Node::purge(const std::string& name, std::uint64_t upto, Mail::Purged done) {
  StoreProcess* const running = process();
  if (running == nullptr) return false;
  running->purge(name, upto, std::move(done));
  return true;
}

bool Node::take(std::vector<std::uint8_t> shards, StoreProcess::Taken begun) {
  StoreProcess* const running = process();
  if (running == nullptr) return false;
  running->take(std::move(shards), std::move(begun));
  return true;
}

bool Node::stop_taking() {
  StoreProcess* const running = process();
  if (running != nullptr) running->stop_taking();
  return running != nullptr;
}

}  // namespace starbus::bus::busd::mail
