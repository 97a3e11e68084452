#include "tools/cluster/mail_view.hpp"

#include <algorithm>

#include "base/base64.hpp"
#include "daemon/report/document.hpp"
#include "mail/dead_letters.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::bustop {
namespace {

constexpr std::size_t kShownText = 200;  // bytes of a body, in a table
using Align = Table::Align;

MailMessage decoded(report::MailRow row, const std::string& box) {
  MailMessage message{std::move(row), {}, {}};
  const auto bytes = from_base64(message.body);
  if (bytes) read_body(box, *bytes, message);
  if (!bytes) message.text = "(not base64)";
  return message;
}

/// Why nothing of it was counted: what its store says of itself, before what its daemon says.
std::string reason_of(const MailStats& host) {
  return host.reason.empty() ? text_of(host.trouble) : host.reason;
}

std::string size_text(std::uint64_t bytes) {
  return human_bytes(static_cast<double>(bytes));
}

OrderedJson json_of_box(const MailBox& box) {
  return {{"name", box.name},   {"id", box.id},       {"host", box.host},
          {"shard", box.shard}, {"kind", box.kind},   {"messages", box.messages},
          {"bytes", box.bytes}, {"floor", box.floor}, {"last", box.last}};
}

}  // namespace

void read_body(std::string_view box, std::string_view body, MailMessage& message) {
  message.text = body.substr(0, kShownText);
  if (!mail::is_dead_letters(box) || !message.trouble.empty()) return;
  const auto letter = mail::decode_dead_letter(bus::as_bytes(body));
  if (!letter) return;  // then it is shown as it is
  const std::string_view inner = bus::as_text(letter->body);
  const std::uint64_t around = body.size() - inner.size();
  message.letter = MailLetter{
      std::string(letter->mailbox), letter->number,     static_cast<double>(letter->time_ms),
      std::string(letter->reason),  std::string(inner), std::max(message.bytes, around) - around};
  message.text = inner.substr(0, kShownText);
}

Result<MailPeek> parse_mail_peek(std::string_view text) {
  auto page = report::from_json<report::MailPage>(text);
  if (!page) return page.error();
  MailPeek peek{std::move(page->box), {}, page->next};
  for (report::MailRow& row : page->rows) {
    peek.messages.push_back(decoded(std::move(row), peek.box.name));
  }
  return peek;
}

Result<MailStats> parse_mail_stats(std::string_view text) {
  auto statistics = report::from_json<report::MailStatistics>(text);
  if (!statistics) return statistics.error();
  return MailStats{std::move(*statistics), {}};
}

std::string render_mail_boxes(const std::vector<MailBox>& boxes, bool more, const Look& look) {
  Table table({{"NAME", Align::left, true},
               {"KIND"},
               {"HOST"},
               {"SHARD", Align::right},
               {"MESSAGES", Align::right},
               {"BYTES", Align::right},
               {"FROM", Align::right},
               {"LAST", Align::right}});
  for (const MailBox& box : boxes) {
    table.add({box.name.empty() ? "(sealed) " + box.id : box.name, box.kind, box.host,
               std::to_string(box.shard), std::to_string(box.messages), size_text(box.bytes),
               box.messages == 0 ? "-" : std::to_string(box.floor + 1), std::to_string(box.last)});
  }
  const std::string count = std::to_string(boxes.size());
  return table.text(look) + count + (boxes.size() == 1 ? " mailbox" : " mailboxes") +
         (more ? "; there are more: --limit, --all\n" : "\n");
}

std::string render_mail_heading(const MailBox& box) {
  return printable(box.name) + (box.host.empty() ? "" : " on " + printable(box.host)) + ": " +
         count_of(box.messages, "message") + ", " + size_text(box.bytes) + "\n\n";
}

std::string render_mail_messages(const std::vector<MailMessage>& messages, const Look& look) {
  const bool letters =
      std::ranges::any_of(messages, [](const MailMessage& one) { return one.letter.has_value(); });
  std::vector<Table::Column> columns{
      {"NUMBER", Align::right}, {"STORED"}, {"BYTES", Align::right}, {"BODY", Align::left, true}};
  if (letters) {
    columns.insert(columns.end() - 1, {{"MAILBOX"}, {"WAS", Align::right}, {"REASON"}});
  }
  Table table(std::move(columns));
  for (const MailMessage& message : messages) {
    std::vector<Cell> cells{std::to_string(message.number), "-", "-"};
    if (message.trouble.empty()) {
      cells[1] = date_time(message.time_ms);
      cells[2] = size_text(message.letter ? message.letter->bytes : message.bytes);
    }
    if (message.letter) {
      cells.insert(cells.end(), {message.letter->mailbox, std::to_string(message.letter->number),
                                 message.letter->reason});
    } else if (letters) {
      cells.insert(cells.end(), {"-", "-", "-"});
    }
    cells.push_back(message.trouble.empty() ? Cell(message.text)
                                            : Cell(message.trouble, Tone::bad));
    table.add(std::move(cells));
  }
  return table.text(look);
}

