/// Puts one message to many receivers into the custody of the process, as a multicast. Applies
/// SendOptions::when_full, reports the receivers that were left out, and collects the ends of a
/// message whose outcome is awaited. One thread.
#pragma once

#include <memory>
#include <span>

#include "bus/client/parts/message_sender.hpp"

namespace starbus::bus {

class MulticastSender {
 public:
  MulticastSender(BusContext& context, MessageSender& sender)
      : context_(context), sender_(sender) {}

  /// Receivers of a message: `recipients[i]` is the channel `names[i]`, to which it refers.
  struct Receivers {
    std::vector<Name> names;
    std::vector<Recipient> recipients;
  };
  /// See Bus::multicast. `done` may be null: then failures go to on_undelivered.
  Result<> send(std::span<const std::string> to, ByteView body, const SendOptions& options,
                const Done<GroupOutcome>& done);
  /// The same to known receivers; the role's rights are checked. `full` gets the places of those
  /// that had no room.
  Result<> send(const Receivers& to, ByteView body, const SendOptions& options,
                const Done<GroupOutcome>& done, FullReceivers& full);

 private:
  struct Outcome {
    GroupOutcome ends;
    std::size_t open = 0;  // receivers whose end has not come
    Done<GroupOutcome> done;
  };
  Result<> put(std::span<const Recipient> recipients, ByteView body, const SendOptions& options,
               FullReceivers& full);
  Result<> send_awaited(const Receivers& to, ByteView body, const SendOptions& options,
                        const Done<GroupOutcome>& done, FullReceivers& full);
  void end(const std::shared_ptr<Outcome>& outcome, const Name& name, const Result<>& result);
  void report_left_out(const Receivers& to, Lane lane, const FullReceivers& full);

  BusContext& context_;
  MessageSender& sender_;
};

}  // namespace starbus::bus
