// What a mail system must offer a load process to be measured: the same loads (role.cpp) run on
// starbus (client_starbus.cpp) and on NATS' JetStream (client_nats.cpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bench/harness/result.hpp"
#include "bench/mail/tally.hpp"

namespace starbus::bench::mail {

struct ClientOptions {
  std::string endpoint;
  std::string node;  // of this process
  std::size_t bytes = 256;
  std::uint64_t outstanding = 0;  // posts without an end yet, at most
  bool low_latency = false;       // do not trade delay for throughput
  std::uint64_t window = 1024 * 1024;
};

// One thread uses it. Mailboxes have numbers.
class Client {
 public:
  virtual ~Client() = default;
  Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  virtual Result<void> connect() = 0;
  // Once per cluster: what the system needs before it takes posts. `read`: mailbox 0 will be
  // drained, and what was read is to be erased.
  virtual Result<void> prepare(bool read) = 0;

  // Begins a post whose time counts from `stamp`; its end goes to the tally, in poll() or before.
  // False: there is no room, poll first.
  virtual bool post(std::uint64_t mailbox, std::int64_t stamp) = 0;
  // Works until something has ended, or until then.
  virtual void poll(std::int64_t until_ns) = 0;
  // One post and its end: blocks.
  virtual Result<void> post_one(std::uint64_t mailbox) = 0;

  // From now on this mailbox is read, and a post to it ends when its message has been.
  virtual Result<void> follow(std::uint64_t mailbox) = 0;
  // Reads `count` messages of mailbox 0, acknowledging every `batch`; returns when the last
  // acknowledgement is confirmed. Or acknowledges nothing.
  virtual Result<void> drain(std::uint64_t count, std::size_t batch, bool acknowledge) = 0;
  // Erases `count` messages of mailbox 0 in one request.
  virtual Result<void> erase(std::uint64_t count) = 0;
  // Binds a mailbox' name, which is not timed, and opens it: nanoseconds.
  virtual Result<std::int64_t> open(std::uint64_t mailbox) = 0;
};

std::unique_ptr<Client> make_starbus_client(const ClientOptions& options, Tally& tally);
std::unique_ptr<Client> make_nats_client(const ClientOptions& options, Tally& tally);

}  // namespace starbus::bench::mail
