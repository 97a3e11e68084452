#include "tools/bots/state/own_watch.hpp"

#include <algorithm>

namespace starbus::bots {
namespace {

const StateTable* own_of(const Script& script) {
  const auto at = std::ranges::find_if(script.states, &StateTable::own);
  return at == script.states.end() ? nullptr : &*at;
}

}  // namespace

OwnWatch::OwnWatch(Ground& ground, std::uint64_t bot, const std::string& account, Memory& memory)
    : ground_(ground),
      bot_(bot),
      account_(account),
      memory_(memory),
      table_(own_of(ground.script)) {
  if (table_ == nullptr) return;
  view_.emplace(watch_);
  memory_.pasts.resize(table_->grows.size());
}

void OwnWatch::full(game::ByteView properties, Nanos now) {
  if (!view_) return;
  fresh_ = true;
  take(view_->snapshot(properties), now);
}

void OwnWatch::news(game::ByteView changes, Nanos now) {
  if (view_) take(view_->delta(changes), now);
}

void OwnWatch::learn(const game::ServerNames& names, Nanos now) {
  if (view_) take(view_->learn(names), now);
}

void OwnWatch::forget() {
  if (table_ == nullptr) return;
  view_.reset();
  view_.emplace(watch_);
}

void OwnWatch::take(game::Taken taken, Nanos now) {
  if (taken == game::Taken::waits) return;
  if (taken != game::Taken::ok) {
    return report(table_->name, "each version of its properties", std::string(name_of(taken)));
  }
  const OwnState* const state = view_->state();
  if (state == nullptr) return;
  changed_at_ = now;
  check_sums(*state);
  for (std::size_t i = 0; i < table_->grows.size(); ++i) {
    check_growth(i, state->fields[table_->grows[i]].number, now);
  }
  fresh_ = false;
}

void OwnWatch::check_sums(const OwnState& state) {
  for (const StateSum& sum : table_->sums) {
    std::int64_t right = 0;
    for (const auto& [adds, field] : sum.right) {
      right += adds ? state.fields[field].number : -state.fields[field].number;
    }
    const std::int64_t left = state.fields[sum.left].number;
    if (left != right) report(sum.text, std::to_string(right), std::to_string(left));
  }
}

void OwnWatch::check_growth(std::size_t which, std::int64_t value, Nanos now) {
  Past& past = memory_.pasts[which];
  const std::string& name = table_->fields[table_->grows[which]].name;
  if (past.known && value < past.last) {
    if (!fresh_) {
      return report(name, "at least " + std::to_string(past.last), std::to_string(value));
    }
    const auto age = age_of(past, value, memory_.over_at);
    auto& back = ground_.figures.back;
    if (back.size() <= which) back.resize(which + 1);
    back[which].add({1, static_cast<std::uint64_t>(past.last - value), age.value_or(0)});
    if (table_->back.count() > 0 && (!age || *age > nanos_of(table_->back))) {
      report(name, "what it had " + std::to_string(table_->back.count()) + " ms before, or later",
             std::to_string(value) + ", of " +
                 (age ? std::to_string(*age / 1'000'000) + " ms before" : "long before"));
    }
  }
  grow(past, value, now);
}

void OwnWatch::report(const std::string& what, const std::string& expected,
                      const std::string& got) {
  ground_.violations.add({(now_nanos() - ground_.started) / 1'000'000, bot_, account_,
                          Broken::state, what, expected, got});
}

std::optional<Nanos> age_of(const Past& past, std::int64_t value, Nanos over) {
  if (past.last <= value) return 0;
  // Values grow from one step to the next, but where one was taken back.
  for (auto at = past.steps.rbegin(); at != past.steps.rend(); ++at) {
    if (at->value <= value) return std::max<Nanos>(0, over - at->until);
  }
  return std::nullopt;
}

void grow(Past& past, std::int64_t value, Nanos now) {
  if (past.known && value == past.last) return;
  if (past.known) past.steps.push_back({past.last, now});
  if (past.steps.size() > kPastKept) past.steps.pop_front();
  past.known = true;
  past.last = value;
}

}  // namespace starbus::bots
