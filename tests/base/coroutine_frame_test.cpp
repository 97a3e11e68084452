/// Coroutines that g++ 12 lays out wrongly: seen as they are made.
#include "base/coroutine_frame.hpp"

#include <gtest/gtest.h>

#include <coroutine>
#include <optional>

namespace starbus {
namespace {

struct Step {
  struct promise_type : CheckedFrame {
    std::optional<int> value;

    Step get_return_object() {
      return {checked(std::coroutine_handle<promise_type>::from_promise(*this))};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_value(int result) { value = result; }
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
struct Answer {
  bool is;
  bool await_ready() const noexcept { return true; }
  void await_suspend(std::coroutine_handle<>) noexcept {}
  bool await_resume() const noexcept { return is; }
};

std::optional<int> end_of(Step step) {
  step.handle.resume();
  const auto value = step.handle.promise().value;
  step.handle.destroy();
  return value;
}

Step with_a_variable(long number) {
  const bool is = co_await Answer{number > 5};
  if (is && co_await Answer{number > 6}) co_return 3;
  co_return 4;
}
TEST(CoroutineFrame, OneWithAVariableRuns) {
  EXPECT_EQ(end_of(with_a_variable(7)), 3);
  EXPECT_EQ(end_of(with_a_variable(1)), 4);
}

// check-coroutines: on purpose
Step without_a_variable(long number) {
  if (co_await Answer{number > 5}) co_return 3;
  co_return 4;
}
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
TEST(CoroutineFrameDeathTest, OneWithoutEndsTheProcessAsItIsMade) {
  EXPECT_DEATH(without_a_variable(7),
               "laid out the frame of a coroutine wrongly.*declares no variable");
}
#else
TEST(CoroutineFrame, OneWithoutRunsWithOtherCompilers) {
  EXPECT_EQ(end_of(without_a_variable(7)), 3);
  EXPECT_EQ(end_of(without_a_variable(1)), 4);
}
#endif

}  // namespace
}  // namespace starbus
