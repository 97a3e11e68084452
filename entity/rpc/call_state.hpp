#pragma once

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include "entity/rpc/host.hpp"
#include "entity/rpc/method.hpp"
#include "entity/rpc/wire.hpp"

namespace starbus::entity::rpc {

class CallState;
using Deadlines = std::multimap<std::chrono::steady_clock::time_point, CallState*>;

/// Who waits for the end of a call.
class Waiter {
 public:
  virtual void wake() = 0;
  /// The loop ends first: this will never be woken.
  virtual void abandon() {}
  /// What wake() runs measures itself, and shows what it is: a coroutine of an object.
  const bool has_turns;

 protected:
  explicit Waiter(bool measures_itself) : has_turns(measures_itself) {}
  ~Waiter() = default;
};

/// One call that was begun, until its answer has been taken: shared by who waits (Pending) and by
/// what will answer (a queued message, a coroutine, the bus). Ends once, with the first of: the
/// answer, the deadline, cancellation, the end of its owner or of the endpoint. Internal; belongs
/// to the loop's thread.
class CallState {
 public:
  CallState(Endpoint& endpoint, const MethodInfo& method, HostBase* owner,
            std::chrono::milliseconds deadline);
  CallState(const CallState&) = delete;
  CallState& operator=(const CallState&) = delete;

  bool ended() const { return ended_; }
  void hold() { ++references_; }
  void drop() {
    if (--references_ == 0) delete this;
  }

  /// Ends with an error, unless it has ended. Whoever waits goes on at once...
  void fail(const Error& error);
  /// ...or on a later turn of the loop: when what calls this is not the loop's own work.
  void fail_later(const Error& error);
  /// What the bus brought. Null: `error` instead.
  virtual void take_bytes(ByteView answer) = 0;
  void owner_ended();
  /// Ends as closed.
  void endpoint_ended();
  /// The answer is not there within this turn: from now on the deadline counts.
  void arm_deadline();

  /// One waiter at a time; null takes it away.
  void wait(Waiter* waiter) { waiter_ = waiter; }
  void wake();
  void wake_later();
  void abandon();
  boost::asio::io_context& loop() const { return loop_; }

 protected:
  virtual ~CallState();
  virtual void set_error(const Error& error) = 0;
  /// False: it has ended before. Takes it off all lists.
  bool end();

 private:
  friend class Endpoint;
  void unlink_from_owner();

  Endpoint* endpoint_;  // null once that has ended
  const MethodInfo& method_;
  boost::asio::io_context& loop_;
  HostBase* owner_;
  CallState* owner_before_ = nullptr;
  CallState* owner_after_ = nullptr;
  CallState* before_ = nullptr;  // of the endpoint
  CallState* after_ = nullptr;
  Waiter* waiter_ = nullptr;
  std::chrono::milliseconds deadline_;
  std::optional<Deadlines::iterator> armed_;
  std::uint32_t references_ = 1;
  bool ended_ = false;
};

/// The bytes of an answer, as what whoever asked gets; bad_bytes if they are none.
template <class T, class E>
Reply<T, E> decode_answer(ByteView bytes) {
  Decoder in(bytes);
  ReplyKind kind{};
  Error error;
  if (!get_reply_head(in, kind, error)) return Failure<E>(Errc::bad_bytes);
  if (kind == ReplyKind::error) return Failure<E>(error);
  if (kind == ReplyKind::refused) {
    E refusal{};
    get_value(in, refusal);
    if (in.finish() != DataErrc::ok) return Failure<E>(Errc::bad_bytes);
    return Failure<E>::of_method(std::move(refusal));
  }
  if constexpr (std::is_void_v<T>) {
    if (in.finish() != DataErrc::ok) return Failure<E>(Errc::bad_bytes);
    return {};
  } else {
    T value{};
    get_value(in, value);
    if (in.finish() != DataErrc::ok) return Failure<E>(Errc::bad_bytes);
    return {in_place_value, std::move(value)};
  }
}

/// The call of a method that answers T, or refuses with E.
template <class T, class E>
class TypedCall final : public CallState {
 public:
  using CallState::CallState;
  void answer(Reply<T, E> reply) {
    if (!end()) return;
    reply_.emplace(std::move(reply));
    wake();
  }
  void take_bytes(ByteView bytes) override {
    if (!ended()) answer(decode_answer<T, E>(bytes));
  }
  Reply<T, E> take() { return std::move(*reply_); }

