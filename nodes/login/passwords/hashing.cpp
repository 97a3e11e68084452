#include "nodes/login/passwords/hashing.hpp"

#include <openssl/crypto.h>

namespace starbus::nodes::login {
namespace {

/// What a task returns: a result of a result would not know whose error it has.
template <class T>
struct Hashed {
  Result<T> result;
};

Error of_workers(const bus::Error& error) {
  return Error(Errc::too_many, "workers: " + error.to_string() + "; try again later");
}

}  // namespace

Secret::~Secret() {
  OPENSSL_cleanse(text_.data(), text_.size());
}

Result<> Hashing::hash(const Password& password, const HashCost& cost, Done<std::string> done) {
  return add<std::string>(
      cost.memory_kib, [password, cost] { return hash_password(password->text(), cost); },
      std::move(done));
}

Result<> Hashing::check(std::string hash, const Password& password, Done<bool> done) {
  const auto cost = cost_of(hash);  // of a malformed one the worker says so
  return add<bool>(
      cost ? cost->memory_kib : 0,
      [password, hash = std::move(hash)] { return is_password(hash, password->text()); },
      std::move(done));
}

template <class T, class Work>
Result<> Hashing::add(std::uint64_t memory, Work work, Done<T> done) {
  const auto told = std::make_shared<Done<T>>(std::move(done));
  Job job;
  job.memory = memory;
  job.start = [memory, told, work = std::move(work)](Hashing& self) -> Result<> {
    const auto taken = self.tasks_.submit(
        "", self.owner_, [work] { return Hashed<T>{work()}; },
        [&self, memory, told](bus::Result<Hashed<T>> hashed) {
          self.ended(memory);
          (*told)(hashed ? std::move(hashed->result) : Result<T>(of_workers(hashed.error())));
        });
    if (!taken) return of_workers(taken.error());
    return {};
  };
  job.fail = [told](Error error) { (*told)(Result<T>(std::move(error))); };
  if (running_ == 0) return run(job);  // nobody waits then
  if (waiting_.size() >= kHashesWaiting) {
    return Error(Errc::too_many, "passwords: too many at a time; try again later");
  }
  waiting_.push_back(std::move(job));
  start();
  return {};
}

Result<> Hashing::run(const Job& job) {
  auto started = job.start(*this);
  if (!started) return started;
  in_use_ += job.memory;
  ++running_;
  return {};
}

void Hashing::start() {
  while (!waiting_.empty() && (running_ == 0 || in_use_ + waiting_.front().memory <= most_)) {
    const auto started = run(waiting_.front());
    if (!started && running_ > 0) return;  // again when one of these has ended
    const Job job = std::move(waiting_.front());
    waiting_.pop_front();
    if (!started) job.fail(started.error());
  }
}

void Hashing::ended(std::uint64_t memory) {
  in_use_ -= memory;
  --running_;
  start();
}

}  // namespace starbus::nodes::login
