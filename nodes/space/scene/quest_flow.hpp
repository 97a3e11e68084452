/// The flow of a scene: one quest is active, and what happens in the scene ends it and begins the
/// next one.
///
///   QuestFlow flow(scene.quests, [](std::uint32_t id) { ... });   // what is active now; 0: none
///   flow.begin(now);
///   flow.killed(5, now);                                          // and so on
///   flow.advance(now);                                            // at due() at the latest
///
/// The callback comes when the next quest has begun, so that whoever hears the new id finds it
/// waiting for what it waits for. It may call the flow again. A quest leaves nothing behind: no
/// timer, no subscription. Sans-IO; belongs to the loop's thread. Never fails: a flow that would
/// change without end stops.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "nodes/space/scene/scene_data.hpp"

namespace starbus::nodes::space {

class QuestFlow {
 public:
  using Time = std::chrono::nanoseconds;
  using Changed = std::function<void(std::uint32_t id)>;

  /// The rows of a scene that was read, in the order of their ids.
  QuestFlow(std::vector<QuestRow> rows, Changed changed)
      : rows_(std::move(rows)), changed_(std::move(changed)) {}
  QuestFlow(const QuestFlow&) = delete;
  QuestFlow& operator=(const QuestFlow&) = delete;

  /// The first quest begins.
  void begin(Time now);
  /// Another one, whatever the present one waits for: a designer skips, a game decides. One that
  /// does not exist: none is active then.
  void change_to(std::uint32_t id, Time now);
  /// None is active.
  void stop();

  /// One of this spawn row was killed.
  void killed(std::uint32_t spawn, Time now);
  /// Somebody came into a trap, or the last one has left it.
  void trap(std::uint32_t trap, bool occupied, Time now);
  /// Of the game, by its name.
  void event(std::string_view name, Time now);
  /// Time passes.
  void advance(Time now);

  /// The id of the active quest; 0: none.
  std::uint32_t active() const { return row_ == nullptr ? 0 : row_->id; }
  /// Of the active one: monsters, traps or events that it waits for still.
  std::size_t remaining() const { return numbers_.size() + names_.size(); }
  /// When advance() has something to do; nullopt: never.
  std::optional<Time> due() const { return due_; }
  /// It has stopped because of kQuestSteps.
  bool runaway() const { return runaway_; }

 private:
  void enter(std::uint32_t id);
  void done() { next_ = row_->next; }
  void mark(std::uint32_t number, bool any);
  void settle(Time now);

  const std::vector<QuestRow> rows_;
  const Changed changed_;
  const QuestRow* row_ = nullptr;             // the active one
  std::set<std::uint32_t> numbers_;           // that it waits for
  std::set<std::string, std::less<>> names_;  // likewise
  std::set<std::uint32_t> occupied_;          // traps, whatever is active
  std::optional<std::uint32_t> next_;         // to be entered
  std::optional<Time> due_;
  Time now_{};
  bool settling_ = false;
  bool runaway_ = false;
};

}  // namespace starbus::nodes::space
