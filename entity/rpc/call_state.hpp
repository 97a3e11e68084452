#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <chrono>
#include <optional>

#include "entity/rpc/callable.hpp"
#include "entity/rpc/endpoint/pending_calls.hpp"
#include "entity/rpc/reply.hpp"

namespace starbus::entity::rpc {

/// Waits for the end of a call.
class Waiter {
 public:
  /// Goes on with the answer. Returns when the work that this set off ended, in ticks, if it
  /// measures itself; else 0.
  virtual std::uint64_t wake() = 0;
  /// The loop ends first: wake() will never be called.
  virtual void abandon() {}
  /// wake() measures and shows what it runs: a coroutine of an object.
  const bool measures_itself;

 protected:
  explicit Waiter(bool measures) : measures_itself(measures) {}
  ~Waiter() = default;
};

/// One call that was begun, until its answer has been taken: shared by its caller (Pending) and by
/// its callee (a queued message, a coroutine, the bus). Ends once, with the first of: the answer,
/// the deadline, cancellation, the end of its owner or of the endpoint. Internal; belongs to the
/// loop's thread, as its reference count does.
class CallState : public boost::intrusive_ref_counter<CallState, boost::thread_unsafe_counter> {
 public:
  CallState(PendingCalls& calls, const MethodInfo& method, CallableBase* owner,
            std::chrono::milliseconds deadline);
  CallState(const CallState&) = delete;
  CallState& operator=(const CallState&) = delete;
  virtual ~CallState();

  bool ended() const { return ended_; }
  const MethodInfo& method() const { return method_; }
  /// A coroutine waits for its end.
  bool awaited() const { return waiter_ != nullptr && waiter_->measures_itself; }
  /// Another call of the same owner; null: the last.
  const CallState* next_of_owner() const { return owner_after_; }

  /// Ends with an error, unless it has ended. The waiter goes on at once...
  void fail(const Error& error);
  /// ...or on a later turn of the loop: for callers that are not the loop's own work.
  void fail_later(const Error& error);
  /// Ends with what the bus brought.
  virtual void take_bytes(ByteView answer) = 0;
  void owner_ended();
  /// If its owner ends, a callback is let go, and never called: it may refer to the owner. A Task
  /// that waits goes on all the same, with `canceled`: unless it is the owner's, it is another's.
  void drop_with_owner() { drops_with_owner_ = true; }
  /// Ends as closed.
  void endpoint_ended();
  /// The answer is not there within this turn: from now on the deadline counts.
  void arm_deadline();

  /// One waiter at a time; null takes it away.
  void wait(Waiter* waiter) { waiter_ = waiter; }
  /// As Waiter::wake; 0 if nothing waits.
  std::uint64_t wake();
  void wake_later();
  void abandon();
  boost::asio::io_context& loop() const { return loop_; }

 protected:
  virtual void set_error(const Error& error) = 0;
  /// For an answer that is none.
  std::string no_answer_text() const;
  /// Takes it off all lists. False: it has ended before.
  bool end();

 private:
  friend class PendingCalls;
  void unlink_from_owner();

  PendingCalls* calls_;  // null once the endpoint has ended
  const MethodInfo& method_;
  boost::asio::io_context& loop_;
  CallableBase* owner_;
  CallState* owner_before_ = nullptr;
  CallState* owner_after_ = nullptr;
  CallState* before_ = nullptr;  // in PendingCalls
  CallState* after_ = nullptr;
  Waiter* waiter_ = nullptr;
  std::chrono::milliseconds deadline_;
  std::optional<Deadlines::iterator> armed_;
  bool ended_ = false;
  bool drops_with_owner_ = false;
};

/// The call of a method that answers T, or refuses with E. Belongs to the loop's thread.
template <class T, class E>
class TypedCall final : public CallState {
 public:
  using CallState::CallState;
  /// Ends with an answer, unless it has ended; the waiter goes on at once. Returns as wake().
  std::uint64_t answer(Reply<T, E> reply) {
    if (!end()) return 0;
    reply_.emplace(std::move(reply));
    return wake();
  }
  void take_bytes(ByteView bytes) override {
    if (ended()) return;
    Reply<T, E> reply = decode_answer<T, E>(bytes);
    if (!reply && reply.error() == Errc::bad_bytes && reply.error().detail.empty()) {
      reply = Failure<E>(Error(Errc::bad_bytes, no_answer_text()));
    }
    answer(std::move(reply));
  }
  /// Requires ended(); once.
  Reply<T, E> take() { return std::move(*reply_); }

 private:
  void set_error(const Error& error) override { reply_.emplace(Failure<E>(error)); }
  std::optional<Reply<T, E>> reply_;
};

}  // namespace starbus::entity::rpc
