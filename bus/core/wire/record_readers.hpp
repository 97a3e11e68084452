/// Records between a reader of stored mail and the process that stores it: system messages
/// (data.hpp) from process channel to process channel, in one lane, so in order and once.
/// docs/design/protocol.md, "Readers". Since 1.1.
#pragma once

#include <string>
#include <vector>

#include "bus/core/wire/post_head.hpp"
#include "bus/core/wire/record.hpp"

namespace starbus::bus {

/// The lane of all these records.
inline constexpr Lane kMailLane = Lane::call;

/// Whether a record of this kind is one of this file.
inline bool is_mail(Kind kind) {
  return (kind >= Kind::mail_open && kind <= Kind::mail_end) || kind == Kind::mail_attempts ||
         kind == Kind::mail_refused;
}

/// Asks the owner of the shard to push all messages after `after`. The token names the session that
/// begins; each attempt draws a new one, so that late records of an earlier attempt match no
/// session.
struct MailOpen {
  static constexpr Kind kKind = Kind::mail_open;
  std::uint64_t token = 0;
  PostTarget target = PostTarget::mailbox;
  std::string name;
  Epoch epoch;                // under which the reader owns the channel `name`; logs: 0
  std::uint64_t after = 0;    // the last number that the reader has
  bool from_end = false;      // logs: after the present end; `after` is ignored
  std::uint64_t settled = 0;  // mailboxes: acknowledged, as by mail_ack
  std::uint32_t window = 0;   // most bytes (mail_charge) that are pushed and not yet consumed
  Lineage reply;              // of the reader's process channel, so that answers need no PROBE
  template <class A>
  void fields(A& a) {
    a(token, target, name, epoch, after, from_end, settled, window, reply);
  }
};

/// The session has begun (ok) or is refused. busy: ask again.
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

/// One message on its way to a reader.
struct MailItem {
  std::uint64_t number = 0;
  std::uint64_t time_ms = 0;  // when it was stored, by the store's wall clock
  Errc status = Errc::ok;     // corrupt: it cannot be read any more, and has no body
  Bytes trace;                // empty, or 24 bytes
  Bytes body;
  std::uint32_t attempts = 1;  // not sent in this record: see MailAttempts
  friend bool operator==(const MailItem&, const MailItem&) = default;
  template <class A>
  void fields(A& a) {
    a(number, time_ms, status, trace, body);
  }
};

/// Bytes of the window that an item takes.
inline std::uint64_t mail_charge(std::size_t body) {
  return body + 64;
}

/// In order of number. A number that is missing is not stored any more.
struct MailItems {
  static constexpr Kind kKind = Kind::mail_items;
  std::uint64_t token = 0;
  std::vector<MailItem> items;
  template <class A>
  void fields(A& a) {
    a(token, items);
  }
};

/// Sent before the first message of a session if earlier readers ended without settling that
/// message: `attempts` counts them and this reader.
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

/// Bytes of this session that the reader has consumed: the window has room for them again.
struct MailConsumed {
  static constexpr Kind kKind = Kind::mail_consumed;
  std::uint64_t token = 0;
  std::uint64_t bytes = 0;  // mail_charge of all of it
  template <class A>
  void fields(A& a) {
    a(token, bytes);
  }
};

/// Everything up to `upto` is settled: it is not asked for again, and may be erased. With a reason,
/// `upto` itself was rejected: it goes to the dead letters.
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

/// The settlement up to `upto` is on the disk.
struct MailAcked {
  static constexpr Kind kKind = Kind::mail_acked;
  std::uint64_t token = 0;
  std::uint64_t upto = 0;
  template <class A>
  void fields(A& a) {
    a(token, upto);
  }
};

/// The answer to a mail_ack whose rejected message could not be stored among the dead letters:
/// nothing of that mail_ack is settled. store_full: the disk has no room for the letter now.
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
/// opened the mailbox), busy (the shard moves: ask its next owner).
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
