/// Hands messages of the bus to the methods of the objects that are bound here: decodes the header,
/// checks permission, signature and budget, and answers what is refused.
///
/// Belongs to the loop's thread. Treats all bytes as hostile.
#pragma once

#include <optional>
#include <string>

#include "bus/client/message.hpp"
#include "entity/rpc/callable.hpp"
#include "entity/rpc/endpoint/binding_table.hpp"
#include "entity/rpc/endpoint/reply_sender.hpp"

namespace starbus::entity::rpc {

class Dispatcher {
 public:
  explicit Dispatcher(detail::EndpointCore& core) : core_(core) {}

  /// Handles a message for an object, as bytes: the header and the arguments. Null call: a message.
  void dispatch(SlotRef to, const bus::Message& message, bus::Call* call);
  /// Whether a method may be called; `object` is the object or component that has it. Errors:
  /// rpc_not_found, no_such_component, not_permitted.
  /// `client`: whom a gate speaks for; an object's own client must be the one that plays it.
  Errc admit(const Slot& slot, const MethodInfo& method, const bus::Process& origin, Behalf behalf,
             std::uint64_t client, CallableBase*& object, From& from) const;
  /// Runs a request of the client that plays `host`, which its link has let in: a call of this
  /// wire form, from a gate, without rights but those of an own client. `taker` gets the answer,
  /// maybe later.
  void request(CallableBase& host, ByteView call, const bus::Process& from, std::uint64_t client,
               AnswerTaker taker);
  /// Why admit() answers not_permitted, for people: who the caller is, and who may call.
  std::string refusal(const MethodInfo& method, const bus::Process& origin, Behalf behalf) const;

 private:
  Errc dispatch_call(const Slot& slot, Decoder& in, const bus::Message& message, bus::Call* call,
                     std::string& detail);
  Errc invoke(const Slot& slot, Invocation& at, bool question);
  /// Whether this process sent it, as busd has stamped it.
  bool is_own(const bus::Process& origin) const;
  bool may_ask(From from, const bus::Process& origin, const CallHeader& header,
               const bus::Call* call) const;
  /// Nullopt: nobody, as a process that is no gate speaks for a client.
  std::optional<From> kind_of(const bus::Process& origin, Behalf behalf) const;
  Errc take_answer(const Slot& slot, Decoder& in, const bus::Message& message);

  detail::EndpointCore& core_;
};

}  // namespace starbus::entity::rpc
