#include "tools/bots/listener.hpp"

#include "clients/cpp/calls.hpp"

namespace starbus::bots {
namespace {

/// Microseconds since 1970.
std::int64_t wall_micros() {
  return std::chrono::system_clock::now().time_since_epoch() / std::chrono::microseconds(1);
}

}  // namespace

Listener::Listener(Ground& ground, std::uint64_t bot, const std::string& account, Memory& memory)
    : ground_(ground), bot_(bot), account_(account), memory_(memory) {
  for (const Hear& each : ground.script.hears) {
    numbers_.emplace_back(each.group ? NumberCheck::Of::group : NumberCheck::Of::subject);
  }
}

void Listener::follow(const Listener& before) {
  numbers_ = before.numbers_;
  on_full();
}

void Listener::on_full() {
  for (NumberCheck& each : numbers_) each.renewed();
}

void Listener::on_malformed_spoken(const std::string& group) {
  report(Broken::malformed, "said to group " + group, "a call", "other bytes");
}

void Listener::on_call(const game::Call& call, const std::string* group) {
  const auto& hears = ground_.script.hears;
  for (std::size_t i = 0; i < hears.size(); ++i) {
    const bool here = group == nullptr ? !hears[i].group : hears[i].group == *group;
    if (here && call.method == game::hash_of(hears[i].method)) return heard(i, call);
  }
  ++ground_.figures.unheard;
}

void Listener::heard(std::size_t which, const game::Call& call) {
  const Hear& hear = ground_.script.hears[which];
  if (call.types != game::hash_of(hear.types.text)) {
    return report(Broken::malformed, hear.name, "types " + hear.types.text, "other types");
  }
  Heard all;
  game::FieldReader in(call.arguments);
  for (std::size_t i = 0; i < hear.types.arguments.size(); ++i) {
    const Value value = get_value(hear.types.arguments[i], in);
    switch (hear.fields[i]) {
      case Hear::Field::account:
        all.account = value.text;
        break;
      case Hear::Field::origin:
        all.origin = value.text;
        break;
      case Hear::Field::life:
        all.life = value.number;
        break;
      case Hear::Field::number:
        all.number = value.number;
        break;
      case Hear::Field::time:
        all.time = value.number;
        break;
      case Hear::Field::letter:
        all.letter = value.text;
        break;
      case Hear::Field::skip:
        break;
    }
  }
  if (in.finish() != game::Refusal::none) {
    return report(Broken::malformed, hear.name, "arguments " + hear.types.text, "other bytes");
  }
  HearFigures& figures = ground_.figures.hear[which];
  ++figures.heard;
  figures.bytes += call.arguments.size();
  if (hear.has(Hear::Field::time)) {
    const std::int64_t late = wall_micros() - static_cast<std::int64_t>(all.time);
    figures.latency.record(late * 1'000);
  }
  judge(which, all);
}

void Listener::judge(std::size_t which, const Heard& heard) {
  const Hear& hear = ground_.script.hears[which];
  if (hear.has(Hear::Field::account) && heard.account != account_) {
    return report(Broken::foreign, hear.name, "account " + account_,
                  "account " + std::string(heard.account));
  }
  if (hear.has(Hear::Field::letter)) {
    const Letters::Listener by{bot_, memory_.stretch, memory_.scene, now_nanos()};
    if (const auto wrong = ground_.letters.heard(heard.letter, by, memory_.letters)) {
      report(Broken::letter, hear.name, wrong->expected, wrong->got);
    }
  }
  if (!hear.has(Hear::Field::number)) return;
  const NumberCheck::Shown shown = numbers_[which].heard(heard.origin, heard.life, heard.number);
  ground_.figures.hear[which].passed_over += shown.passed_over;
  ground_.figures.hear[which].missing += shown.missing;
  if (shown.good) return;
  report(shown.broken, hear.name, std::to_string(shown.expected), std::to_string(heard.number));
}

void Listener::report(Broken kind, const std::string& what, const std::string& expected,
                      const std::string& got) {
  const std::int64_t at_ms = (now_nanos() - ground_.started) / 1'000'000;
  ground_.violations.add({at_ms, bot_, account_, kind, what, expected, got});
}

}  // namespace starbus::bots
