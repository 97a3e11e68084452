#include "nodes/gate/node/bus_side.hpp"

#include <spdlog/spdlog.h>

#include <optional>
#include <utility>

#include "daemon/logging.hpp"
#include "entity/client/announcement.hpp"
#include "entity/objects/entity.hpp"
#include "entity/rpc/rpc.hpp"
#include "nodes/gate/node/call_outcome.hpp"
#include "nodes/gate/node/gate_info.hpp"
#include "nodes/gate/node/limits.hpp"

namespace starbus::nodes::gate {

namespace rpc = entity::rpc;

namespace {

/// Everything to subjects on one lane, as their requests must stay in order.
constexpr bus::Lane kUp = bus::Lane::call;

void log_lapse(std::string_view prefix, const Error& error) {
  spdlog::error(
      "gate: the watch of {} is refused: {}; let the role of this gate watch it, or "
      "deaths are seen late",
      prefix, error.to_string());
}

}  // namespace

BusSide::BusSide(const GatePlace& place, CoreDriver& driver, AccountPort accounts)
    : place_(place),
      driver_(driver),
      accounts_(std::move(accounts)),
      calls_([this](const std::string& channel, const std::string& word, ChannelCalls::Done done) {
        rpc::CallOptions options;
        options.deadline = kSubjectAnswer;
        options.lane = kUp;
        rpc::call<&entity::Entity::session>(place_.rpc, channel, options,
                                            word)([done = std::move(done)](const auto& answer) {
          if (answer) return done(Outcome::ok, bus::as_bytes(*answer));
          done(outcome_of(answer.error()), {});
        });
      }),
      watch_(
          place.bus, std::string(bus::kServerPrefix),
          [this](const bus::WatchUpdate& update) { updated(update, processes_); },
          [](const Error& error) { log_lapse(bus::kServerPrefix, error); }),
      gate_watch_(
          place.bus, std::string(bus::kGatePrefix),
          [this](const bus::WatchUpdate& update) { updated(update, gates_); },
          [](const Error& error) { log_lapse(bus::kGatePrefix, error); }) {}

bus::Result<> BusSide::start() {
  if (auto started = watch_.start(); !started) return started;
  return gate_watch_.start();
}

// --- from the bus --------------------------------------------------------------------------------

bus::Handlers BusSide::handlers() {
  bus::Handlers handlers;
  handlers.on_message = [this](bus::Message& message) { take(message); };
  handlers.on_call = [this](bus::Call& call) { take(call); };
  return handlers;
}

bus::Handlers BusSide::group_handlers() {
  bus::Handlers handlers;
  handlers.on_message = [this](bus::Message& message) { announced(message); };
  return handlers;
}

bool BusSide::is_server(const bus::Process& process) const {
  return place_.rpc.core().gates.servers().is_server(process);
}

void BusSide::take(bus::Message& message) {
  const bus::Process from = message.origin();
  if (place_.rpc.gates().is_gate(from)) {
    const auto word = decode_gate_word(message.body());
    if (!word) return void(++counters_.malformed);
    ++counters_.words;
    driver_.core().told(from, *word);
    return driver_.settle();
  }
  if (!is_server(from)) return void(++counters_.foreign);
  if (sessions::is_bundle(message.body())) {
    ++counters_.bundles;
    driver_.core().bundle(from, message.body());
    return driver_.settle();
  }
  const auto word = sessions::decode_to_gate(message.body());
  if (!word) return void(++counters_.malformed);
  ++counters_.words;
  driver_.core().told(*word);
  driver_.settle();
}

void BusSide::take(bus::Call& call) {
  const bus::Process from = call.origin();
  const bool gate = place_.rpc.gates().is_gate(from);
  bus::Bytes answer;
  if (is_info_question(call.body()) && (gate || is_server(from))) {
    encode(info_ ? info_() : GateInfo{}, answer);
  } else if (!gate) {
    ++counters_.foreign;
    return static_cast<void>(call.fail({bus::Errc::denied, "gates alone may ask this"}));
  } else {
    const auto word = decode_gate_word(call.body());
    if (!word) {
      ++counters_.malformed;
      return static_cast<void>(call.fail({bus::Errc::bad_bytes, "no word of a gate"}));
    }
    ++counters_.words;
    const std::optional<Taken> taken = driver_.core().told(from, *word);
    encode(taken.value_or(Taken::refused), answer);
  }
  static_cast<void>(call.reply(bus::ByteView(answer)));
  driver_.settle();
}

void BusSide::announced(bus::Message& message) {
  if (!is_server(message.origin())) return void(++counters_.foreign);
  auto said = sessions::decode_announcement(message.body());
  if (!said) return void(++counters_.malformed);
  ++counters_.announcements;
  const auto audit = [&, by = said->by, group = said->group, size = said->body.size()](bool taken) {
    if (by.empty()) return;
    daemon::log_audit(name_of(message.origin()) + ", by \"" + by + "\" as it says: announcement " +
                      std::to_string(said->number) + " to group \"" + group + "\", " +
                      std::to_string(size) + " bytes" + (taken ? "" : ": refused, too many wait"));
  };
  bus::Bytes body;
  encode(Spoken{said->group, std::move(said->body)}, body);
  const bool taken = driver_.core().announce(message.origin(), said->number, std::move(said->group),
                                             std::make_shared<const bus::Bytes>(std::move(body)));
  if (!taken) ++counters_.refused;
  audit(taken);
  driver_.settle();
}

/// A process that has lost its name is dead, or as good as: nothing of it comes any more.
void BusSide::updated(const bus::WatchUpdate& update, Owners& owners) {
  for (const bus::WatchRow& row : update.changes) {
    const auto known = owners.find(row.name);
    if (known != owners.end() && (!row.present || known->second != row.owner)) {
      driver_.core().died(known->second);
      owners.erase(known);
    }
    if (row.present && row.owner != place_.bus.self()) owners[row.name] = row.owner;
  }
  driver_.settle();
}

/// "HOST.NODE" of a server.
std::string BusSide::name_of(const bus::Process& process) const {
  for (const auto& [name, owner] : processes_) {
    if (owner == process) return name.substr(bus::kServerPrefix.size());
  }
  return "a process that has ended";
}

std::vector<GateId> BusSide::gates() const {
  std::vector<GateId> found;
  for (const auto& [channel, process] : gates_) found.push_back({channel, process});
  return found;
}

// --- to the bus ----------------------------------------------------------------------------------

void BusSide::outcome(std::uint64_t question, Outcome outcome, bus::ByteView answer) {
  if (question == 0) return;
  driver_.core().outcome(question, outcome, answer);
  driver_.settle();
}

void BusSide::tell(TellSubject effect) {
  word_.clear();
  sessions::encode(effect.word, word_);
  calls_.call(effect.subject, std::string(bus::as_text(word_)),
              [this, alive = std::weak_ptr(alive_), question = effect.question](
                  Outcome how, bus::ByteView answer) {
                if (!alive.expired()) outcome(question, how, answer);
              });
}

void BusSide::tell(TellAccount effect) {
  accounts_.ask(effect.account, effect.word,
                [this, alive = std::weak_ptr(alive_), question = effect.question](
                    Outcome how, bus::ByteView answer) {
                  if (!alive.expired()) outcome(question, how, answer);
                });
}

void BusSide::load(const LoadAccount& effect) {
  accounts_.load(effect.account);
}

void BusSide::tell(TellGate effect) {
  bus::Bytes bytes;
  const auto failed = [&](Outcome how) { outcome(effect.question, how, {}); };
  if (!encode(effect.word, bytes)) return failed(Outcome::refused);
  const auto answered = [this, alive = std::weak_ptr(alive_),
                         question = effect.question](const bus::Result<bus::Bytes>& answer) {
    if (alive.expired()) return;
    if (answer) return outcome(question, Outcome::ok, bus::ByteView(*answer));
    outcome(question, outcome_of(answer.error()), {});
  };
  if (std::holds_alternative<Take>(effect.word)) {
    bus::CallOptions options;
    options.deadline = kGateAnswer;
    options.lane = bus::Lane::sync;
    place_.bus.call(effect.gate, bus::ByteView(bytes), options, answered);
    return;
  }
  bus::SendOptions options;
  options.lane = bus::Lane::sync;
  if (effect.question == 0) {
    // The pulse of a session finds what could not be said.
    static_cast<void>(place_.bus.send(effect.gate, bus::ByteView(bytes), options));
    return;
  }
  place_.bus.send_acknowledged(effect.gate, std::move(bytes), options,
                               [this, alive = std::weak_ptr(alive_),
                                question = effect.question](const bus::Result<>& handled) {
                                 if (alive.expired()) return;
                                 outcome(question,
                                         handled ? Outcome::ok : outcome_of(handled.error()), {});
                               });
}

void BusSide::ask_info(const std::string& gate, std::function<void(std::optional<GateInfo>)> done) {
  bus::CallOptions options;
  options.deadline = kGateAnswer;
  place_.bus.call(gate, info_question(), options,
                  [done = std::move(done)](const bus::Result<bus::Bytes>& answer) {
                    if (!answer) return done(std::nullopt);
                    done(decode_gate_info(bus::ByteView(*answer)));
                  });
}

}  // namespace starbus::nodes::gate
