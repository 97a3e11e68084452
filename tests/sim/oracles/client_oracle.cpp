#include "tests/sim/oracles/client_oracle.hpp"

namespace starbus::sim {
namespace {

using bus::Errc;

/// The bus says that no handler got it, and none will.
bool is_definite(const bus::Error& reason) {
  if (reason == Errc::expired) return reason.detail.ends_with("(it never left)");
  return reason == Errc::would_block || reason == Errc::no_owner || reason == Errc::denied ||
         reason == Errc::unreachable || reason == Errc::too_large;
}

/// The client itself was cut off, or its name is another's.
bool is_of_the_asker(const bus::Error& reason) {
  return reason == Errc::lease_lost || reason == Errc::name_taken;
}

}  // namespace

ClientOracle::Id ClientOracle::begin(Question question) {
  asked_.push_back({std::move(question)});
  if (asked_.back().question.awaited) open_.insert(asked_.size());
  return asked_.size();
}

bool ClientOracle::known(Id id, const char* by) {
  if (id != 0 && id <= asked_.size()) return true;
  if (violation_.empty()) violation_ = std::string(by) + " of something that nobody asked";
  return false;
}

bool ClientOracle::end(Id id) {
  if (std::exchange(at(id).ended, true)) {
    broken(id, "ended twice");
    return false;
  }
  open_.erase(id);
  return true;
}

// --- ends ----------------------------------------------------------------------------------------

void ClientOracle::call_ended(Id id, const bus::Result<bus::Bytes>& result, Time now,
                              std::uint64_t stay) {
  if (!end(id)) return;
  if (result) return check_reply(id, *result);
  const bus::Error& reason = result.error();
  Asked& call = at(id);
  if (reason == Errc::deadline) {
    if (now < call.question.deadline) broken(id, "deadline, before its time");
    if (call.question.calm) broken(id, "deadline, although nothing was broken");
  } else if (reason == Errc::handler_failed) {
    const bool replaced = reason.detail.find("found no room") != std::string::npos;
    if (!call.failed && !(replaced && call.replies != 0)) {
      broken(id, "handler_failed, but its handler did not fail it");
    }
  } else {
    check_failure(id, reason, now, stay);
  }
}

void ClientOracle::check_reply(Id id, bus::ByteView body) {
  bus::Reader reader(body);
  const auto call = reader.get<std::uint64_t>();
  const auto number = reader.get<std::uint64_t>();
  if (!reader.ok() || number == 0 || number > replies_.size()) {
    return broken(id, "ended with a reply that no handler sent");
  }
  Reply& reply = replies_[number - 1];
  if (call != id || reply.call != id) return broken(id, "ended with the reply to another call");
  if (std::exchange(reply.believed, true))
    broken(id, "ended with a reply that was believed before");
}

void ClientOracle::message_ended(Id id, const bus::Result<>& result, Time now, std::uint64_t stay) {
  if (!end(id)) return;
  if (!result) return check_failure(id, result.error(), now, stay);
  if (at(id).handled.empty()) broken(id, "acknowledged, but no handler has seen it");
}

void ClientOracle::check_failure(Id id, const bus::Error& reason, Time now, std::uint64_t stay) {
  Asked& asked = at(id);
  const std::string what(bus::name_of(reason.code));
  const bool lost = reason == Errc::no_owner || reason == Errc::owner_lost;
  if (asked.question.calm) broken(id, reason.to_string() + ", although nothing was broken");
  if (lost && asked.question.stay != 0 && asked.question.stay == stay) {
    broken(id, what + ", but its owner was there when it was sent, and is there now");
  }
  if (reason == Errc::expired && now + bus::from_ms(1) < asked.question.deadline) {
    broken(id, "expired, before its time");
  }
  const bool expires = asked.question.kind == Kind::message && reason == Errc::expired;
  if (!is_definite(reason) && !is_of_the_asker(reason) && !lost && !expires) {
    broken(id, "ended as " + reason.to_string());
  }
  if (!is_definite(reason)) return;
  asked.refused = true;
  if (!asked.handled.empty()) broken(id, "definite failure (" + what + ") of what was handled");
}

void ClientOracle::announcement_ended(Id id, const bus::Result<bus::GroupOutcome>& result) {
  if (!end(id)) return;
  Asked& asked = at(id);
  if (!result) return check_failure(id, result.error(), {}, 0);
  std::set<std::string> named;
  std::size_t handled = asked.handled.size();
  for (const bus::GroupOutcome::Failure& failure : result->failed) {
    if (!named.insert(failure.name).second) broken(id, failure.name + " is named twice");
    const bool was_handled = asked.handled.contains(failure.name);
    handled -= was_handled;
    if (asked.question.calm) {
      broken(id, failure.name + ": " + failure.reason.to_string() + ", but nothing was broken");
    }
    if (!is_definite(failure.reason)) continue;
    asked.left_out.insert(failure.name);
    if (was_handled) {
      broken(id, failure.name + " handled it, and is named as " + failure.reason.to_string());
    }
  }
  if (handled != result->handled) {
    broken(id, std::to_string(result->handled) + " members are said to have handled it, and " +
                   std::to_string(handled) + " have");
  }
}

// --- handlers ------------------------------------------------------------------------------------

void ClientOracle::handled(Id id, std::uint64_t life, const std::string& channel, Time since) {
  if (!known(id, "a handler got a message")) return;
  Asked& asked = at(id);
  const Question& question = asked.question;
  const bool group = question.kind == Kind::announcement;
  const bool again = group ? asked.handled.contains(channel) : !asked.handled.empty();
  if (again) broken(id, "handled twice, now by " + channel);
  if (asked.refused || asked.left_out.contains(channel)) {
    broken(id, "handled by " + channel + " after a definite refusal");
  }
  asked.handled.insert(channel);
  asked.handler = life;
  const std::string stream = std::to_string(question.asker) + ' ' + std::to_string(question.key) +
                             ' ' + std::string(bus::name_of(question.lane)) + ' ';
  check_order(id, stream + channel);
  // The choice of an instance lasts as long as the instance. After that, what had not left for it
  // may reach the next one under its name, after what went to another instance.
  if (!group && channel != question.to && since <= question.begun) {
    check_order(id, stream + question.to);
  }
}

void ClientOracle::check_order(Id id, const std::string& stream) {
  Id& latest = latest_[stream];
  if (latest > id) broken(id, "handled after its successor " + std::to_string(latest));
  latest = std::max(latest, id);
}

std::uint64_t ClientOracle::answers(Id call) {
  replies_.push_back({call});
  ++at(call).replies;
  return replies_.size();
}

// --- at rest -------------------------------------------------------------------------------------

std::string ClientOracle::open(const std::function<bool(std::uint64_t life)>& lives) const {
  for (const Id id : open_) {
    const Asked& asked = asked_[id - 1];
    if (!lives(asked.question.asker)) continue;
    const bool call = asked.question.kind == Kind::call;
    if (call && asked.handler != 0 && !lives(asked.handler)) continue;
    if (call && asked.handler != 0 && asked.replies == 0 && !asked.failed) continue;
    return asked.question.to + " has not ended number " + std::to_string(id) +
           (asked.replies != 0 ? ", which was answered" : "");
  }
  return {};
}

std::string ClientOracle::overdue(std::uint64_t life, Time now) const {
  for (const Id id : open_) {
    const Question& question = asked_[id - 1].question;
    if (question.asker != life || question.kind != Kind::call || question.deadline > now) continue;
    return "call " + std::to_string(id) + " to " + question.to + " outlived its deadline";
  }
  return {};
}

void ClientOracle::broken(Id id, const std::string& promise) {
  if (!violation_.empty()) return;
  const Question& question = at(id).question;
  const char* const kinds[] = {"", "message", "call", "announcement"};
  violation_ = std::string(kinds[static_cast<std::size_t>(question.kind)]) + ' ' +
               std::to_string(id) + " to " + question.to + " by life " +
               std::to_string(question.asker) + ": " + promise;
}

}  // namespace starbus::sim
