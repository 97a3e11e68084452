/// The answers of the mail stores of a cluster (docs/operate/admin-api.md, /mail/...), as text and
/// JSON for people and scripts. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/report/mail.hpp"
#include "tools/cluster/model.hpp"
#include "tools/terminal/json_text.hpp"
#include "tools/terminal/table.hpp"

namespace starbus::bustop {

using report::MailBox;
using report::MailBoxes;

/// A dead letter, decoded (mail/dead_letters.hpp).
struct MailLetter {
  std::string mailbox;
  std::uint64_t number = 0;  // in its mailbox
  double time_ms = 0;        // when it was stored in its mailbox
  std::string reason;
  std::string body;
  std::uint64_t bytes = 0;  // of it, also where it is cut
};
/// A message with its body decoded.
struct MailMessage : report::MailRow {
  std::string text;  // the beginning of the body
  std::optional<MailLetter> letter;
};
/// Fills in text and letter. `box`: the name of its mailbox; `body`: its bytes, all or the first.
void read_body(std::string_view box, std::string_view body, MailMessage& message);

struct MailPeek {
  MailBox box;
  std::vector<MailMessage> messages;
  std::uint64_t next = 0;
};
/// `state` is empty if it is unknown; `trouble` then has the reason.
struct MailStats : report::MailStatistics {
  Error trouble;  // not ok: the store was not counted, since it does not answer or is not open
};

Result<MailPeek> parse_mail_peek(std::string_view text);
Result<MailStats> parse_mail_stats(std::string_view text);

std::string render_mail_boxes(const std::vector<MailBox>& boxes, bool more, const Look& look);
std::string render_mail_peek(const MailPeek& peek, const Look& look);
/// The parts of render_mail_peek: a line about the mailbox, and a table.
std::string render_mail_heading(const MailBox& box);
std::string render_mail_messages(const std::vector<MailMessage>& messages, const Look& look);
std::string render_mail_stats(const std::vector<MailStats>& stats, double now_ms, const Look& look);

OrderedJson json_of_mail_boxes(const std::vector<MailBox>& boxes, bool more,
                               const std::vector<std::string>& notes);
OrderedJson json_of_mail_letter(const MailLetter& letter);
OrderedJson json_of_mail_peek(const MailPeek& peek);
OrderedJson json_of_mail_stats(const std::vector<MailStats>& stats);

}  // namespace starbus::bustop
