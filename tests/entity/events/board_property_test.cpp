/// Boards and their listeners against a naive model: two cells of one place and another place, over
/// random scripts whose callbacks change everything, announce again, and throw. Whatever happens,
/// no subject hears a number of a place twice.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/entity/events/board_model.hpp"

namespace starbus::entity {
namespace {

struct Act {
  std::uint8_t kind = 0;
  std::uint8_t which = 0;
  std::uint8_t other = 0;
};
[[maybe_unused]] std::ostream& operator<<(std::ostream& out, const Act& act) {
  return out << '{' << act.kind % 16 << ", " << int{act.which} << ", " << int{act.other} << '}';
}

using model::Cell;
using model::Running;
using model::Subject;
using model::SubjectPointer;

class World {
 public:
  explicit World(const std::vector<Act>& reactions) : reactions_(reactions) {
    for (auto& subject : subjects_) subject = std::make_shared<Subject>();
    for (std::size_t i = 0; i < cells_.size(); ++i) found(i, i < 2 ? kTown : kDungeon, 0);
  }

  void take(const Act& act) {
    SubjectPointer& subject = subjects_[act.which % subjects_.size()];
    const std::size_t cell = act.other % cells_.size();
    switch (act.kind % 16) {
      case 0:
      case 1:
        return add(*subject, act.other % 2, act.other / 2 % 3);
      case 2:
        if (!subject->callbacks.empty()) {
          remove(*subject, subject->callbacks[act.other % subject->callbacks.size()].label);
        }
        return;
      case 3:
      case 4:
        return attach(*subject, cells_[cell]);
      case 5:
        return detach(*subject);
      case 6:
      case 7:
        return move(subject);
      case 8:
        if (act.other % 4 == 0) end(subject);
        return;
      case 9:
        if (act.other % 8 == 0) found(cell, cells_[cell]->place, cells_[cell]->number);
        return;
      case 10:
        if (!running_.empty() && act.other % 4 == 0) throw std::runtime_error("a bug");
        return;
      case 11: {
        Cell& old = *cells_[cell];
        RC_ASSERT(old.board->relay(old.number, key_of(0), 0).error() ==
                  EventErrc::already_announced);
        return;
      }
      default:
        return announce(cells_[cell], act.which);
    }
  }
  void outer(const Act& act) {
    try {
      take(act);
    } catch (const std::runtime_error&) {
    }
    RC_ASSERT(running_.empty());
    for (const auto& cell : cells_) {
      std::size_t listed = 0;
      for (const SubjectPointer& each : subjects_) {
        if (each->at == cell) listed += each->entries.size();
      }
      RC_ASSERT(cell->board->size() == listed);
      RC_ASSERT(cell->board->number() == cell->number);
    }
    for (const SubjectPointer& each : subjects_) {
      RC_ASSERT(each->listener->size() == each->callbacks.size());
    }
  }

 private:
  static constexpr OnlineId kTown{1};
  static constexpr OnlineId kDungeon{2};
  static std::string key_of(int key) { return "key" + std::to_string(key); }

  void found(std::size_t cell, OnlineId place, std::uint64_t number) {
    if (cells_[cell]) {
      for (const SubjectPointer& each : subjects_) {
        if (each->at == cells_[cell]) each->entries.clear();
      }
      cells_[cell]->number = cells_[cell]->told();
      cells_[cell]->board.reset();
    }
    cells_[cell] =
        std::make_shared<Cell>(Cell{place, number, std::make_unique<EventBoard>(place, number)});
  }

  void enter(Subject& subject, int key) {
    subject.entries[key] = next_serial_++;
    subject.at->listed.insert(key);
  }
  void add(Subject& subject, int key, int priority) {
    const int label = next_label_++;
    const auto id = *subject.listener->add<int>(
        key_of(key), [this, label](const int&) { called(label); }, priority);
    subject.callbacks.push_back({label, key, priority, id});
    if (subject.of_key(key) == 1 && subject.at && subject.at->board) enter(subject, key);
  }
  void remove(Subject& subject, int label) {
    const auto found = std::ranges::find(subject.callbacks, label, &Subject::Callback::label);
    const Subject::Callback gone = *found;
    subject.callbacks.erase(found);
    if (subject.of_key(gone.key) == 0) subject.entries.erase(gone.key);
    RC_ASSERT(subject.listener->remove(gone.id));
    RC_ASSERT(!subject.listener->remove(gone.id));
  }
  void detach(Subject& subject) {
    leave(subject);
    subject.listener->detach();
    RC_ASSERT(!subject.listener->attached());
  }
  void leave(Subject& subject) {
    if (subject.at) subject.seen[subject.at->place] = subject.seen_here();
    subject.at = nullptr;
    subject.entries.clear();
  }
  void attach(Subject& subject, const std::shared_ptr<Cell>& cell) {
    leave(subject);
    const bool known = subject.seen.contains(cell->place);
    subject.floor = known ? subject.seen[cell->place] : 0;
    subject.heard = 0;
    subject.at = cell;
    const auto missed = subject.listener->attach(*cell->board);
    RC_ASSERT(*missed ==
              (known && subject.floor < cell->number ? cell->number - subject.floor : 0));
    for (int key = 0; key < 2; ++key) {
      if (subject.of_key(key) > 0) enter(subject, key);
    }
  }
  void move(SubjectPointer& subject) {
    Bytes bytes;
    Encoder out(bytes);
    subject->listener->save(out);
    auto arrived = std::make_shared<Subject>();
    arrived->history = subject->history;
    leave(*subject);
    arrived->seen = subject->seen;
    Decoder in(bytes);
    RC_ASSERT(arrived->listener->restore(in).has_value());
    const std::vector<Subject::Callback> callbacks = subject->callbacks;
    end(subject);
    subject = arrived;
    for (const Subject::Callback& each : callbacks) add(*arrived, each.key, each.priority);
  }
  void end(SubjectPointer& subject) {
    leave(*subject);
    subject->callbacks.clear();
    const SubjectPointer old = std::exchange(subject, std::make_shared<Subject>());
    old->listener.reset();
  }

