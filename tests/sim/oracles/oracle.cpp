#include "tests/sim/oracles/oracle.hpp"

namespace starbus::sim {

MessageId Oracle::issue(const Sender& sender, NameIndex receiver, bus::Lane lane) {
  const auto fresh = static_cast<std::uint32_t>(streams_.size());
  const auto [place, added] = by_key_.try_emplace({sender, receiver, lane}, fresh);
  if (added) streams_.push_back({sender, receiver, lane, {}, 0});
  Stream& stream = streams_[place->second];
  messages_.push_back({place->second, static_cast<std::uint32_t>(stream.messages.size() + 1)});
  stream.messages.push_back(messages_.size());
  return messages_.size();
}

void Oracle::retract(MessageId id) {
  if (id != messages_.size()) throw std::logic_error("only the latest message can be retracted");
  streams_[messages_.back().stream].messages.pop_back();
  messages_.pop_back();
}

void Oracle::handled(MessageId id) {
  Message& message = at(id);
  if (message.handled) broken(id, "handled twice");
  if (message.refused) broken(id, "handled after a definite refusal");
  message.handled = true;
  Stream& stream = streams_[message.stream];
  if (message.number < stream.last_handled) {
    broken(id, "handled after its successor " + std::to_string(stream.last_handled));
  }
  for (std::uint32_t number = stream.last_handled + 1; number < message.number; ++number) {
    if (!excused(at(stream.messages[number - 1]))) {
      broken(id, "handled, but its predecessor " + std::to_string(number) +
                     " is neither handled nor reported");
    }
  }
  stream.last_handled = message.number;
}

void Oracle::tell(MessageId id) {
  Message& message = at(id);
  if (message.told) broken(id, "two outcomes were told");
  message.told = true;
}

void Oracle::acknowledged(MessageId id) {
  tell(id);
  if (!at(id).handled) broken(id, "acknowledged, but no handler has seen it");
}

void Oracle::failed(MessageId id, bus::Errc reason, bool sent, bool excusable, std::uint64_t stay) {
  tell(id);
  Message& message = at(id);
  const std::string what(bus::name_of(reason));
  if (reason == bus::Errc::no_owner && sent) broken(id, "no_owner for a message that had left");
  if (!sent && message.handled) broken(id, "definite failure (" + what + ") of a handled message");
  if (!excusable && disturbances_ == 0 && reason != bus::Errc::expired) {
    broken(id, "false failure (" + what + "): nobody died");
  }
  if (reason == bus::Errc::owner_lost && message.stay != 0 && message.stay == stay) {
    broken(id, "owner_lost, but its owner was there when it was sent, and is there now");
  }
  (sent ? message.excused : message.refused) = true;
}

bool Oracle::concluded(MessageId id) const {
  const Message& message = messages_.at(id - 1);
  return message.handled || excused(message);
}

void Oracle::begin_life(NameIndex name, std::uint64_t life, const EntityState& state) {
  lives_[{name, life}] = state;
}

void Oracle::life_handled(NameIndex name, std::uint64_t life, MessageId id) {
  lives_[{name, life}].take(id);
}

void Oracle::check_state(NameIndex name, std::uint64_t life, const EntityState& state,
                         const std::string& where) const {
  const auto found = lives_.find({name, life});
  if (found != lives_.end() && found->second == state) return;
  const std::uint64_t known = found == lives_.end() ? 0 : found->second.handled;
  throw Violation("state of " + name_of(name) + " at " + where +
                  " is not what its life has handled: " + std::to_string(state.handled) +
                  " messages against " + std::to_string(known));
}

template <class Found>
void Oracle::find_unconcluded(const std::function<bool(const Sender&)>& lives,
                              Found&& found) const {
  for (const Stream& stream : streams_) {
    if (!lives(stream.sender)) continue;
    for (const MessageId id : stream.messages) {
      if (!concluded(id) && !found(id)) return;
    }
  }
}

void Oracle::check_end(const std::function<bool(const Sender&)>& lives) const {
  find_unconcluded(lives, [&](MessageId id) -> bool { broken(id, "vanished silently"); });
}

bool Oracle::all_concluded(const std::function<bool(const Sender&)>& lives) const {
  bool all = true;
  find_unconcluded(lives, [&](MessageId) { return all = false; });
  return all;
}

std::string Oracle::describe(MessageId id) const {
  const Message& message = messages_.at(id - 1);
  const Stream& stream = streams_[message.stream];
  return "message " + std::to_string(id) + " (" + name_of(stream.sender.name) + " to " +
         name_of(stream.receiver) + ", " + std::string(bus::name_of(stream.lane)) + ", number " +
         std::to_string(message.number) + " of life " + std::to_string(stream.sender.life) + ")";
}

void Oracle::broken(MessageId id, const std::string& promise) const {
  throw Violation(describe(id) + ": " + promise);
}

}  // namespace starbus::sim
