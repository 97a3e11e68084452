// Role: the common part of the load roles: its endpoint, and how it waits and sends. Greeter adds
// what both kinds of senders need: nothing is measured before every partner has answered a
// greeting. One thread uses a role; messages arrive inside poll_until(). Failures are values.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/histogram.hpp"
#include "bench/bus/load.hpp"
#include "bench/bus/message.hpp"
#include "bench/harness/clock.hpp"

namespace starbus::bench {

using Json = nlohmann::json;

// A role that hears nothing for this long gives up: something was lost.
constexpr std::int64_t kSilence = 15 * kSecond;

// Percentiles in nanoseconds.
Json summary(const Histogram& histogram);

class Role {
 public:
  explicit Role(const LoadOptions& options) : options_(options) {}
  virtual ~Role() = default;

  Result<void> connect(Peer& peer);

  // Called before "ready", and after "go".
  virtual Result<void> prepare() { return {}; }
  virtual Result<Json> run() = 0;

 protected:
  virtual void on_message(const Header& header, std::string_view message) = 0;

  // Polls until `done` holds, or until nothing has arrived for a long time.
  template <class Condition>
  Result<void> poll_until(Condition done) {
    std::int64_t last_heard = now_ns();
    for (std::uint64_t before = handled_; !done(); before = handled_) {
      endpoint_->poll(std::chrono::milliseconds(10));
      const std::int64_t now = now_ns();
      if (handled_ != before) last_heard = now;
      if (now - last_heard > kSilence) return fail("heard nothing for 15 s: a loss");
    }
    return {};
  }

  // Sends, waiting for room if need be.
  void send(Address to, std::string& message, Header header);
  void send_small(Address to, const Header& header);

  LoadOptions options_;
  std::unique_ptr<Endpoint> endpoint_;
  std::uint64_t copies_ = 1;
  bool stops_ = false;  // see PlannedProcess

 private:
  void handle(std::string_view message);

  std::uint64_t handled_ = 0;
};

// Greets its partners, and remembers what each of them has confirmed.
class Greeter : public Role {
 public:
  using Role::Role;

  Result<void> prepare() override;

 protected:
  void send_to_partners(const Header& header);
  void on_message(const Header& header, std::string_view message) override;

  std::vector<Address> welcomed_;
  std::vector<std::uint64_t> confirmed_;
  std::uint64_t slowest_ = 0;
  std::size_t finished_ = 0;
};

std::unique_ptr<Role> make_sender(const LoadOptions& options);
std::unique_ptr<Role> make_receiver(const LoadOptions& options);
std::unique_ptr<Role> make_requester(const LoadOptions& options);
std::unique_ptr<Role> make_responder(const LoadOptions& options);

}  // namespace starbus::bench
