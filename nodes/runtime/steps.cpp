#include "nodes/runtime/steps.hpp"

#include <algorithm>
#include <utility>

namespace starbus::nodes {

bus::Result<> Steps::add(std::string name, Step step) {
  if (name.empty() || name.size() > kMaxStepName) {
    return bus::Error(bus::Errc::bad_name, "a step '" + name.substr(0, kMaxStepName) + "'");
  }
  if (steps_.size() == kMaxSteps) {
    return bus::Error(bus::Errc::bad_config, "more than " + std::to_string(kMaxSteps) + " steps");
  }
  steps_.push_back(std::make_unique<Named>(Named{std::move(name), std::move(step)}));
  return {};
}

void Steps::run(Order order, OnError on_error,
                std::function<void(const std::string&, const bus::Error&)> failed, Done done) {
  auto run = std::make_shared<Run>();
  for (const auto& step : steps_) run->left.push_back(step.get());
  if (order == Order::as_added) std::ranges::reverse(run->left);
  run->on_error = on_error;
  run->failed = std::move(failed);
  run->done = std::move(done);
  run_ = run;
  advance(run);
}

/// A loop, and no recursion: a thousand steps that end at once need no deep stack.
void Steps::advance(const std::shared_ptr<Run>& run) {
  while (run_ == run) {
    if (run->left.empty()) {
      run_ = nullptr;
      return run->done({});
    }
    const Named& step = *std::exchange(run->left.back(), nullptr);
    run->left.pop_back();
    name_ = step.name;
    const std::size_t number = ++run->number;
    run->starting = true;
    run->returned = false;
    step.step([this, weak = std::weak_ptr(run), number](bus::Result<> result) {
      if (const auto held = weak.lock()) ended(held, number, result);
    });
    run->starting = false;
    if (!run->returned) return;  // it goes on when that has come
  }
}

void Steps::ended(const std::shared_ptr<Run>& run, std::size_t number,
                  const bus::Result<>& result) {
  if (run_ != run || run->number != number || run->returned) return;
  run->returned = true;
  if (!result) {
    run->failed(name_, result.error());
    if (run_ != run) return;
    if (run->on_error == OnError::stop) {
      run_ = nullptr;
      return run->done(result);
    }
  }
  if (!run->starting) advance(run);
}

std::string Steps::current() const {
  if (!run_) return {};
  return "'" + name_ + "', " + std::to_string(run_->number) + " of " +
         std::to_string(steps_.size());
}

}  // namespace starbus::nodes
