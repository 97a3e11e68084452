#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace starbus::bus {

class BusCore;

/// Ends its watch when destroyed. Move-only; belongs to the Bus' thread, and may outlive the Bus.
class WatchHandle {
 public:
  WatchHandle() = default;
  WatchHandle(WatchHandle&&) noexcept = default;
  WatchHandle& operator=(WatchHandle&& other) noexcept;
  ~WatchHandle();

 private:
  friend class PrefixWatchers;
  std::weak_ptr<BusCore> core_;
  std::string prefix_;
  std::uint64_t id_ = 0;
};

}  // namespace starbus::bus
