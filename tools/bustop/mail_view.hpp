/// What the mail stores of a cluster answer (docs/operate/admin-api.md, /mail/...), as plain
/// values. Pure functions; see parse.hpp for how they treat what is missing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/bustop/json_out.hpp"
#include "tools/bustop/model.hpp"
#include "tools/terminal/table.hpp"

namespace starbus::bustop {

struct MailBox {
  std::string name;
  std::string id;
  std::string host;  // not of the document
  std::string kind;
  std::uint64_t shard = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t floor = 0;
  std::uint64_t last = 0;
};
struct MailBoxes {
  std::vector<MailBox> boxes;
  std::vector<std::string> damaged;
  std::string next;  // empty: that was the last page
};
/// What a message of a log of dead letters says (mail/dead_letters.hpp).
struct MailLetter {
  std::string mailbox;
  std::uint64_t number = 0;  // that it had there
  double time_ms = 0;        // when it was stored there
  std::string reason;
  std::string body;
  std::uint64_t bytes = 0;  // of it, also where it is cut
};
struct MailMessage {
  std::uint64_t number = 0;
  double time_ms = 0;
  std::uint64_t bytes = 0;
  std::string body;  // base64
  std::string text;  // its beginning, decoded
  bool cut = false;
  std::string trouble;
  std::optional<MailLetter> letter{};
};
/// Fills in text and letter. `box`: the name of its mailbox; `body`: its bytes, all or the first.
void read_body(std::string_view box, std::string_view body, MailMessage& message);

struct MailPeek {
  MailBox box;
  std::vector<MailMessage> messages;
  std::uint64_t next = 0;
};
struct MailStats {
  std::string host;
  std::string state;  // empty: not known, `trouble` says why
  std::string reason;
  std::uint64_t shards_held = 0;
  std::uint64_t mailboxes = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t quota_bytes = 0;  // 0: none
  double oldest_ms = 0;
  std::uint64_t unreadable = 0;
  Error trouble;  // not ok: nothing of it was counted: it does not answer, or is not open
};

Result<MailBoxes> parse_mail_boxes(std::string_view text);
Result<MailPeek> parse_mail_peek(std::string_view text);
Result<MailStats> parse_mail_stats(std::string_view text);
/// How many messages were erased.
Result<std::uint64_t> parse_mail_purge(std::string_view text);

std::string render_mail_boxes(const std::vector<MailBox>& boxes, bool more, const Look& look);
std::string render_mail_peek(const MailPeek& peek, const Look& look);
/// Its parts: what the mailbox is, and a table.
std::string render_mail_heading(const MailBox& box);
std::string render_mail_messages(const std::vector<MailMessage>& messages, const Look& look);
std::string render_mail_stats(const std::vector<MailStats>& stats, double now_ms, const Look& look);

OrderedJson json_of_mail_boxes(const std::vector<MailBox>& boxes, bool more,
                               const std::vector<std::string>& notes);
OrderedJson json_of_mail_letter(const MailLetter& letter);
OrderedJson json_of_mail_peek(const MailPeek& peek);
OrderedJson json_of_mail_stats(const std::vector<MailStats>& stats);

}  // namespace starbus::bustop
