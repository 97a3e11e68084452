/// Checks by role: the names that a process may bind, send to and post to, and the system messages
/// that it may send. A process that breaks a rule gets `denied`, which ends its session; one above
/// its rate is held back.
///
/// Part of HostRouter: same thread; owns nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bus/core/routers/host/host_config.hpp"
#include "bus/core/wire/record_readers.hpp"

namespace starbus::bus {

class AccessCheck {
 public:
  explicit AccessCheck(HostState& host) : host_(host) {}

  /// Whether the process may own the name. Its own channel is for it alone, whatever its role says.
  bool may_hold(const LocalProcess& process, std::string_view name) const;
  /// The same, and whether its role's limit leaves room for one more name; `held`: it owns the name
  /// already. denied or too_many_names.
  Result<> check_claim(const LocalProcess& process, std::string_view name, bool held) const;
  /// Whether the process' user may hold so many names more, when the process gives up some.
  /// too_many_names: it holds more than its share of the host's.
  Result<> room_for(const LocalProcess& process, std::size_t more, std::size_t given_up) const;

  /// A restricted process opens a channel before it sends to it.
  Result<> on_open(LocalProcess& process, ByteView payload);
  bool is_open(const LocalProcess& process, const ChannelId& channel, Lane lane) const;

  /// Whether the role allows the messages of this run that are for the library of a process: a
  /// process sends the states of its own moves only; reads the mail of names that it may own, and
  /// logs that it may write to; moves the shards that it may keep. The receiver checks other mail
  /// requests.
  bool may_say(const LocalProcess& process, const Run& run) const;
  /// Each reader says under which epoch it owns its mailbox, which the store takes for the fence
  /// against earlier owners: writes what this busd knows of that into `record`, a copy of the
  /// payload of the run. 0: the process does not own the name. False while busroot has not taken
  /// the rows of a process: the run must wait.
  bool state_epochs(const LocalProcess& process, const Run& run, ByteView payload,
                    Bytes& record) const;
  /// The channel of a shard is open to every process that posts; the mailbox or log that a message
  /// is for is named in its head, and must be in the role's `send` as any channel.
  bool may_post(const LocalProcess& process, const Run& run) const;
  bool may_post(const LocalProcess& process, const ChannelId& channel, ByteView message) const;

  /// False if the process is above the rate of its role. Counts what it sends otherwise.
  bool within_rate(LocalProcess& process, std::uint64_t messages, std::uint64_t bytes);
  /// The error for a process that breaks its role; counted.
  Error deny(const LocalProcess& process, const std::string& what);

 private:
  bool may_read(const LocalProcess& process, const MailOpen& open) const;
  /// Under which epoch the process owns the channel, or holds it frozen; 0: it does not; nullopt:
  /// it says so, and this busd does not know yet.
  std::optional<Epoch> held_epoch(const LocalProcess& process, const ChannelId& channel) const;

  HostState& host_;
};

}  // namespace starbus::bus
