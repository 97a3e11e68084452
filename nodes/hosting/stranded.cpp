#include "nodes/hosting/stranded.hpp"

#include <utility>

#include "nodes/hosting/limits.hpp"

namespace starbus::nodes::entities {

bus::Handlers Stranded::handlers(const std::shared_ptr<Stranded>& stranded) {
  bus::Handlers made;
  made.on_message = [stranded](bus::Message& message) {
    if (stranded->lives_) return stranded->handlers_.on_message(message);
    if (stranded->ended_ == bus::Errc::ok && stranded->held_.size() < kHeldMessages) {
      stranded->held_.emplace_back(message.detach());
    } else {
      ++stranded->dropped;
    }
  };
  made.on_call = [stranded](bus::Call& call) {
    if (stranded->lives_) return stranded->handlers_.on_call(call);
    if (stranded->ended_ != bus::Errc::ok) return static_cast<void>(call.fail(stranded->ended_));
    if (stranded->held_.size() < kHeldMessages) {
      stranded->held_.emplace_back(call.detach());
    } else {
      static_cast<void>(
          call.fail({bus::Errc::busy, "the entity has arrived and is not activated yet"}));
    }
  };
  return made;
}

void Stranded::hand_over(Held& held) {
  if (auto* call = std::get_if<bus::Call>(&held)) return handlers_.on_call(*call);
  handlers_.on_message(std::get<bus::Message>(held));
}

void Stranded::go_on(bus::Handlers handlers) {
  handlers_ = std::move(handlers);
  lives_ = true;
  std::deque<Held> held = std::exchange(held_, {});
  for (Held& each : held) hand_over(each);
}

void Stranded::end(const bus::Error& why) {
  ended_ = why;
  for (Held& each : std::exchange(held_, {})) {
    if (auto* call = std::get_if<bus::Call>(&each)) {
      static_cast<void>(call->fail(why));
    } else {
      ++dropped;
    }
  }
}

}  // namespace starbus::nodes::entities
