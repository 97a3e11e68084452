#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "entity/rpc/caller.hpp"
#include "entity/rpc/dictionary.hpp"

namespace starbus::entity::rpc {

class HostBase;
struct ClassLoad;

/// An object's place at an endpoint; never means another object.
struct SlotRef {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
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

  /// Says when those who waited for it had gone on, in ticks, if that was the last that it did and
  /// they were measured: nobody need look at the clock again. Else 0.
  virtual std::uint64_t run(HostBase& object, Caller& caller) = 0;
  virtual void fail(Endpoint& endpoint, const Error& error) = 0;

  const MethodInfo* method;
  LocalMessage* next = nullptr;
  SlotRef slot;
  Behalf behalf;
  std::uint64_t client = 0;
  bus::Trace trace{};
};

/// First in, first out; owns what is in it. Intrusive: adding never allocates.
class LocalQueue {
 public:
  LocalQueue() = default;
  LocalQueue(const LocalQueue&) = delete;
  LocalQueue& operator=(const LocalQueue&) = delete;
  ~LocalQueue() {
    while (!empty()) delete pop();
  }
  bool empty() const { return first_ == nullptr; }
  void push(LocalMessage* message) {
    *last_ = message;
    last_ = &message->next;
  }
  LocalMessage* pop() {
    LocalMessage* message = first_;
    first_ = message->next;
    if (first_ == nullptr) last_ = &first_;
    message->next = nullptr;
    return message;
  }
  /// Everything of the other, behind what is here.
  void append(LocalQueue& other) {
    if (other.empty()) return;
    *last_ = other.first_;
    last_ = other.last_;
    other.first_ = nullptr;
    other.last_ = &other.first_;
  }
  /// What is for one object, in order; the rest stays, in order.
  void extract(SlotRef slot, LocalQueue& out) {
    LocalQueue rest;
    while (!empty()) {
      LocalMessage* message = pop();
      const bool match =
          message->slot.index == slot.index && message->slot.generation == slot.generation;
      (match ? out : rest).push(message);
    }
    append(rest);
  }

 private:
  LocalMessage* first_ = nullptr;
  LocalMessage** last_ = &first_;
};

/// The way to an object of this process, in one lane.
struct LocalLane {
  enum class State : std::uint8_t {
    unfenced,  // nothing was sent this way
    fencing,   // messages are held until what took the bus has been handled
    open,
  };
  State state = State::unfenced;
  LocalQueue held;
};

/// What is bound at an endpoint: a name, and the object that has it.
struct Slot {
  SlotRef ref;
  HostBase* host = nullptr;                 // null: free
  std::shared_ptr<const std::string> name;  // null until it is owned
  bus::ChannelId channel;
  bool moving = false;
  std::uint64_t ticks = 0;         // for the object, while it has this place
  ClassLoad* load = nullptr;       // of its class
  std::array<LocalLane, 3> lanes;  // call, sync, bulk
};

}  // namespace starbus::entity::rpc