std::string render_mail_peek(const MailPeek& peek, const Look& look) {
  return render_mail_heading(peek.box) + render_mail_messages(peek.messages, look) +
         (peek.next == 0 ? "" : "more: --from " + std::to_string(peek.next) + "\n");
}

std::string render_mail_stats(const std::vector<MailStats>& stats, double now_ms,
                              const Look& look) {
  Table table({{"HOST", Align::left, true},
               {"STORE"},
               {"SHARDS", Align::right},
               {"MAILBOXES", Align::right},
               {"MESSAGES", Align::right},
               {"BYTES", Align::right},
               {"QUOTA", Align::right},
               {"OLDEST", Align::right}});
  std::string notes;
  for (const MailStats& host : stats) {
    if (host.trouble.code != Errc::ok) {
      const std::string state = host.state.empty() ? "no answer" : host.state;
      table.add({host.host, Cell(state, Tone::bad), "-", "-", "-", "-", "-", "-"});
      notes += "note: " + printable(host.host + ": " + reason_of(host)) + "\n";
      continue;
    }
    const bool runs = host.state == "running";
    table.add({host.host, Cell(host.state, runs ? Tone::good : Tone::bad),
               std::to_string(host.shards_held), std::to_string(host.mailboxes),
               std::to_string(host.messages), size_text(host.bytes),
               host.quota_bytes == 0 ? "-" : size_text(host.quota_bytes),
               host.oldest_ms == 0
                   ? "-"
                   : human_seconds(std::max(0.0, now_ms - host.oldest_ms) / 1'000)});
    if (!runs) notes += "note: " + printable(host.host + ": " + host.reason) + "\n";
    if (host.unreadable != 0) {
      notes += "note: " + printable(host.host) + ": " + std::to_string(host.unreadable) +
               " mailboxes cannot be read: see starbus-mail check\n";
    }
  }
  return table.text(look) + notes;
}

OrderedJson json_of_mail_boxes(const std::vector<MailBox>& boxes, bool more,
                               const std::vector<std::string>& notes) {
  OrderedJson rows = OrderedJson::array();
  for (const MailBox& box : boxes) rows.push_back(json_of_box(box));
  return {{"mailboxes", rows}, {"more", more}, {"notes", notes}};
}

OrderedJson json_of_mail_letter(const MailLetter& letter) {
  return {{"mailbox", letter.mailbox}, {"number", letter.number}, {"time_ms", letter.time_ms},
          {"reason", letter.reason},   {"bytes", letter.bytes},   {"body", to_base64(letter.body)}};
}

OrderedJson json_of_mail_peek(const MailPeek& peek) {
  OrderedJson json = json_of_box(peek.box);
  OrderedJson rows = OrderedJson::array();
  for (const MailMessage& message : peek.messages) {
    rows.push_back(report::to_json<OrderedJson>(static_cast<const report::MailRow&>(message)));
    if (message.letter) rows.back()["letter"] = json_of_mail_letter(*message.letter);
  }
  json["rows"] = rows;
  json["next"] = peek.next == 0 ? OrderedJson() : OrderedJson(peek.next);
  return json;
}

OrderedJson json_of_mail_stats(const std::vector<MailStats>& stats) {
  OrderedJson rows = OrderedJson::array();
  for (const MailStats& host : stats) {
    const bool answered = host.trouble.code == Errc::ok;
    rows.push_back({{"host", host.host},
                    {"state", host.state.empty() ? OrderedJson() : OrderedJson(host.state)},
                    {"reason", answered ? host.reason : reason_of(host)},
                    {"shards_held", host.shards_held},
                    {"mailboxes", host.mailboxes},
                    {"messages", host.messages},
                    {"bytes", host.bytes},
                    {"quota_bytes", host.quota_bytes},
                    {"oldest_ms", host.oldest_ms},
                    {"unreadable", host.unreadable}});
  }
  return {{"hosts", rows}};
}

}  // namespace starbus::bustop
