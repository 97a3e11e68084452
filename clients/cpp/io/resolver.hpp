/// Addresses of host names. Asking the system blocks, so one thread for all clients of a process
/// does that; numeric addresses need nobody. Thread-safe.
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace starbus::game {

/// `host:port` or `[host]:port`.
struct Address {
  std::string host;
  std::string port;
};
/// nullopt if it has no host, or no port of 1..65535.
std::optional<Address> address_of(const std::string& text);

/// Where a socket connects to.
struct Endpoint {
  sockaddr_storage address{};
  socklen_t size = 0;
};

/// One question: filled by the resolver's thread, and read by another one after `done`.
struct Lookup {
  Address address;
  std::vector<Endpoint> endpoints{};  // none: there is no such host
  std::atomic<bool> done{false};
};

/// See above.
class Resolver {
 public:
  /// That of this process; it lives as long as somebody has it.
  static std::shared_ptr<Resolver> shared();
  Resolver() = default;
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;
  /// Waits for the question that is under way.
  ~Resolver();

  /// Never null. Done at once if the host is a number; without endpoints, if too many questions
  /// wait or no thread can be made.
  std::shared_ptr<Lookup> look_up(Address address);

 private:
  void run();
  bool has_thread();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::shared_ptr<Lookup>> waiting_;
  bool ends_ = false;
  std::thread thread_;  // from the first question on
};

}  // namespace starbus::game