 private:
  void set_error(const Error& error) override { reply_.emplace(Failure<E>(error)); }
  std::optional<Reply<T, E>> reply_;
};

/// A call that has begun. Await it in a Task or in an Asio coroutine, or hand it a completion token
/// (a callback `void(Reply<T, E>)`, use_future...); once. Dropped, it is canceled. Move-only, and
/// holds none of the arguments.
template <class T, class E>
class [[nodiscard]] Pending {
 public:
  using ReplyType = Reply<T, E>;
  using State = TypedCall<T, E>;

  /// Takes over one reference.
  explicit Pending(State* state) : state_(state) {}
  Pending(Pending&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Pending& operator=(Pending&& other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Pending() {
    if (state_ == nullptr) return;
    state_->wait(nullptr);
    state_->fail(Errc::canceled);  // nobody waits: this runs nothing
    state_->drop();
  }

  bool ready() const { return state_->ended(); }
  boost::asio::io_context& loop() const { return state_->loop(); }
  /// What it ended with, once it is ready.
  ReplyType take() && { return state_->take(); }
  /// Ends it as canceled, on a later turn of the loop; the method may run all the same.
  void cancel() { state_->fail_later(Errc::canceled); }

  /// For Task.
  class Awaiter final : public Waiter {
   public:
    Awaiter(Pending&& pending, Running* running)
        : Waiter(true), pending_(std::move(pending)), running_(running) {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    ~Awaiter() = default;
    bool await_ready() const { return pending_.ready(); }
    void await_suspend(std::coroutine_handle<> handle) {
      handle_ = handle;
      pending_.state_->wait(this);
    }
    ReplyType await_resume() { return pending_.state_->take(); }
    void wake() override { running_->resume(handle_); }

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

  State* state_;
};

/// Waits for a call with a completion handler of Asio; owns both until the end, and deletes itself.
template <class T, class E, class Handler>
class HandlerWaiter final : public Waiter {
 public:
  HandlerWaiter(Handler handler, Pending<T, E> pending)
      : Waiter(false), handler_(std::move(handler)), pending_(std::move(pending)) {}

  void listen_for_cancellation() {
    auto slot = boost::asio::get_associated_cancellation_slot(handler_);
    if (!slot.is_connected()) return;
    slot.assign([this](boost::asio::cancellation_type) { pending_.cancel(); });
  }
  void wake() override {
    auto slot = boost::asio::get_associated_cancellation_slot(handler_);
    if (slot.is_connected()) slot.clear();
    const auto executor =
        boost::asio::get_associated_executor(handler_, pending_.loop().get_executor());
    auto handler = std::move(handler_);
    auto reply = std::move(pending_).take();
    delete this;
    boost::asio::dispatch(executor,
                          [handler = std::move(handler), reply = std::move(reply)]() mutable {
                            std::move(handler)(std::move(reply));
                          });
  }
  void abandon() override { delete this; }

 private:
  Handler handler_;
  Pending<T, E> pending_;
};

template <class T, class E>
template <class Handler>
void Pending<T, E>::begin_wait(Handler handler, Pending pending) {
  State* state = pending.state_;
  auto* waiter = new HandlerWaiter<T, E, Handler>(std::move(handler), std::move(pending));
  waiter->listen_for_cancellation();
  state->wait(waiter);
  if (state->ended()) state->wake_later();
}

}  // namespace starbus::entity::rpc
