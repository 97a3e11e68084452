#pragma once

#include <cstdint>
#include <string_view>

#include "bus/client/envelope.hpp"
#include "entity/rpc/permission.hpp"

namespace starbus::entity::rpc {

class Endpoint;

/// The caller: the first parameter of every method. Lives until the method has returned; for a
/// coroutine, until that ends.
class Caller {
 public:
  Endpoint* endpoint = nullptr;  // where the method runs: to call others from
  From from = From::server;
  std::uint64_t client = 0;    // the gate's number of the session, if a client calls; else 0
  bus::Process process{};      // stamped by its busd
  std::string_view channel{};  // that was called
  bus::Trace trace{};          // to be passed on in CallOptions
};

}  // namespace starbus::entity::rpc
