/// The result of rpc::call.
#pragma once

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <coroutine>
#include <memory>

#include "base/unit_guard.hpp"
#include "entity/rpc/call_state.hpp"
#include "entity/rpc/running.hpp"

namespace starbus::entity::rpc {

/// A call that has begun. Await it in a Task or in an Asio coroutine, or hand it a completion token
/// (a callback `void(Reply<T, E>)`, use_future...); once. Dropped, it is canceled. Move-only, and
/// holds none of the arguments. Belongs to the loop's thread.
template <class T, class E>
class [[nodiscard]] Pending {
 public:
  using ReplyType = Reply<T, E>;
  using State = TypedCall<T, E>;

  explicit Pending(boost::intrusive_ptr<State> state) : state_(std::move(state)) {}
  Pending(Pending&& other) noexcept = default;
  Pending& operator=(Pending&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Pending() {
    if (state_ == nullptr) return;
    state_->wait(nullptr);
    state_->fail(Errc::canceled);  // nothing waits: this runs nothing
  }

  bool ready() const { return state_->ended(); }
  boost::asio::io_context& loop() const { return state_->loop(); }
  const MethodInfo& method() const { return state_->method(); }
  /// The outcome, once it is ready.
  ReplyType take() && { return state_->take(); }
  /// Ends it as canceled, on a later turn of the loop; the method may run all the same.
  void cancel() { state_->fail_later(Errc::canceled); }
  /// See CallState::drop_with_owner.
  void drop_with_owner() { state_->drop_with_owner(); }

  /// For Task. Belongs to the loop's thread.
  class Awaiter final : public Waiter {
   public:
    Awaiter(Pending&& pending, Running* running)
        : Waiter(true), pending_(std::move(pending)), running_(running) {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    ~Awaiter() = default;
    bool await_ready() const { return pending_.ready(); }
    /// Wakes the coroutine when the call has ended.
    void await_suspend(std::coroutine_handle<> handle) {
      handle_ = handle;
      pending_.state_->wait(this);
    }
    ReplyType await_resume() { return pending_.state_->take(); }
    std::uint64_t wake() override { return running_->resume(handle_); }

   private:
    Pending pending_;
    Running* running_;
    std::coroutine_handle<> handle_;
  };
  Awaiter awaiter(Running* running) && { return Awaiter(std::move(*this), running); }

  /// An operation of Asio: a completion token starts to wait. Honours the token's executor and its
  /// cancellation slot.
  template <boost::asio::completion_token_for<void(ReplyType)> Token>
  auto operator()(Token&& token) && {
    return boost::asio::async_initiate<Token, void(ReplyType)>(
        [](auto handler, Pending pending) { begin_wait(std::move(handler), std::move(pending)); },
        token, std::move(*this));
  }

 private:
  template <class Handler>
  static void begin_wait(Handler handler, Pending pending);

  boost::intrusive_ptr<State> state_;
};

/// Waits for a call with a completion handler of Asio. Owns both, and itself from the time it waits
/// until it is woken or abandoned. Belongs to the loop's thread.
template <class T, class E, class Handler>
class HandlerWaiter final : public Waiter {
 public:
  HandlerWaiter(Handler handler, Pending<T, E> pending)
      : Waiter(false), handler_(std::move(handler)), pending_(std::move(pending)) {}

  /// The handler's cancellation slot cancels the call.
  void listen_for_cancellation() {
    auto slot = boost::asio::get_associated_cancellation_slot(handler_);
    if (!slot.is_connected()) return;
    slot.assign([this](boost::asio::cancellation_type) { pending_.cancel(); });
  }
  std::uint64_t wake() override {
    std::unique_ptr<HandlerWaiter> self(this);
    auto slot = boost::asio::get_associated_cancellation_slot(handler_);
    if (slot.is_connected()) slot.clear();
    const auto executor =
        boost::asio::get_associated_executor(handler_, pending_.loop().get_executor());
    auto handler = std::move(handler_);
    auto reply = std::move(pending_).take();
    // Within what is dispatched: an executor keeps an exception for its own run(). It may run in
    // the callee's turn, and what it throws is not the callee's.
    const auto place = [work = CurrentWork::answer(pending_.method())] { return work.name(); };
    self.reset();
    boost::asio::dispatch(
        executor, [handler = std::move(handler), reply = std::move(reply), place]() mutable {
          guarded(UnitKind::completion, place, [&] { std::move(handler)(std::move(reply)); });
        });
    return 0;
  }
  void abandon() override {
    const std::unique_ptr<HandlerWaiter> self(this);
    auto slot = boost::asio::get_associated_cancellation_slot(handler_);
    if (slot.is_connected()) slot.clear();
  }

 private:
  Handler handler_;
  Pending<T, E> pending_;
};

template <class T, class E>
template <class Handler>
void Pending<T, E>::begin_wait(Handler handler, Pending pending) {
  const boost::intrusive_ptr<State> state = pending.state_;
  auto waiter =
      std::make_unique<HandlerWaiter<T, E, Handler>>(std::move(handler), std::move(pending));
  waiter->listen_for_cancellation();
  state->wait(waiter.release());
  if (state->ended()) state->wake_later();
}

}  // namespace starbus::entity::rpc
