#include "tools/bots/asker.hpp"

#include <algorithm>
#include <utility>

#include "clients/cpp/calls.hpp"
#include "tools/bots/answers.hpp"

namespace starbus::bots {
namespace {

/// The same bots have a part in a [[say]] in each session.
bool has_part(double chance, std::uint64_t bot, std::size_t which) {
  std::seed_seq seed{bot & 0xffff'ffff, bot >> 32, std::uint64_t{which}};
  std::uint32_t drawn[1];
  seed.generate(std::begin(drawn), std::end(drawn));
  return static_cast<double>(drawn[0]) < chance * 4'294'967'296.0;
}

/// {life, number} of an answer of type {[u64]}.
std::optional<BegunCheck::Count> read_count(game::ByteView bytes) {
  game::FieldReader in(bytes);
  const std::size_t size = in.count(2);
  BegunCheck::Count count;
  count.life = in.number();
  count.begun = in.number();
  if (size != 2 || in.finish() != game::Refusal::none) return std::nullopt;
  return count;
}

}  // namespace

Asker::Asker(Ground& ground, std::uint64_t bot, const std::string& account, game::Client& client,
             const Memory& memory, Walker& walker)
    : ground_(ground),
      bot_(bot),
      account_(account),
      client_(client),
      memory_(memory),
      walker_(walker),
      mark_(account + " " + std::to_string(ground.random() & 0xffff'ffff) + " "),
      rows_(ground.script.says.size()) {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    rows_[i].says = has_part(ground.script.says[i].chance, bot, i);
  }
}

void Asker::on_full() {
  if (!std::exchange(began_, true)) begin();
  const auto& says = ground_.script.says;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (says[i].when == Say::When::start) rows_[i].next = now_nanos();
  }
  blocked_ = false;
}

void Asker::begin() {
  const Nanos now = now_nanos();
  const auto& says = ground_.script.says;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (says[i].when == Say::When::rate) {
      const auto period = static_cast<Nanos>(static_cast<double>(kSecond) / says[i].rate);
      // Bots do not say the same at the same moment.
      rows_[i].schedule = Schedule(
          now + static_cast<Nanos>(ground_.chance() * static_cast<double>(period)), period);
    } else if (says[i].when == Say::When::think) {
      rows_[i].next = pause(says[i], now);
    }
  }
}

Nanos Asker::pause(const Say& say, Nanos now) {
  const auto least = static_cast<std::uint64_t>(nanos_of(say.think));
  const auto most = static_cast<std::uint64_t>(nanos_of(say.think_most));
  return now + static_cast<Nanos>(ground_.between(least, most));
}

Nanos Asker::due_of(std::size_t which) const {
  const Row& row = rows_[which];
  if (!row.says) return kNever;
  const bool at_rate = ground_.script.says[which].when == Say::When::rate;
  return at_rate ? row.schedule.due() : row.next;
}

Nanos Asker::due() const {
  if (!began_ || blocked_ || ground_.stage != Stage::playing) return kNever;
  Nanos next = kNever;
  for (std::size_t i = 0; i < rows_.size(); ++i) next = std::min(next, due_of(i));
  return next;
}

bool Asker::act(Nanos now) {
  bool said = false;
  while (due() <= now) {
    std::size_t which = 0;
    for (std::size_t i = 1; i < rows_.size(); ++i) {
      if (due_of(i) < due_of(which)) which = i;
    }
    if (!say(which, now)) break;
    said = true;
  }
  return said;
}

std::string Asker::payload_of(const Say& say, std::uint64_t number) {
  const std::size_t size = static_cast<std::size_t>(ground_.between(say.size, say.size_most));
  std::string payload = mark_ + std::to_string(number) + " ";
  payload.resize(size, '.');
  return payload;
}

std::uint64_t Asker::other_bot() {
  const Script& script = ground_.script;
  if (script.bots < 2) return 0;
  const std::uint64_t drawn = script.first + ground_.between(0, script.bots - 2);
  return drawn < bot_ ? drawn : drawn + 1;
}

void Asker::pass(std::size_t which, Nanos now) {
  const Say& what = ground_.script.says[which];
  Row& row = rows_[which];
  if (what.when == Say::When::rate) {
    static_cast<void>(row.schedule.take(now));
  } else {
    row.next = what.when == Say::When::think ? pause(what, now) : kNever;
  }
}

game::Bytes Asker::body_of(const Say& say, const Filling& filling, std::uint64_t target) const {
  game::Bytes arguments;
  for (std::size_t i = 0; i < say.arguments.size(); ++i) {
    Scalar value = say.arguments[i];
    if (auto* const text = std::get_if<std::string>(&value)) {
      if (say.types.arguments[i] != Type::str) {  // {target}
        game::FieldWriter(arguments).number(target);
        continue;
      }
      *text = filled(std::move(*text), bot_, filling);
    }
    put_value(say.types.arguments[i], value, arguments);
  }
  return game::call_body(game::hash_of(say.method), game::hash_of(say.types.text), arguments);
}

bool Asker::say(std::size_t which, Nanos now) {
  const Say& what = ground_.script.says[which];
  Row& row = rows_[which];
  const std::uint64_t number = asked_ + 1;
  std::uint64_t target = 0;
  if (!what.target.empty()) {
    target = walker_.near(what.target, what.reach);
    if (target == 0) {
      pass(which, now);
      return true;
    }
  }
  const std::uint64_t other = what.has_other ? other_bot() : 0;
  if (what.has_other && other == 0) {
    pass(which, now);
    return true;
  }
  const std::string payload = payload_of(what, number);
  Filling filling{account_, payload};
  if (what.has_other) filling.other = filled(ground_.script.login.account, other);
  Letters::Said letter{};
  if (what.has_letter) {
    letter = ground_.letters.say(which, bot_, {other}, memory_.scene, now);
    filling.letter = letter.text;
  }
  const auto asked =
      client_.ask(body_of(what, filling, target),
                  [this, number](const game::Outcome& outcome) { told(number, outcome); });
  if (asked != game::Asked::ok) {
    if (letter.number != 0) {
      ground_.letters.ended(which, bot_, letter.number, game::Fate::not_begun, false);
    }
    blocked_ = true;  // an outcome or a full state comes, and it is said then
    if (asked == game::Asked::too_large) {
      report(Broken::answer, which, "a request that the gate takes", "too_large");
    }
    return false;
  }
  asked_ = number;
  Open open{which, row.next, 0, {}, letter.number};
  if (what.when == Say::When::rate) open.meant = row.schedule.take(now);
  row.next = what.when == Say::When::think && !what.answer ? pause(what, now) : kNever;
  if (what.expect == Say::Expect::count) open.begun = row.begun.asked();
  if (what.expect == Say::Expect::echo) put_value(Type::str, payload, open.echo);
  SayFigures& figures = ground_.figures.say[which];
  ++figures.asked;
  figures.late_most = std::max(figures.late_most, now - open.meant);
  open_.emplace(number, std::move(open));
  return true;
}

void Asker::told(std::uint64_t number, const game::Outcome& outcome) {
  blocked_ = false;
  const auto at = open_.find(number);
  if (at == open_.end()) {
    return report(Broken::fate, 0, "one outcome of request " + std::to_string(number),
                  "another: " + std::string(game::name_of(outcome.fate)));
  }
  const Open open = std::move(at->second);
  open_.erase(at);
  SayFigures& figures = ground_.figures.say[open.which];
  switch (outcome.fate) {
    case game::Fate::replied:
      ++figures.replied;
      replied(open, outcome);
      break;
    case game::Fate::reply_lost:
      ++figures.reply_lost;
      break;
    case game::Fate::not_begun:
      ++figures.not_begun;
      break;
    case game::Fate::unknown:
      ++figures.unknown;
      break;
  }
  if (outcome.fate != game::Fate::replied) check_begun(open, outcome.fate, {});
  if (open.letter != 0) {
    const auto answer = game::read_answer(outcome.answer);
    const bool failed = !answer || refusal_of(*answer).has_value();
    ground_.letters.ended(open.which, bot_, open.letter, outcome.fate, failed);
  }
  const Say& what = ground_.script.says[open.which];
  if (what.when == Say::When::think && what.answer) {
    rows_[open.which].next = pause(what, now_nanos());
  }
}

void Asker::replied(const Open& open, const game::Outcome& outcome) {
  const Say& what = ground_.script.says[open.which];
  SayFigures& figures = ground_.figures.say[open.which];
  if (what.answer) figures.latency.record(now_nanos() - open.meant);
  const auto answer = game::read_answer(outcome.answer);
  if (!answer) return report(Broken::malformed, open.which, "an answer", "other bytes");
  if (const auto refusal = refusal_of(*answer)) {
    ++figures.failed;
    count(figures.errors, refusal->to_string());
    return check_begun(open, outcome.fate, {});
  }
  if (what.expect == Say::Expect::echo && !std::ranges::equal(answer->bytes, open.echo)) {
    report(Broken::answer, open.which, std::string(game::text_of(open.echo)).substr(0, 64),
           std::string(game::text_of(answer->bytes)).substr(0, 64));
  }
  if (what.expect != Say::Expect::count) return;
  const auto begun = read_count(answer->bytes);
  if (!begun) report(Broken::malformed, open.which, "{life, number}", "other bytes");
  check_begun(open, outcome.fate, begun);
}

void Asker::check_begun(const Open& open, game::Fate fate, std::optional<BegunCheck::Count> count) {
  if (ground_.script.says[open.which].expect != Say::Expect::count) return;
  const auto wrong = rows_[open.which].begun.ended(open.begun, fate, count);
  if (!wrong) return;
  report(Broken::count, open.which,
         std::to_string(wrong->least) + " .. " + std::to_string(wrong->most) + " begun",
         std::to_string(wrong->got));
}

void Asker::count_open(std::vector<std::uint64_t>& asked) const {
  asked.resize(std::max(asked.size(), rows_.size()));
  for (const auto& [number, open] : open_) ++asked[open.which];
}

void Asker::on_ended() {
  for (const auto& [number, open] : open_) {
    report(Broken::fate, open.which, "an outcome of request " + std::to_string(number), "none");
  }
  open_.clear();
}

void Asker::report(Broken kind, std::size_t which, const std::string& expected,
                   const std::string& got) {
  const std::int64_t at_ms = (now_nanos() - ground_.started) / 1'000'000;
  ground_.violations.add(
      {at_ms, bot_, account_, kind, ground_.script.says[which].name, expected, got});
}

}  // namespace starbus::bots
