#include "nodes/hosting/stranded.hpp"

#include <utility>

#include "entity/rpc/wire.hpp"
#include "nodes/hosting/limits.hpp"

namespace starbus::nodes::entities {
namespace {

/// Answers as the entity's own endpoint does, so that the caller sees the code itself.
void refuse(bus::Call& call, const bus::Error& why) {
  bus::Bytes answer;
  entity::Encoder out(answer);
  entity::rpc::put_error(out, entity::rpc::from_bus(why));
  static_cast<void>(call.reply(answer));
}

}  // namespace

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
    if (stranded->ended_ != bus::Errc::ok) return refuse(call, stranded->ended_);
    if (stranded->held_.size() < kHeldMessages) {
      stranded->held_.emplace_back(call.detach());
    } else {
      refuse(call, {bus::Errc::busy, "the entity has arrived and is not activated yet"});
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
      refuse(*call, why);
    } else {
      ++dropped;
    }
  }
}

}  // namespace starbus::nodes::entities
