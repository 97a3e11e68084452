/// What a reader of stored mail and the process that keeps it say to each other: system messages
/// (data.hpp) from process channel to process channel, in one lane, so in order and once.
/// docs/design/protocol.md, "Readers". Since 1.1.
#pragma once

#include <string>
#include <vector>

#include "bus/core/wire/post_head.hpp"
#include "bus/core/wire/record.hpp"

namespace starbus::bus {

/// The lane of all of it.
inline constexpr Lane kMailLane = Lane::call;

inline bool is_mail(Kind kind) {
  return (kind >= Kind::mail_open && kind <= Kind::mail_end) || kind == Kind::mail_attempts ||
         kind == Kind::mail_refused;
}

/// To the owner of the shard: push me what comes after `after`. Names the session that begins;
/// each attempt draws a new token, so what an earlier one still has under way fits no session.
struct MailOpen {
  static constexpr Kind kKind = Kind::mail_open;
  std::uint64_t token = 0;
  PostTarget target = PostTarget::mailbox;
  std::string name;
  Epoch epoch;                // under which the reader owns the channel `name`; logs: 0
  std::uint64_t after = 0;    // the last number that the reader has
  bool from_end = false;      // logs: after what there is now, whatever `after` says
  std::uint64_t settled = 0;  // mailboxes: acknowledged, as by mail_ack
  std::uint32_t window = 0;   // bytes (mail_charge) on their way or waiting there, at most
  Lineage reply;              // of the reader's process channel, so that answers need no PROBE
  template <class A>
  void fields(A& a) {
    a(token, target, name, epoch, after, from_end, settled, window, reply);
  }
};

/// The session has begun (ok), or will not. busy: ask again.
struct MailOpened {
  static constexpr Kind kKind = Kind::mail_opened;
  std::uint64_t token = 0;
  Errc status = Errc::ok;
  std::string detail;
  std::uint64_t after = 0;  // the first item has a higher number
  std::uint64_t last = 0;   // the latest number that is stored
  template <class A>
  void fields(A& a) {
    a(token, status, detail, after, last);
  }
};

struct MailItem {
  std::uint64_t number = 0;
  std::uint64_t time_ms = 0;  // when it was stored, of the store's wall clock
  Errc status = Errc::ok;     // corrupt: it was there and cannot be read; without body
  Bytes trace;                // empty, or 24 bytes
  Bytes body;
  std::uint32_t attempts = 1;  // not a field of this record: see MailAttempts
  friend bool operator==(const MailItem&, const MailItem&) = default;
  template <class A>
  void fields(A& a) {
    a(number, time_ms, status, trace, body);
  }
};

/// What an item takes of the window.
inline std::uint64_t mail_charge(std::size_t body) {
  return body + 64;
}

/// In order of number. A number that is left out is not stored any more.
struct MailItems {
  static constexpr Kind kKind = Kind::mail_items;
  std::uint64_t token = 0;
  std::vector<MailItem> items;
  template <class A>
  void fields(A& a) {
    a(token, items);
  }
};

/// Of the first message of a session, before it comes, if it was given to other readers before who
/// ended without settling it: `attempts` counts them and this one.
struct MailAttempts {
  static constexpr Kind kKind = Kind::mail_attempts;
  std::uint64_t token = 0;
  std::uint64_t number = 0;
  std::uint32_t attempts = 1;
  template <class A>
  void fields(A& a) {
    a(token, number, attempts);
  }
};

/// How much of what came in this session the reader has taken: what the window has room for again.
struct MailConsumed {
  static constexpr Kind kKind = Kind::mail_consumed;
  std::uint64_t token = 0;
  std::uint64_t bytes = 0;  // mail_charge of all of it
  template <class A>
  void fields(A& a) {
    a(token, bytes);
  }
};

/// Everything up to `upto` is settled: it will not be asked for again, and may be erased. With a
/// reason, `upto` itself was not: it goes to the dead letters.
struct MailAck {
  static constexpr Kind kKind = Kind::mail_ack;
  std::uint64_t token = 0;
  std::uint64_t upto = 0;
  std::string reject;
  template <class A>
  void fields(A& a) {
    a(token, upto, reject);
  }
};

/// That is on the disk.
struct MailAcked {
  static constexpr Kind kKind = Kind::mail_acked;
  std::uint64_t token = 0;
  std::uint64_t upto = 0;
  template <class A>
  void fields(A& a) {
    a(token, upto);
  }
};

/// The answer to a mail_ack with a reason whose message could not be put aside: nothing of what it
/// said is settled. store_full: the disk has no room for the letter now.
struct MailRefused {
  static constexpr Kind kKind = Kind::mail_refused;
  std::uint64_t token = 0;
  std::uint64_t upto = 0;
  Errc reason = Errc::ok;
  std::string detail;
  template <class A>
  void fields(A& a) {
    a(token, upto, reason, detail);
  }
};

/// Either side ends the session. From the store: superseded (a reader with a higher epoch has
/// come), busy (the shard leaves: ask its next owner).
struct MailEnd {
  static constexpr Kind kKind = Kind::mail_end;
  std::uint64_t token = 0;
  Errc reason = Errc::closed;
  std::string detail;
  template <class A>
  void fields(A& a) {
    a(token, reason, detail);
  }
};

}  // namespace starbus::bus
