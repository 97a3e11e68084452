/// Tasks that wait for other tasks: a graph over TaskChannels, to load or compute in pieces.
///
///   const auto terrain = *graph.add({}, "", [] { return read_terrain(); }, [...](auto terrain)
///   {}); graph.add({terrain}, "", [...] { return find_paths(); }, [...](auto paths) { ... });
///   graph.when_done([this](const TaskGraph::Counts& counts) { open(counts.failed == 0); });
///
/// Belongs to the loop's thread; TaskChannels outlives it. Its end drops the completions that have
/// not been called, and tasks that have not begun never run. A task can only wait for existing ids,
/// so there are no cycles. Failures are values. docs/guide/tasks.md has the promises.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nodes/runtime/tasks/task_channels.hpp"

namespace starbus::nodes {

class TaskGraph {
 public:
  /// One task of this graph. The default is none.
  struct Id {
    std::size_t number = 0;  // from 1

    friend bool operator==(const Id&, const Id&) = default;
  };
  struct Options {
    std::size_t at_once = kGraphAtOnce;  // handed to the workers; at least one
  };
  struct Counts {
    std::size_t added = 0;
    std::size_t succeeded = 0;
    std::size_t failed = 0;  // threw, or could not begin because another had failed

    std::size_t remaining() const { return added - succeeded - failed; }
  };

  explicit TaskGraph(TaskChannels& tasks) : TaskGraph(tasks, Options{}) {}
  TaskGraph(TaskChannels& tasks, Options options)
      : tasks_(tasks), at_once_(options.at_once > 0 ? options.at_once : 1) {}
  TaskGraph(const TaskGraph&) = delete;
  TaskGraph& operator=(const TaskGraph&) = delete;

  /// Runs `work` on a worker when the completions of all of `after` have returned, then
  /// `done(bus::Result<...>)` on the loop; never within this call. If one of them fails, `work`
  /// does not run and `done` gets handler_failed, with the reason. Channels as of
  /// TaskChannels::submit. Errors: would_block (kMaxGraphTasks, or those of the channels), closed,
  /// bad_name, unknown ids and such that have failed already: handler_failed; then neither is
  /// called.
  template <class Work, class Done>
  bus::Result<Id> add(const std::vector<Id>& after, std::string channel, Work work, Done done) {
    using Value = std::invoke_result_t<Work&>;
    const auto told = std::make_shared<Done>(std::move(done));
    return add(after,
               Piece{starter(next_id(), std::move(channel), std::move(work), told),
                     [told](bus::Error error) { (*told)(bus::Result<Value>(std::move(error))); }});
  }

  /// Called each time that no task remains, after the completion of the last one; at once if there
  /// is none. Replaces the former callback.
  void when_done(std::function<void(const Counts&)> callback);

  const Counts& counts() const { return counts_; }

 private:
  enum class State : std::uint8_t { waiting, begun, succeeded, failed };
  using Refuse = std::function<void(bus::Error)>;
  /// The part of a task that is kept until it has begun.
  struct Piece {
    std::function<bus::Result<>()> start;
    Refuse refuse;
  };
  struct Node {
    State state = State::waiting;
    std::size_t waits = 0;  // for so many
    std::vector<std::size_t> followers;
    Piece piece;
  };

  Id next_id() const { return {nodes_.size() + 1}; }

  template <class Work, class Done>
  std::function<bus::Result<>()> starter(Id id, std::string channel, Work work,
                                         std::shared_ptr<Done> told) {
    // Shared since what a std::function holds is copied in theory; it is called once.
    auto shared = std::make_shared<Work>(std::move(work));
    return [this, id, channel = std::move(channel), shared, told] {
      return tasks_.submit(
          channel, owner_, [work = std::move(*shared)]() mutable { return work(); },
          [this, alive = std::weak_ptr(alive_), id, told](auto result) {
            const std::string reason = result ? std::string() : result.error().to_string();
            (*told)(std::move(result));
            if (!alive.expired()) finished(id.number, reason);
          });
    };
  }

  bus::Result<Id> add(const std::vector<Id>& after, Piece piece);
  bus::Result<std::size_t> waits_for(const std::vector<Id>& after) const;
  Node& node(std::size_t number) { return nodes_[number - 1]; }
  const Node& node(std::size_t number) const { return nodes_[number - 1]; }
  bus::Result<> begin(std::size_t number);
  void finished(std::size_t number, const std::string& reason);
  void settle();

  TaskChannels& tasks_;
  const std::size_t at_once_;
  std::deque<Node> nodes_;  // by Id::number - 1
  std::deque<std::size_t> ready_;
  std::deque<std::pair<std::size_t, std::string>> doomed_;  // and why
  std::size_t begun_ = 0;                                   // and not finished
  bool settling_ = false;
  Counts counts_;
  std::function<void(const Counts&)> when_done_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  TaskOwner owner_;
};

}  // namespace starbus::nodes
