/// A ticket that a client or a gate hands in: what is accepted is signed again the same.
#include <algorithm>

#include "nodes/login/tickets/ticket.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/nodes/login/tickets/keys.hpp"

namespace {

using namespace starbus::nodes::login;
using starbus::bus::require;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const SigningKey key = SigningKey::from_pem(fixture::kPrivatePem).value();
  static const VerifyingKeys keys = [] {
    VerifyingKeys made;
    require(made.add(key.verifying()).has_value());
    return made;
  }();
  const starbus::bus::ByteView input = starbus::bus::fuzz_input(data, size);
  for (const TicketKind kind : {TicketKind::login, TicketKind::reentry}) {
    const auto ticket = verify(input, keys, kind, 1'800'000'000'000);
    if (ticket) require(std::ranges::equal(sign(*ticket, key).value(), input));
  }
  return 0;
}
