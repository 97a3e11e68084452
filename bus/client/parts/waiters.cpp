#include "bus/client/parts/waiters.hpp"

#include <utility>

namespace starbus::bus {
namespace {

constexpr std::size_t kNamedInFlush = 3;  // channels in the error of a flush

}  // namespace

void Waiters::on_connected() {
  for (auto& done : std::exchange(connects_, {})) context_.complete<void>(std::move(done), {});
}

void Waiters::flush(std::chrono::milliseconds deadline, Done<> done) {
  flushes_.push_back(
      {context_.process.origin().mark(), io::boot_now() + deadline, held() != 0, std::move(done)});
  check_flushes();
}

void Waiters::check_flushes() {
  if (flushes_.empty()) return;
  const Time now = io::boot_now();
  std::erase_if(flushes_, [&](Flush& waiter) {
    const bool waits = waiter.held && held() != 0;
    const bool settled = !waits && context_.process.origin().settled(waiter.mark);
    if (!settled && now < waiter.deadline) return false;
    context_.complete<void>(
        std::move(waiter.done),
        settled ? Result<>() : Error{Errc::deadline, describe_unacknowledged()});
    return true;
  });
}

void Waiters::on_release() {
  for (Flush& waiter : flushes_) {
    if (waiter.held) waiter.mark = context_.process.origin().mark();
  }
}

void Waiters::room(const ChannelId& channel, Lane lane, Done<> done) {
  rooms_.push_back({channel, lane, std::move(done)});
  on_room();
}

void Waiters::on_room() {
  std::erase_if(rooms_, [&](Room& waiter) {
    if (!context_.process.origin().has_room(waiter.channel, waiter.lane)) return false;
    context_.complete<void>(std::move(waiter.done), {});
    return true;
  });
}

void Waiters::shut(const Error& reason) {
  const auto end = [&](Done<>& done) { context_.complete<void>(std::move(done), reason); };
  for (auto& done : std::exchange(connects_, {})) end(done);
  for (auto& waiter : std::exchange(flushes_, {})) end(waiter.done);
  for (auto& waiter : std::exchange(rooms_, {})) end(waiter.done);
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
