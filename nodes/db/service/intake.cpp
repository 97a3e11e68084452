#include "nodes/db/service/intake.hpp"

#include <boost/asio/post.hpp>
#include <numeric>
#include <utility>

#include "nodes/db/limits.hpp"
#include "nodes/db/remote/wire.hpp"

namespace starbus::nodes::db {
namespace {

constexpr std::chrono::milliseconds kReplyRetry{10};

}  // namespace

Intake::Intake(boost::asio::io_context& loop, Handle handle)
    : loop_(loop), handle_(std::move(handle)), timer_(loop) {}

bool Intake::has_room(const bus::Process& caller, std::size_t bytes) const {
  if (waiting_.size() >= kInboxRequests || waiting_bytes_ + bytes > kInboxBytes) return false;
  const auto found = shares_.find(caller);
  return found == shares_.end() ||
         (found->second.requests < kCallerRequests && found->second.bytes + bytes <= kCallerBytes);
}

void Intake::take(bus::Call& call) {
  const std::size_t bytes = call.body().size();
  const bus::Process caller = call.origin();
  if (!has_room(caller, bytes)) {
    ++refused_;
    const Error busy(Errc::busy,
                     "too many requests waiting, of this process or in all; ask again later");
    return send(caller, call.responder(), encode_refusal(busy));
  }
  const std::uint64_t number = next_++;
  Share& share = shares_[caller];
  ++share.requests;
  share.bytes += bytes;
  waiting_bytes_ += bytes;
  waiting_[number] = {call.responder(), caller, bytes};
  handle_(bus::Bytes(call.body().begin(), call.body().end()), number);
}

std::function<void(std::uint64_t, bus::Bytes)> Intake::answer() {
  return [this, &loop = loop_, outbox = outbox_, weak = std::weak_ptr(alive_)](std::uint64_t number,
                                                                               bus::Bytes bytes) {
    const std::lock_guard lock(outbox->mutex);
    outbox->answers.emplace_back(number, std::move(bytes));
    if (std::exchange(outbox->posted, true)) return;
    boost::asio::post(loop, [this, weak] {
      if (!weak.expired()) collect();
    });
  };
}

void Intake::collect() {
  std::vector<std::pair<std::uint64_t, bus::Bytes>> answers;
  {
    const std::lock_guard lock(outbox_->mutex);
    answers.swap(outbox_->answers);
    outbox_->posted = false;
  }
  for (auto& [number, bytes] : answers) answered(number, std::move(bytes));
  tell_idle();
}

void Intake::answered(std::uint64_t number, bus::Bytes answer) {
  const auto found = waiting_.find(number);
  if (found == waiting_.end()) return;
  Waiting waiting = std::move(found->second);
  waiting_.erase(found);
  waiting_bytes_ -= waiting.bytes;
  const auto share = shares_.find(waiting.caller);
  share->second.bytes -= waiting.bytes;
  if (--share->second.requests == 0) shares_.erase(share);
  send(waiting.caller, std::move(waiting.responder), std::move(answer));
}

// --- answers that have to wait -------------------------------------------------------------------

/// In the order of the answers of one caller, so that a large one is not overtaken for ever.
void Intake::send(const bus::Process& caller, bus::Responder responder, bus::Bytes answer) {
  const auto queue = unsent_.find(caller);
  if (queue == unsent_.end()) {
    const auto sent = responder.reply(answer);
    if (sent || sent.error() != bus::Errc::would_block) {
      if (!sent) ++dropped_;
      return;
    }
  }
  if (unsent_bytes_ + answer.size() > kReplyBytes) {
    ++dropped_;
    return;
  }
  unsent_bytes_ += answer.size();
  unsent_[caller].push_back(
      {std::move(responder), std::move(answer), std::chrono::steady_clock::now()});
  retry_later();
}

void Intake::retry_later() {
  if (std::exchange(retrying_, true)) return;
  timer_.expires_after(kReplyRetry);
  timer_.async_wait([this, weak = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    if (!error && !weak.expired()) retry();
  });
}

void Intake::retry() {
  retrying_ = false;
  const auto now = std::chrono::steady_clock::now();
  for (auto at = unsent_.begin(); at != unsent_.end();) {
    auto& queue = at->second;
    while (!queue.empty()) {
      Unsent& unsent = queue.front();
      const auto sent = unsent.responder.reply(unsent.answer);
      const bool waits =
          !sent && sent.error() == bus::Errc::would_block && now - unsent.since < kReplyAge;
      if (waits) break;
      if (!sent) ++dropped_;
      unsent_bytes_ -= unsent.answer.size();
      queue.pop_front();
    }
    at = queue.empty() ? unsent_.erase(at) : std::next(at);
  }
  if (!unsent_.empty()) retry_later();
  tell_idle();
}

// --- the end, and figures ------------------------------------------------------------------------

void Intake::when_idle(std::function<void()> done) {
  idle_ = std::move(done);
  tell_idle();
}

void Intake::tell_idle() {
  if (!idle_ || !waiting_.empty() || !unsent_.empty()) return;
  std::exchange(idle_, nullptr)();
}

IntakeFigures Intake::figures() const {
  const auto add = [](std::size_t sum, const auto& row) { return sum + row.second.size(); };
  return {waiting_.size(),
          waiting_bytes_,
          shares_.size(),
          refused_,
          std::accumulate(unsent_.begin(), unsent_.end(), std::size_t{0}, add),
          unsent_bytes_,
          dropped_};
}

}  // namespace starbus::nodes::db
