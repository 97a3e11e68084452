#include "nodes/gate/node/call_outcome.hpp"

#include <algorithm>

#include "entity/rpc/error.hpp"

namespace starbus::nodes::gate {
namespace {

namespace rpc = entity::rpc;

/// Errors after which nothing was run. rpc::Errc::too_large and bad_bytes may speak of the answer.
constexpr Code kNotRun[] = {bus::Errc::denied,
                            bus::Errc::bad_name,
                            bus::Errc::would_block,
                            bus::Errc::too_large,
                            bus::Errc::no_handler,
                            rpc::Errc::rpc_not_found,
                            rpc::Errc::bad_arguments,
                            rpc::Errc::not_permitted,
                            rpc::Errc::no_such_component,
                            rpc::Errc::signature_mismatch,
                            rpc::Errc::would_block};

}  // namespace

Outcome outcome_of(const Error& error) {
  if (rpc::is_absent(error)) return Outcome::no_owner;
  const bool not_run = std::ranges::any_of(kNotRun, [&](Code code) { return error == code; });
  return not_run ? Outcome::refused : Outcome::owner_lost;
}

}  // namespace starbus::nodes::gate
