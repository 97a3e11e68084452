#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "bus/core/bytes.hpp"
#include "bus/core/error.hpp"

namespace starbus::nodes::db {

/// The part of the bus that RemoteDatabase needs: calls to one database, its owner, and time.
/// Belongs to the loop's thread; its end drops callbacks that were not called. Tests have others.
class RemoteLink {
 public:
  using Milliseconds = std::chrono::milliseconds;
  using Replied = std::function<void(bus::Result<bus::Bytes>)>;

  virtual ~RemoteLink() = default;
  /// Calls arrive in the order in which they were made. `replied` comes once, later, at the latest
  /// after `deadline`.
  virtual void call(bus::ByteView body, Milliseconds deadline, Replied replied) = 0;
  /// Once, later.
  virtual void wake_in(Milliseconds pause, std::function<void()> wake) = 0;
  /// `changed` is called when the database has an owner, and whether it is the first that is seen.
  virtual void watch_owner(std::function<void(bool first)> changed) = 0;
  /// Since any moment; never falls.
  virtual Milliseconds now() const = 0;
};

}  // namespace starbus::nodes::db
