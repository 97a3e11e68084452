#include "bus/client/parts/waiters.hpp"

#include <algorithm>
#include <utility>

namespace starbus::bus {
namespace {

constexpr std::size_t kNamedInFlush = 3;  // channels in the error of a flush

}  // namespace

void Waiters::on_connected() {
  for (auto& done : std::exchange(connects_, {})) context_.complete<void>(std::move(done), {});
}

void Waiters::flush(std::chrono::milliseconds deadline, Done<> done) {
  const Time end = io::boot_now() + deadline;
  earliest_ = std::min(earliest_, end);
  flushes_.push_back({context_.process.origin().mark(), end, held() != 0, std::move(done)});
  check_flushes();
}

void Waiters::check_flushes() {
  while (!flushes_.empty()) {
    Flush& first = flushes_.front();
    const bool waits = first.held && held() != 0;
    if (waits || !context_.process.origin().settled(first.mark)) break;
    context_.complete<void>(std::move(first.done), {});
    flushes_.pop_front();
  }
  if (flushes_.empty()) {
    earliest_ = kNoDeadline;
  } else if (const Time now = io::boot_now(); now >= earliest_) {
    end_late_flushes(now);
  }
}

void Waiters::end_late_flushes(Time now) {
  earliest_ = kNoDeadline;
  std::erase_if(flushes_, [&](Flush& waiter) {
    if (now < waiter.deadline) {
      earliest_ = std::min(earliest_, waiter.deadline);
      return false;
    }
    context_.complete<void>(std::move(waiter.done),
                            Error{Errc::deadline, describe_unacknowledged()});
    return true;
  });
}

void Waiters::on_release() {
  const bool last = held() == 0;
  for (Flush& waiter : flushes_) {
    if (!waiter.held) continue;
    waiter.mark = context_.process.origin().mark();
    waiter.held = !last;
  }
}

void Waiters::shut(const Error& reason) {
  const auto end = [&](Done<>& done) { context_.complete<void>(std::move(done), reason); };
  for (auto& done : std::exchange(connects_, {})) end(done);
  for (auto& waiter : std::exchange(flushes_, {})) end(waiter.done);
}

std::string Waiters::describe_unacknowledged() const {
  std::string text = "unacknowledged messages remain";
  const char* separator = ": ";
  for (const Unacknowledged& each : unacknowledged(kNamedInFlush)) {
    text.append(std::exchange(separator, ", ")).append(std::to_string(each.messages));
    text.append(" for ").append(each.channel);
  }
  return text;
}

std::vector<Unacknowledged> Waiters::unacknowledged(std::size_t most) const {
  std::vector<Unacknowledged> rows;
  for (const Origin::Waiting& waiting : context_.process.origin().unacknowledged(most)) {
    std::string name = context_.names.text_of(waiting.channel);
    if (name.empty()) name = waiting.channel.to_string();
    rows.push_back({std::move(name), waiting.lane, waiting.messages, waiting.bytes});
  }
  return rows;
}

}  // namespace starbus::bus
