/// Part of bus.hpp: the options and results of its operations. Plain values.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "bus/client/message.hpp"
#include "bus/client/post_key.hpp"
#include "bus/core/error.hpp"
#include "bus/core/wire/name.hpp"
#include "bus/core/wire/record_watches.hpp"
#include "bus/core/wire/version.hpp"

namespace starbus::bus {

/// The endpoint of the local busd, unless Options or $STARBUS_BUSD name another.
inline constexpr std::string_view kDefaultEndpoint = "unix:///run/starbus/busd.sock";

/// How a Bus is made. Only `node` must be set.
struct Options {
  std::string node{};         // unique on its host: 1..100 of a-z A-Z 0-9 _ -
  std::string role = "node";  // for busd's access list
  std::string endpoint{};     // of busd; empty: $STARBUS_BUSD, else kDefaultEndpoint
  /// The highest protocol version 1.N that is spoken: this release's, or the one before it, to see
  /// how a program of an older release gets on.
  std::uint8_t protocol_minor = kVersionMinor;
};

/// What a message to many does about a receiver whose window is full (`Bus::multicast`,
/// `announce`).
enum class WhenFull : std::uint8_t {
  /// The others get it. The full receiver never does, and is reported as would_block.
  skip,
  /// No receiver gets it: the call is refused as would_block, naming the first that is full.
  wait,
  /// As skip; and a member that is full at each announcement for kGiveUpAfter is given up: no
  /// announcement of this process goes there until it binds its name again. For a multicast to
  /// names, which are the caller's to leave out, the same as skip.
  drop,
};

/// Options of send, send_acknowledged, multicast and announce.
struct SendOptions {
  Lane lane = Lane::call;
  /// Given up this long after the call to send; 0: never. It ends in a whole millisecond of the
  /// clock, so up to one early, as `expired`. What had not left by then reaches no handler. What
  /// had left may have been handled, or may still be: its receiver is told, and hands on no message
  /// that it knows to be given up, but that word may come too late or be lost, and no 1.1 heeds it.
  std::chrono::milliseconds ttl{0};
  Trace trace{};
  /// Shared names only: messages with one key go to one instance (rendezvous hash); 0: all messages
  /// of this process go to one instance.
  std::uint64_t hash_key = 0;
  /// channel_id of a name that this process has bound: the message is that channel's own, in the
  /// order of the channel even when it moves. Not set: it is the process' own. Owned channels,
  /// multicast and announce only, and not with an acknowledgement, which could not follow.
  ChannelId from{};
  /// Multicast and announce only.
  WhenFull when_full = WhenFull::skip;
};

/// How a message to many has ended.
struct GroupOutcome {
  struct Failure {
    std::string name;
    Error reason;  // would_block: it was full and left out; otherwise as for a message of its own
  };
  std::size_t handled = 0;        // receivers that have handled it
  std::vector<Failure> failed{};  // all others, each once
};

/// Options of call. At `deadline`, counted from the call, it ends as deadline; whether it is still
/// begun is as for `ttl`. `hash_key` as in SendOptions.
struct CallOptions {
  std::chrono::milliseconds deadline{5000};
  Lane lane = Lane::call;
  Trace trace{};
  std::uint64_t hash_key = 0;
};

/// Options of post and append.
struct PostOptions {
  /// An idempotency key of at most kMaxPostKey bytes: a post with a key that the mailbox has seen
  /// is not stored again, and answers with the number of the first. For posters that may crash and
  /// post again. Any text may be given; it is copied.
  PostKey key{};
  /// How long to wait for the store: its host may be down, or its disk full. 0: for ever. When it
  /// is over the post ends as expired; unless it never left, it may have been stored.
  std::chrono::milliseconds ttl{30'000};
  /// False: while no host has the shard, as far as this process sees, the post ends as no_owner at
  /// once, and nothing is stored. (The first such post begins to watch, and is decided when the
  /// watch shows the hosts.) A store that goes away afterwards is waited for all the same.
  bool wait = true;
  Trace trace{};
};

/// A name that this process owns now.
struct Bound {
  std::string name;  // of the instance or the member, where a shared or group name was asked for
  Epoch epoch;       // fencing token for side effects: grows with every owner
};

/// A channel that has moved here, with the state that its freeze function packed at the source.
struct Arrival {
  std::string name;
  Epoch epoch;  // fencing token, as in Bound
  Bytes state;
};

/// Callbacks for channels that move to this process.
struct ArrivalHandlers {
  /// Whether to take it: an error refuses, and it stays where it is. Not set: takes all. Nothing is
  /// owned yet, and `arrived` may never follow.
  std::function<Result<>(const std::string& name, ByteView state)> accept{};
  /// It is owned now: make the object, return its handlers. Messages may follow at once.
  std::function<Handlers(Arrival& arrival)> arrived{};
};

/// A message without a completion of its own that ended badly.
struct Undelivered {
  ChannelId channel;
  std::string name;  // if this process knows it
  Lane lane = Lane::call;
  Error reason;  // no_owner: never handled; owner_lost, expired: see Error's catalogue
};

/// One change under a watched prefix.
struct WatchUpdate {
  std::vector<WatchRow> changes;  // row.present: new or changed; otherwise gone
  bool complete = false;          // the snapshot is whole: what you know is what there is
};

enum class LinkState { connected, disconnected };

/// Messages that this process has sent to one channel, in one lane, and that are not acknowledged
/// yet.
struct Unacknowledged {
  std::string channel;  // its name, or its id if this process does not know the name any more
  Lane lane = Lane::call;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct BusCounters {
  std::uint64_t sent = 0, acknowledged = 0, failed = 0, expired = 0;
  std::uint64_t undelivered = 0;  // of those, what nobody awaits; see Bus::on_undelivered
  std::uint64_t transmitted = 0, resends = 0, probes = 0, chokes = 0;
  std::uint64_t handled = 0, duplicates = 0, gaps = 0;
  std::uint64_t calls = 0, calls_timed_out = 0;
  std::uint64_t replies_late = 0;     // that came here after their calls had ended
  std::uint64_t replies_unknown = 0;  // that came here for calls which this process never made
  std::uint64_t replies_kept = 0;     // of this process, that wait for room now
  std::uint64_t replies_failed = 0, replies_dropped = 0;  // without room: see Responder
  std::uint64_t connects = 0;
  std::uint64_t unacknowledged_bytes = 0;
  std::uint64_t bytes_in = 0, bytes_out = 0;  // of the present link with busd
};

}  // namespace starbus::bus
