/// /mail/...: what a mail store holds, and the operations on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/report/mail_status.hpp"

namespace starbus::report {

/// A mailbox or a log.
struct MailBox {
  std::string name;  // empty: sealed
  std::string id;
  std::string host{};  // not part of the JSON
  std::string kind;    // mailbox or log
  std::uint64_t shard = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t floor = 0;  // numbers up to it are erased
  std::uint64_t last = 0;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("id", self.id);
    visit("shard", self.shard);
    visit("kind", self.kind);
    visit("messages", self.messages);
    visit("bytes", self.bytes);
    visit("floor", self.floor);
    visit("last", self.last);
  }
  friend bool operator==(const MailBox&, const MailBox&) = default;
};

/// /mail/boxes
struct MailBoxes {
  std::vector<MailBox> boxes;
  std::vector<std::string> damaged;
  std::string next;  // empty: this is the last page

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("boxes", self.boxes);
    visit("damaged", self.damaged);
    visit("next", or_null(self.next));
  }
  friend bool operator==(const MailBoxes&, const MailBoxes&) = default;
};

/// One stored message of a mailbox or log.
struct MailRow {
  std::uint64_t number = 0;
  double time_ms = 0;       // since 1970
  std::uint64_t bytes = 0;  // of the whole body
  std::string body;         // base64
  bool cut = false;         // there is more of it
  std::string trouble;      // not empty: `lost`, or why it cannot be read

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("number", self.number);
    visit("time_ms", whole(self.time_ms));
    visit("bytes", self.bytes);
    visit("body", self.body);
    visit("cut", self.cut);
    visit("trouble", or_null(self.trouble));
  }
  friend bool operator==(const MailRow&, const MailRow&) = default;
};

/// /mail/peek
struct MailPage {
  MailBox box;
  std::vector<MailRow> rows;
  std::uint64_t next = 0;  // `from` of the next page; 0: this is the last page

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    MailBox::fields(self.box, visit);
    visit("rows", self.rows);
    visit("next", or_null(self.next));
  }
  friend bool operator==(const MailPage&, const MailPage&) = default;
};

/// One shard of a store. `oldest_ms`: when its oldest message was stored, since 1970.
struct MailShard {
  std::uint64_t shard = 0;
  std::uint64_t mailboxes = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  double oldest_ms = 0;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("shard", self.shard);
    visit("mailboxes", self.mailboxes);
    visit("messages", self.messages);
    visit("bytes", self.bytes);
    visit("oldest_ms", whole(self.oldest_ms));
  }
  friend bool operator==(const MailShard&, const MailShard&) = default;
};

/// /mail/stats. `bytes` is the sum over all mailboxes, as of `age_ms` ago.
struct MailStatistics : MailStatus {
  std::uint64_t mailboxes = 0;
  std::uint64_t messages = 0;
  double oldest_ms = 0;          // when the oldest message was stored, since 1970; 0: no message
  std::uint64_t unreadable = 0;  // mailboxes
  double age_ms = 0;
  std::vector<MailShard> per_shard;  // without those that are empty

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    MailStatus::fields(self, visit);
    visit("mailboxes", self.mailboxes);
    visit("messages", self.messages);
    visit("oldest_ms", whole(self.oldest_ms));
    visit("unreadable", self.unreadable);
    visit("age_ms", whole(self.age_ms));
    visit("per_shard", self.per_shard);
  }
  friend bool operator==(const MailStatistics&, const MailStatistics&) = default;
};

/// /mail/purge
struct MailPurge {
  std::string name;
  std::uint64_t purged = 0;  // messages

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("name", self.name);
    visit("purged", self.purged);
  }
  friend bool operator==(const MailPurge&, const MailPurge&) = default;
};

/// /mail/move: the latest move of shards to this host.
struct MailMove {
  std::string state = "none";  // running, stopping, done, failed
  std::uint64_t shards = 0;
  std::uint64_t taken = 0;             // of them
  std::optional<std::uint64_t> shard;  // that is being moved
  std::string from;
  std::string doing;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::uint64_t messages = 0;
  std::string error;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("state", self.state);
    visit("shards", self.shards);
    visit("taken", self.taken);
    visit("shard", self.shard);
    visit("from", self.from);
    visit("doing", self.doing);
    visit("rows", self.rows);
    visit("bytes", self.bytes);
    visit("messages", self.messages);
    visit("error", self.error);
  }
  friend bool operator==(const MailMove&, const MailMove&) = default;
};

/// Shards that a host may take from this one.
struct MailOffer {
  std::string to;      // host
  std::string shards;  // as "0-15,40"

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("to", self.to);
    visit("shards", self.shards);
  }
  friend bool operator==(const MailOffer&, const MailOffer&) = default;
};

/// /mail/offer
struct MailOffers {
  std::vector<MailOffer> offers;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("offers", self.offers);
  }
  friend bool operator==(const MailOffers&, const MailOffers&) = default;
};

/// /mail/backup: the latest backup.
struct MailBackup {
  std::string state;  // none, running, done, failed
  std::string to;     // folder
  std::uint64_t mailboxes = 0;
  std::uint64_t messages = 0;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::uint64_t damaged = 0;
  double begun_ms = 0;  // since 1970
  double ended_ms = 0;  // since 1970
  std::string error;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("state", self.state);
    visit("to", self.to);
    visit("mailboxes", self.mailboxes);
    visit("messages", self.messages);
    visit("rows", self.rows);
    visit("bytes", self.bytes);
    visit("damaged", self.damaged);
    visit("begun_ms", whole(self.begun_ms));
    visit("ended_ms", whole(self.ended_ms));
    visit("error", self.error);
  }
  friend bool operator==(const MailBackup&, const MailBackup&) = default;
};

}  // namespace starbus::report
