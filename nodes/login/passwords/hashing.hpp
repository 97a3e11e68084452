/// Hashes passwords on workers, so many at a time that their memory stays within a bound; the
/// others wait in order.
///
/// Belongs to the loop's thread; the TaskChannels outlive it. Its end drops what has not been
/// answered. Passwords are wiped when they have been used.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "bus/core/bytes.hpp"
#include "nodes/login/passwords/limits.hpp"
#include "nodes/login/passwords/password_hash.hpp"
#include "nodes/runtime/tasks/task_channels.hpp"

namespace starbus::nodes::login {

/// What must not stay in memory: wiped at its end. Immutable; shared between threads.
class Secret {
 public:
  explicit Secret(std::string text) : text_(std::move(text)) {}
  explicit Secret(bus::ByteView bytes) : text_(bus::as_text(bytes)) {}
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  ~Secret();
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};
using Password = std::shared_ptr<const Secret>;

class Hashing {
 public:
  template <class T>
  using Done = std::function<void(Result<T>)>;

  /// A hash that needs more than `memory_kib` runs alone.
  explicit Hashing(TaskChannels& tasks, std::uint64_t memory_kib = kHashingMemory)
      : tasks_(tasks), most_(memory_kib) {}

  /// Answers later, on the loop, with the errors of password_hash.hpp. Error: too_many
  /// (kHashesWaiting, or the workers have too much to do); then `done` is not called. It may be an
  /// answer as well.
  Result<> hash(const Password& password, const HashCost& cost, Done<std::string> done);
  Result<> check(std::string hash, const Password& password, Done<bool> done);

  std::uint64_t memory_in_use() const { return in_use_; }  // KiB
  std::size_t waiting() const { return waiting_.size(); }

 private:
  struct Job {
    std::uint64_t memory = 0;
    std::function<Result<>(Hashing&)> start;
    std::function<void(Error)> fail;
  };
  template <class T, class Work>
  Result<> add(std::uint64_t memory, Work work, Done<T> done);
  Result<> run(const Job& job);
  void start();
  void ended(std::uint64_t memory);

  TaskChannels& tasks_;
  const std::uint64_t most_;
  std::uint64_t in_use_ = 0;
  std::size_t running_ = 0;
  std::deque<Job> waiting_;
  TaskOwner owner_;
};

}  // namespace starbus::nodes::login
