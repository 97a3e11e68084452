/// Where a call, a question or a message goes, and how.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "bus/client/bus_types.hpp"
#include "bus/client/envelope.hpp"
#include "bus/core/wire/name.hpp"
#include "entity/rpc/permission.hpp"

namespace starbus::entity::rpc {

class CallableBase;

/// A channel: its text, or a bus::Name, whose hash is computed already. Views what it is made from.
/// A plain value.
class Address {
 public:
  Address(std::string_view text) : text_(text) {}    // NOLINT: a text is an address
  Address(const char* text) : text_(text) {}         // NOLINT
  Address(const std::string& text) : text_(text) {}  // NOLINT
  Address(const bus::Name& name) : text_(name.text()), name_(&name) {}  // NOLINT
  std::string_view text() const { return text_; }
  /// Null if it was made from a text.
  const bus::Name* name() const { return name_; }

 private:
  std::string_view text_;
  const bus::Name* name_ = nullptr;
};

/// Options of rpc::call.
struct CallOptions {
  std::chrono::milliseconds deadline{5000};
  /// The call ends as canceled with this object. A Task needs no owner: its calls end with it.
  CallableBase* owner = nullptr;
  bus::Lane lane = bus::Lane::call;
  std::uint64_t hash_key = 0;  // for shared names: see bus::SendOptions
  /// Gates only: the client that calls, and its relation to the object. See permission.hpp.
  Behalf behalf = Behalf::none;
  std::uint64_t client = 0;
  bus::Trace trace{};
};

/// For a question: a call whose answer goes to the channel of the object that asked.
struct AskOptions {
  std::chrono::milliseconds deadline{5000};
  bus::Lane lane = bus::Lane::call;
  std::uint64_t hash_key = 0;  // for shared names: see bus::SendOptions
  bus::Trace trace{};
};

/// Options of rpc::send, multicast and announce.
struct SendOptions {
  bus::Lane lane = bus::Lane::call;
  std::chrono::milliseconds ttl{0};  // see bus::SendOptions; ignored for objects of this process
  std::uint64_t hash_key = 0;
  bus::ChannelId from{};  // see bus::SendOptions; such a message always takes the bus
  Behalf behalf = Behalf::none;
  std::uint64_t client = 0;
  bus::Trace trace{};
  bus::WhenFull when_full = bus::WhenFull::skip;  // see bus::SendOptions
};

}  // namespace starbus::entity::rpc
