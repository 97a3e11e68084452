// A coroutine in a header.
#pragma once

#include <coroutine>
#include <exception>

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

struct Ready {
  bool await_ready() const noexcept { return true; }
  void await_suspend(std::coroutine_handle<>) const noexcept {}
  bool await_resume() const noexcept { return true; }
};

inline Task count_in_header(int& seen) {
  const bool there = co_await Ready{};
  if (there) ++seen;
}
