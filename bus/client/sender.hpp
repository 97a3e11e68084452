/// Sends messages from any thread: a handle that Bus::sender makes, cheap to copy, and that may
/// outlive its Bus.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "bus/client/handed_sends.hpp"

namespace starbus::bus {

class Sender {
 public:
  explicit Sender(std::shared_ptr<HandedSends> handed) : handed_(std::move(handed)) {}

  /// Hands a message to the loop of the Bus, which sends it as Bus::send does. In order per thread.
  /// Refused at once: too_large; would_block (kHandedSends, kHandedBytes); closed. All else comes
  /// to `done`, on the loop's thread: the acknowledgement, a refusal of Bus::send, would_block
  /// included, or a later failure. Without `done` failures come to Bus::on_undelivered. `done` is
  /// destroyed on the calling thread if the message is refused at once.
  Result<> send(std::string to, Bytes body, const SendOptions& options = {},
                Done<> done = nullptr) const {
    return handed_->add({std::move(to), std::move(body), options, std::move(done)});
  }

 private:
  std::shared_ptr<HandedSends> handed_;
};

}  // namespace starbus::bus
