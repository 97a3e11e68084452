#include "bus/client/handed_sends.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "base/unit_guard.hpp"
#include "bus/client/bus_core.hpp"

namespace starbus::bus {

Result<> HandedSends::add(HandedMessage message) {
  if (message.body.size() > kMaxBody) {
    return Error{Errc::too_large, std::to_string(message.body.size()) + " bytes"};
  }
  const std::scoped_lock lock(mutex_);
  if (closed_) return Error{Errc::closed};
  const std::size_t charge = charge_of(message);
  const bool full = messages_.size() >= kHandedSends || bytes_ + charge > kHandedBytes;
  if (full && !messages_.empty()) {
    return Error{Errc::would_block, "the loop has not taken what was handed over"};
  }
  messages_.push_back(std::move(message));
  bytes_ += charge;
  if (!std::exchange(take_posted_, true)) take_later();
  return {};
}

void HandedSends::take_later() {
  boost::asio::post(loop_, [self = shared_from_this()] { self->take(); });
}

void HandedSends::take() {
  std::deque<HandedMessage> taken;
  {
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < kHandedPass && !messages_.empty(); ++i) {
      bytes_ -= charge_of(messages_.front());
      taken.push_back(std::move(messages_.front()));
      messages_.pop_front();
    }
    take_posted_ = !messages_.empty();
    if (take_posted_) take_later();
  }
  const auto bus = bus_.lock();
  if (!bus) return;  // `shut` has completed all that waited then
  for (HandedMessage& message : taken) bus->send_handed(std::move(message));
}

void HandedSends::shut(const Error& reason) {
  std::deque<HandedMessage> left;
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    left = std::exchange(messages_, {});
    bytes_ = 0;
  }
  for (HandedMessage& message : left) {
    if (!message.done) continue;
    boost::asio::post(loop_, [done = std::move(message.done), reason] {
      guarded(UnitKind::completion, done.target_type(), [&] { done(reason); });
    });
  }
}

}  // namespace starbus::bus
