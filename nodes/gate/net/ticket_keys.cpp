#include "nodes/gate/net/ticket_keys.hpp"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>

namespace starbus::nodes::gate::net {
namespace {

std::optional<TicketKeys::Key> draw() {
  TicketKeys::Key key;
  const auto fill = [](auto& bytes) {
    return RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1;
  };
  if (!fill(key.name) || !fill(key.cipher) || !fill(key.mac)) return std::nullopt;
  return key;
}

}  // namespace

TicketKeys::TicketKeys(std::chrono::milliseconds life, Clock clock)
    : life_(life), clock_(std::move(clock)) {}

void TicketKeys::rotate() {
  const Time now = clock_();
  if (current_ && now - since_ < life_) return;
  if (before_) OPENSSL_cleanse(&*before_, sizeof *before_);
  const bool too_old = current_ && now - since_ >= 2 * life_;
  before_ = too_old ? std::nullopt : current_;
  current_ = draw();
  since_ = now;
}

const TicketKeys::Key* TicketKeys::current() {
  rotate();
  return current_ ? &*current_ : nullptr;
}

const TicketKeys::Key* TicketKeys::find(std::span<const std::uint8_t> name) {
  rotate();
  for (const auto& key : {&current_, &before_}) {
    if (*key && std::ranges::equal((*key)->name, name)) return &**key;
  }
  return nullptr;
}

}  // namespace starbus::nodes::gate::net
