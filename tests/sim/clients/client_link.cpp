#include "tests/sim/clients/client_link.hpp"

namespace starbus::sim {

void ClientLink::deliver(bus::ByteView bundle) {
  const auto held = shared_from_this();
  if (handler_ != nullptr) handler_->on_bundle(*this, bundle);
  if (handler_ != nullptr) handler_->on_batch_end(*this);
}

void ClientLink::ended() {
  const auto held = shared_from_this();
  open_ = false;
  if (auto* const handler = std::exchange(handler_, nullptr)) {
    handler->on_closed(*this, {bus::Errc::io_error, "the link ended"});
  }
}

void ClientLink::send(bus::Bytes bundle) {
  if (open_) network_.send(id_, node_, std::move(bundle));
}

void ClientLink::close() {
  handler_ = nullptr;
  if (std::exchange(open_, false)) network_.close(id_, node_);
}

}  // namespace starbus::sim
