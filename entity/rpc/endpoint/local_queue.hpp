#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "entity/rpc/caller.hpp"
#include "entity/rpc/dictionary.hpp"

namespace starbus::entity::rpc {

class CallableBase;

namespace detail {
class EndpointCore;
}

/// An object's place at an endpoint; never means another object.
struct SlotRef {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  friend bool operator==(const SlotRef&, const SlotRef&) = default;
};
/// No place: nothing is bound there.
inline constexpr SlotRef kNowhere{std::numeric_limits<std::uint32_t>::max(), 0};

/// A call or a one-way message for an object of this process, with its arguments as values.
class LocalMessage {
 public:
  LocalMessage(const MethodInfo& called, SlotRef to, Behalf on_behalf)
      : method(&called), slot(to), behalf(on_behalf) {}
  LocalMessage(const LocalMessage&) = delete;
  LocalMessage& operator=(const LocalMessage&) = delete;
  virtual ~LocalMessage() = default;

  /// Runs the method and answers. Returns when the work that the answer set off ended, in ticks, so
  /// that the method's frame need not read the clock again; 0: not known.
  virtual std::uint64_t run(detail::EndpointCore& at, CallableBase& object, Caller& caller) = 0;
  /// Answers with an error; the method is not run.
  virtual void fail(detail::EndpointCore& at, const Error& error) = 0;

  const MethodInfo* method;
  SlotRef slot;
  Behalf behalf;
  std::uint64_t client = 0;
  bus::Trace trace{};

 private:
  friend class LocalQueue;
  LocalMessage* next_ = nullptr;
};

/// First in, first out; owns its messages. Intrusive: adding never allocates. Belongs to the loop's
/// thread.
class LocalQueue {
 public:
  LocalQueue() = default;
  LocalQueue(const LocalQueue&) = delete;
  LocalQueue& operator=(const LocalQueue&) = delete;
  ~LocalQueue() {
    while (!empty()) pop();
  }
  bool empty() const { return first_ == nullptr; }
  /// Adds it at the end.
  void push(std::unique_ptr<LocalMessage> message) {
    LocalMessage* const added = message.release();
    assert(added->next_ == nullptr);
    *last_ = added;
    last_ = &added->next_;
  }
  /// Requires a message.
  std::unique_ptr<LocalMessage> pop() {
    assert(!empty());
    std::unique_ptr<LocalMessage> message(first_);
    first_ = message->next_;
    if (first_ == nullptr) last_ = &first_;
    message->next_ = nullptr;
    return message;
  }
  /// Moves all messages of the other to the end of this one.
  void append(LocalQueue& other) {
    if (other.empty()) return;
    *last_ = other.first_;
    last_ = other.last_;
    other.first_ = nullptr;
    other.last_ = &other.first_;
  }
  /// Moves the messages for one object, `most` of them, to the end of `out`; both keep their order.
  /// Looks no further than the last of these.
  void extract(SlotRef slot, LocalQueue& out,
               std::size_t most = std::numeric_limits<std::size_t>::max()) {
    for (LocalMessage** at = &first_; *at != nullptr && most > 0;) {
      if ((*at)->slot != slot) {
        at = &(*at)->next_;
        continue;
      }
      std::unique_ptr<LocalMessage> found(*at);
      *at = found->next_;
      if (*at == nullptr) last_ = at;
      found->next_ = nullptr;
      out.push(std::move(found));
      --most;
    }
  }

 private:
  LocalMessage* first_ = nullptr;
  LocalMessage** last_ = &first_;
};

/// The path to an object of this process, in one lane.
struct LocalLane {
  enum class State : std::uint8_t {
    unfenced,  // nothing was sent this way
    fencing,   // messages wait until those that took the bus have been handled
    open,
  };
  State state = State::unfenced;
  LocalQueue held;
};

}  // namespace starbus::entity::rpc
