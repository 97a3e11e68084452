/// Named asynchronous steps that run one after the other: before a node is ready, and when it
/// drains.
///
/// Sans-IO: a caller with a deadline asks current(). Belongs to one thread; owns the steps. A step
/// calls its `done` once, at once or later; a second call, and a call after the run was abandoned,
/// do nothing. Failures are values.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bus/core/error.hpp"
#include "nodes/runtime/node_limits.hpp"

namespace starbus::nodes {

using Done = std::function<void(bus::Result<>)>;
using Step = std::function<void(Done)>;

class Steps {
 public:
  enum class Order { as_added, reversed };
  enum class OnError { stop, go_on };

  /// bad_name: empty, or longer than kMaxStepName; bad_config: more than kMaxSteps.
  bus::Result<> add(std::string name, Step step);

  /// Calls `done` once, with the first error, unless the run is abandoned. Abandons an earlier run.
  /// With OnError::go_on, `failed` receives each error, and the result is ok.
  void run(Order order, OnError on_error,
           std::function<void(const std::string& name, const bus::Error&)> failed, Done done);
  /// Abandons the run: no further step begins, and `done` is not called.
  void give_up() { run_ = nullptr; }

  /// The running step: "'rooms', 2 of 3"; empty if no step runs.
  std::string current() const;
  std::size_t size() const { return steps_.size(); }

 private:
  struct Named {
    std::string name;
    Step step;
  };
  struct Run {
    std::vector<const Named*> left;  // the next at the back
    std::size_t number = 0;          // of the present one
    OnError on_error = OnError::stop;
    std::function<void(const std::string&, const bus::Error&)> failed;
    Done done;
    bool starting = false;  // its step has not returned: what follows is run from the loop below
    bool returned = false;
  };
  void advance(const std::shared_ptr<Run>& run);
  void ended(const std::shared_ptr<Run>& run, std::size_t number, const bus::Result<>& result);

  std::vector<std::unique_ptr<Named>> steps_;
  std::shared_ptr<Run> run_;
  std::string name_;  // of the present step
};

}  // namespace starbus::nodes
