#include "tools/bots/checks/letters.hpp"

#include <algorithm>
#include <charconv>

#include "tools/bots/limits.hpp"

namespace starbus::bots {

Letters::Letters(std::uint64_t run, std::size_t says)
    : run_(run & 0xffff'ffff), rows_(says), figures_(says) {}

Letters::Said Letters::say(std::size_t say, std::uint64_t from, To to, std::uint64_t scene,
                           Nanos now) {
  const std::lock_guard lock(mutex_);
  Row& row = rows_[say][from];
  if (row.letters.size() == kLettersKept) {
    const Letter& oldest = row.letters.front();
    count(oldest, row.past[oldest.to]);
    if (oldest.end == End::kept && oldest.heard == 0 && oldest.to != 0) ++figures_[say].forgotten;
    row.letters.pop_front();
    ++row.first;
  }
  const std::uint64_t number = row.first + row.letters.size();
  row.letters.push_back({to.bot, scene, now});
  ++figures_[say].said;
  std::string text = std::to_string(run_) + "." + std::to_string(say) + "." + std::to_string(from) +
                     "." + std::to_string(to.bot) + "." + std::to_string(number);
  return {std::move(text), number};
}

void Letters::ended(std::size_t say, std::uint64_t from, std::uint64_t number, game::Fate fate,
                    bool failed) {
  const std::lock_guard lock(mutex_);
  Letter* const letter = find({say, from, 0, number});
  if (letter == nullptr) return;
  const bool kept = fate == game::Fate::replied && !failed;
  letter->end = kept ? End::kept : fate == game::Fate::not_begun ? End::refused : End::unknown;
  if (kept) ++figures_[say].kept;
}

std::optional<Letters::Name> Letters::read(std::string_view text) const {
  std::uint64_t numbers[5]{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < 5; ++i) {
    const auto read = std::from_chars(at, end, numbers[i]);
    if (read.ec != std::errc() || (i < 4 && (read.ptr == end || *read.ptr != '.'))) {
      return std::nullopt;
    }
    at = read.ptr + (i < 4 ? 1 : 0);
  }
  if (at != end || numbers[0] != run_ || numbers[1] >= rows_.size()) return std::nullopt;
  return Name{static_cast<std::size_t>(numbers[1]), numbers[2], numbers[3], numbers[4]};
}

Letters::Letter* Letters::find(const Name& name) {
  const auto row = rows_[name.say].find(name.from);
  if (row == rows_[name.say].end() || name.number < row->second.first) return nullptr;
  const std::uint64_t at = name.number - row->second.first;
  return at < row->second.letters.size() ? &row->second.letters[at] : nullptr;
}

std::optional<Letters::Wrong> Letters::heard(std::string_view text, const Listener& by,
                                             LettersHeard& before) {
  const auto name = read(text);
  if (!name) return std::nullopt;
  const std::lock_guard lock(mutex_);
  Letter* const letter = find(*name);
  if (letter == nullptr) return Wrong{"a letter that was said", std::string(text)};
  if (letter->end == End::refused)
    return Wrong{"no letter whose request never began", std::string(text)};
  auto wrong = name->to != 0 ? heard_by_one(*name, *letter, by, before)
                             : heard_by_all(*name, *letter, by, before);
  return wrong;
}

std::optional<Letters::Wrong> Letters::heard_by_one(const Name& name, Letter& letter,
                                                    const Listener& by, LettersHeard& before) {
  const std::string number = std::to_string(name.number) + " of bot " + std::to_string(name.from);
  if (name.to != by.bot) return Wrong{"letters to this bot", "one to " + std::to_string(name.to)};
  LetterFigures& figures = figures_[name.say];
  const bool twice = letter.heard == by.stretch;
  if (letter.heard == 0) {
    ++figures.arrived;
    figures.latency.record(by.now - letter.said);
  } else if (!twice) {
    ++figures.again;
  }
  letter.heard = by.stretch;
  if (twice) return Wrong{"letter " + number + " once", "twice in a stretch"};
  auto& last = before.from[{name.say, name.from}];
  const bool late = last.stretch == by.stretch && name.number < last.last;
  const std::uint64_t passed = last.last;
  last = {name.number, by.scene, by.stretch};
  if (late) return Wrong{"letter " + number + " before " + std::to_string(passed), "after it"};
  return std::nullopt;
}

std::optional<Letters::Wrong> Letters::heard_by_all(const Name& name, const Letter& letter,
                                                    const Listener& by, LettersHeard& before) {
  const auto [at, fresh] = before.from.try_emplace({name.say, name.from});
  LettersHeard::From& last = at->second;
  const LettersHeard::From was = last;
  const bool late = !fresh && name.number <= was.last;
  if (!late) last = {name.number, by.scene, by.stretch};
  const std::string sender = " of bot " + std::to_string(name.from);
  if (late) {
    return Wrong{"a letter after " + std::to_string(was.last) + sender,
                 std::to_string(name.number)};
  }
  if (fresh || was.scene != by.scene || was.stretch != by.stretch) return std::nullopt;
  const Letter* const first = find({name.say, name.from, 0, was.last});
  if (first == nullptr || first->scene != letter.scene) return std::nullopt;  // it has travelled
  for (std::uint64_t between = was.last + 1; between < name.number; ++between) {
    Letter* const missed = find({name.say, name.from, 0, between});
    if (missed == nullptr || missed->scene != letter.scene) return std::nullopt;
    if (missed->end != End::kept) continue;
    ++figures_[name.say].lost;
    return Wrong{"letter " + std::to_string(between) + sender,
                 "the next one, " + std::to_string(name.number)};
  }
  return std::nullopt;
}

void Letters::count(const Letter& letter, Bounds& bounds) {
  bounds.least += letter.end == End::kept ? 1 : 0;
  bounds.most += letter.end == End::refused ? 0 : 1;
}

std::map<std::uint64_t, Letters::Bounds> Letters::bounds(std::size_t say) const {
  const std::lock_guard lock(mutex_);
  std::map<std::uint64_t, Bounds> all;
  for (const auto& [from, row] : rows_[say]) {
    for (const Letter& each : row.letters) {
      count(each, all[each.to]);
    }
    for (const auto& [bot, past] : row.past) {
      all[bot].least += past.least;
      all[bot].most += past.most;
    }
  }
  return all;
}

std::vector<Letters::Lost> Letters::missing(const std::map<std::uint64_t, Nanos>& stretches) const {
  const std::lock_guard lock(mutex_);
  std::vector<Lost> lost;
  for (std::size_t say = 0; say < rows_.size(); ++say) {
    for (const auto& [from, row] : rows_[say]) {
      std::uint64_t number = row.first;
      for (const Letter& each : row.letters) {
        const std::uint64_t its = number++;
        if (each.to == 0 || each.end != End::kept || each.heard != 0) continue;
        const auto stretch = stretches.find(each.to);
        if (stretch == stretches.end() || stretch->second > each.said) continue;
        lost.push_back({say, from, each.to, its});
      }
    }
  }
  return lost;
}

std::vector<Letters::Lost> Letters::judge_end(const std::map<std::uint64_t, Nanos>& stretches) {
  std::vector<Lost> lost = missing(stretches);
  const std::lock_guard lock(mutex_);
  for (const Lost& each : lost) ++figures_[each.say].lost;
  for (std::size_t say = 0; say < rows_.size(); ++say) {
    std::uint64_t unheard = 0;
    for (const auto& [from, row] : rows_[say]) {
      for (const Letter& each : row.letters) {
        unheard += each.to != 0 && each.end == End::kept && each.heard == 0 ? 1 : 0;
      }
    }
    figures_[say].passed_over = unheard - std::min(unheard, figures_[say].lost);
  }
  return lost;
}

LetterFigures Letters::figures(std::size_t say) const {
  const std::lock_guard lock(mutex_);
  return figures_[say];
}

}  // namespace starbus::bots
