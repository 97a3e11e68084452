/// Coroutines that end with an object: the return type of methods that answer later.
///
///   rpc::Task<rpc::Reply<int>> Guild::invite(rpc::Caller& from, std::string name) {
///     auto asked = rpc::call<&Player::ask>(endpoint, "player/" + name, {}, id_);
///     const auto answer = co_await std::move(asked);
///     ...
///
/// When the object ends (CallableBase::close_rpc, or its destructor) the frames are destroyed where
/// they are suspended, and nothing of them runs any more. An Asio coroutine cannot promise that: it
/// belongs to whatever it waits for. Destructors of the frame's variables do run then; if they use
/// the object, call close_rpc before it goes.
///
/// A Task may await: the result of rpc::call; another Task; and every Asio operation that is given
/// the token boost::asio::deferred, which then yields the results: nothing, one value
/// (an error_code, a bus::Result), or a tuple of them. Only awaiting a Task throws: what that Task
/// has thrown. A pending operation is canceled when its frame is destroyed.
///
/// Belongs to the loop's thread. A Task that is not awaited and not spawned never runs.
///
/// **g++ 12** destroys some temporaries within a co_await expression twice: structs in braces and
/// lambdas, if they own memory. rpc::call and all that is awaited without a token refuse those at
/// compile time. It also lays out the frame of a coroutine wrongly that awaits in a condition and
/// declares no variable: a Task that is one ends the process as it is made, with a line that says
/// so. docs/design/gcc12.md has what is left.
#pragma once

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "base/co_await_trap.hpp"
#include "base/coroutine_frame.hpp"
#include "entity/rpc/running.hpp"

namespace starbus::entity::rpc {

template <class T>
class Task;

namespace detail {

struct PromiseBase : CheckedFrame {
  Running* running = nullptr;
  std::coroutine_handle<> parent;  // waits for the end of this one
  bool detached = false;           // the parent is suspended: its first run has returned
  std::exception_ptr thrown;

  struct Final {
    bool await_ready() noexcept { return false; }
    template <class P>
    void await_suspend(std::coroutine_handle<P> handle) noexcept {
      PromiseBase& self = handle.promise();
      if (self.parent && self.detached) self.running->go_on_with(self.parent);
    }
    void await_resume() noexcept {}
  };
  std::suspend_always initial_suspend() noexcept { return {}; }
  Final final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { thrown = std::current_exception(); }
};

/// The result of an Asio operation, kept until both it and the frame have let go.
template <class... A>
struct Completion {
  std::optional<std::tuple<A...>> values;
  Running* running = nullptr;
  std::coroutine_handle<> waiting;
  boost::asio::cancellation_signal cancel;
};

template <class Signature>
struct CompletionOf;
template <class R, class... A>
struct CompletionOf<R(A...)> {
  using type = Completion<std::decay_t<A>...>;
};

template <class State>
struct CompletionHandler {
  using cancellation_slot_type = boost::asio::cancellation_slot;
  cancellation_slot_type get_cancellation_slot() const noexcept { return state->cancel.slot(); }

  template <class... A>
  void operator()(A&&... values) {
    state->values.emplace(std::forward<A>(values)...);
    const auto held = std::move(state);
    if (held->waiting) held->running->resume(std::exchange(held->waiting, {}));
  }
  std::shared_ptr<State> state;
};

/// Awaits an operation of Asio.
template <class Operation>
class OperationAwaiter {
 public:
  using State = typename CompletionOf<boost::asio::completion_signature_of_t<Operation>>::type;

  OperationAwaiter(Operation&& operation, Running* running)
      : operation_(std::move(operation)), running_(running) {}
  OperationAwaiter(const OperationAwaiter&) = delete;
  OperationAwaiter& operator=(const OperationAwaiter&) = delete;
  ~OperationAwaiter() {
    if (!state_->waiting) return;
    state_->waiting = {};
    state_->cancel.emit(boost::asio::cancellation_type::terminal);
  }

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) {
    std::move(operation_)(CompletionHandler<State>{state_});
    if (state_->values) return false;
    state_->running = running_;
    state_->waiting = handle;
    return true;
  }
  auto await_resume() {
    auto& values = *state_->values;
    if constexpr (std::tuple_size_v<std::remove_reference_t<decltype(values)>> == 0) {
      return;
    } else if constexpr (std::tuple_size_v<std::remove_reference_t<decltype(values)>> == 1) {
      return std::get<0>(std::move(values));
    } else {
      return std::move(values);
    }
  }

 private:
  Operation operation_;
  Running* running_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

template <class T>
struct TaskAwaiter {
  bool await_ready() const noexcept { return false; }
  template <class P>
  bool await_suspend(std::coroutine_handle<P> parent) {
    auto& promise = child.promise();
    promise.running = parent.promise().running;
    promise.parent = parent;
    child.resume();
    promise.detached = !child.done();
    return promise.detached;
  }
  T await_resume() { return child.promise().take(); }
  typename Task<T>::Handle child;  // the Task lives in the awaiting frame
};

struct TaskPromise : PromiseBase {
  template <class T>
  TaskAwaiter<T> await_transform(Task<T>&& task) {
    return {task.handle()};
  }
  template <class Awaited>
  requires std::is_base_of_v<NotAwaitable, std::remove_cvref_t<Awaited>> std::suspend_never
  await_transform(Awaited&&) {
    static_assert(sizeof(Awaited) == 0,
                  "g++ 12 would destroy a temporary of this co_await expression twice: give it a "
                  "name first, in a statement of its own (docs/design/gcc12.md)");
    return {};
  }
  /// Pending, and all other types with an awaiter(Running*).
  template <class Awaited>
  requires requires(Awaited&& awaited, Running* run) { std::move(awaited).awaiter(run); }
  auto await_transform(Awaited&& awaited) { return std::move(awaited).awaiter(running); }
  template <class Operation>
  requires(!std::is_lvalue_reference_v<Operation> &&
           !requires(Operation && op, Running* run) { std::move(op).awaiter(run); } &&
           boost::asio::is_async_operation<Operation>::value)
      OperationAwaiter<Operation> await_transform(Operation&& operation) {
    return {std::move(operation), running};
  }
};

template <class T>
struct ValuePromise : TaskPromise {
  Task<T> get_return_object();
  template <class U>
  void return_value(U&& value) {
    result.emplace(std::forward<U>(value));
  }
  T take() {
    if (thrown) std::rethrow_exception(thrown);
    return std::move(*result);
  }
  std::optional<T> result;
};

struct VoidPromise : TaskPromise {
  Task<void> get_return_object();
  void return_void() {}
  void take() {
    if (thrown) std::rethrow_exception(thrown);
  }
};

}  // namespace detail

/// Owns its frame. Move-only.
template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type =
      std::conditional_t<std::is_void_v<T>, detail::VoidPromise, detail::ValuePromise<T>>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      if (handle_) handle_.destroy();
      handle_ = std::exchange(other.handle_, {});
    }
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }
  Handle handle() const { return handle_; }

 private:
  Handle handle_;
};

template <class T>
Task<T> detail::ValuePromise<T>::get_return_object() {
  return Task<T>(checked(std::coroutine_handle<ValuePromise<T>>::from_promise(*this)));
}
inline Task<void> detail::VoidPromise::get_return_object() {
  return Task<void>(checked(std::coroutine_handle<VoidPromise>::from_promise(*this)));
}

}  // namespace starbus::entity::rpc