  void announce(const std::shared_ptr<Cell> cell, std::uint8_t which) {  // NOLINT: may be replaced
    // What a number is about is the same in all cells of a place.
    const bool gap = which % 8 == 0;
    const std::uint64_t number = cell->number + (gap ? 2 : 1);
    const int key = keys_.try_emplace({cell->place, number}, which % 2).first->second;
    EventBoard& board = *cell->board;
    if (cell->running.size() == kMaxDispatchDepth && cell->listed.contains(key)) {
      RC_ASSERT(board.relay(number, key_of(key), 0).error() == EventErrc::too_deep);
      RC_ASSERT(board.number() == cell->number);
      return;
    }
    Running round{cell, number, key, {}};
    for (const SubjectPointer& each : subjects_) {
      if (each->at != cell || !each->entries.contains(key)) continue;
      round.entries.emplace_back(each->entries[key], each);
    }
    std::ranges::sort(round.entries, std::greater(), [](const auto& entry) { return entry.first; });
    cell->number = number;
    cell->running.push_back(number);
    running_.push_back(std::move(round));
    const auto leave_round = [&] {
      if (running_.back().turn) --running_.back().turn->depth;
      running_.pop_back();
      cell->running.pop_back();
    };
    std::size_t told = 0;
    try {
      const bool draws = which % 2 == 0 && !gap;
      told = draws ? *board.announce(key_of(key), 0) : *board.relay(number, key_of(key), 0);
    } catch (...) {
      leave_round();
      throw;
    }
    RC_ASSERT(next_label() == std::nullopt);
    RC_ASSERT(told == running_.back().told);
    leave_round();
  }

  /// Who is to be called next in the innermost round.
  std::optional<int> next_label() {
    Running& round = running_.back();
    while (true) {
      while (!round.labels.empty()) {
        const int label = round.labels.back();
        if (std::ranges::count(round.turn->callbacks, label, &Subject::Callback::label) == 1) {
          return label;
        }
        round.labels.pop_back();
      }
      if (round.turn) --round.turn->depth;
      round.turn = nullptr;
      if (round.entries.empty()) return std::nullopt;
      const auto [serial, subject] = round.entries.back();
      round.entries.pop_back();
      const auto entry = subject->entries.find(round.key);
      if (entry == subject->entries.end() || entry->second != serial) continue;
      if (round.number <= subject->floor) continue;
      subject->heard = std::max(subject->heard, round.number);
      if (subject->depth == kMaxDispatchDepth) continue;
      begin_turn(round, subject);
    }
  }
  void begin_turn(Running& round, const SubjectPointer& subject) {
    RC_ASSERT(subject->history->insert({round.cell->place, round.number}).second);
    std::vector<Subject::Callback> callbacks;
    std::ranges::copy_if(subject->callbacks, std::back_inserter(callbacks),
                         [&](const auto& each) { return each.key == round.key; });
    std::ranges::stable_sort(callbacks, std::greater(), &Subject::Callback::priority);
    for (const auto& each : callbacks) round.labels.insert(round.labels.begin(), each.label);
    round.turn = subject;
    ++subject->depth;
    ++round.told;
  }
  void called(int label) {
    RC_ASSERT(!running_.empty());
    RC_ASSERT(next_label() == label);
    running_.back().labels.pop_back();
    if (reaction_ < reactions_.size()) take(reactions_[reaction_++]);
  }

  const std::vector<Act>& reactions_;
  std::size_t reaction_ = 0;
  std::array<SubjectPointer, 4> subjects_;
  std::array<std::shared_ptr<Cell>, 3> cells_;
  std::map<std::pair<OnlineId, std::uint64_t>, int> keys_;
  std::vector<Running> running_;
  int next_label_ = 0;
  int next_serial_ = 0;
};

}  // namespace
}  // namespace starbus::entity

namespace rc {
template <>
struct Arbitrary<starbus::entity::Act> {
  static Gen<starbus::entity::Act> arbitrary() {
    using starbus::entity::Act;
    return gen::build<Act>(gen::set(&Act::kind), gen::set(&Act::which), gen::set(&Act::other));
  }
};
}  // namespace rc

namespace starbus::entity {
namespace {

RC_GTEST_PROP(BoardProperty, BehavesLikeItsModel,
              (const std::vector<Act>& acts, const std::vector<Act>& reactions)) {
  World world(reactions);
  for (std::uint8_t i = 0; i < 4; ++i) {
    world.outer({0, i, i});
    world.outer({3, i, static_cast<std::uint8_t>(i % 2)});
  }
  for (const Act& act : acts) world.outer(act);
  for (std::uint8_t i = 0; i < 3; ++i) world.outer({15, 1, i});
}

}  // namespace
}  // namespace starbus::entity
