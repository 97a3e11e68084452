// Commands that only look: ls, peek, stats.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "base/base64.hpp"
#include "base/wall_clock.hpp"
#include "bus/core/wire/name.hpp"
#include "mail/repair/backup.hpp"
#include "mail/repair/inspect.hpp"
#include "tools/cluster/mail_view.hpp"
#include "tools/mail/commands.hpp"
#include "tools/terminal/json_text.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::mail_tool {
namespace {

using bustop::Cell;
using bustop::count_of;
using bustop::OrderedJson;
using bustop::Table;
using Align = Table::Align;

OrderedJson json_of(const mail::BoxInfo& box) {
  return {{"name", box.row.name},
          {"id", box.id.to_string()},
          {"shard", box.shard},
          {"kind", box.row.kind == bus::PostTarget::log ? "log" : "mailbox"},
          {"messages", box.row.count()},
          {"bytes", box.row.bytes()},
          {"floor", box.row.floor},
          {"last", box.row.last}};
}

Table box_table() {
  return Table({{"NAME", Align::left, true},
                {"KIND"},
                {"SHARD", Align::right},
                {"MESSAGES", Align::right},
                {"BYTES", Align::right},
                {"FROM", Align::right},
                {"LAST", Align::right}});
}

void add_row(Table& table, const mail::BoxInfo& box) {
  const std::string name = box.row.name.empty() ? "(sealed) " + box.id.to_string() : box.row.name;
  table.add({name, box.row.kind == bus::PostTarget::log ? "log" : "mailbox",
             std::to_string(box.shard), std::to_string(box.row.count()),
             bustop::human_bytes(static_cast<double>(box.row.bytes())),
             box.row.count() == 0 ? "-" : std::to_string(box.row.floor + 1),
             std::to_string(box.row.last)});
}

std::string age_of(std::uint64_t time_ms) {
  const std::uint64_t now = wall_ms();
  return bustop::human_seconds(static_cast<double>(now - std::min(now, time_ms)) / 1'000);
}

}  // namespace

int run_ls(const Context& context, const LsOptions& options) {
  const auto opened = open_to_read(options.directory);
  if (!opened) return fail(context, opened.error());
  mail::BoxQuery query{.prefix = options.prefix};
  Table table = box_table();
  bool damaged = false;
  std::uint64_t shown = 0;
  bool more = false;
  for (;;) {
    query.limit = options.limit == 0 ? mail::kMostBoxes : options.limit - shown;
    const auto page = mail::list_boxes(*opened->snapshot, query);
    if (!page) return fail(context, error_of(page.error()));
    for (const mail::BoxInfo& box : page->boxes) {
      ++shown;
      if (context.json) {
        context.out << bustop::dump(json_of(box), true);
      } else {
        add_row(table, box);
      }
    }
    more = page->next.has_value();
    const bool last = !more || (options.limit != 0 && shown >= options.limit);
    // Many at a time: the widths of columns are those of what is shown together.
    if (table.rows() != 0 && (last || table.rows() >= mail::kMostBoxes)) {
      context.out << table.text(context.look);
      table = box_table();
    }
    for (const std::string& trouble : page->damaged) {
      damaged = true;
      context.err << "starbus-mail: " << trouble << "\n  -> starbus-mail check\n";
    }
    if (last) break;
    query.after = *page->next;
  }
  if (!context.json) {
    context.out << count_of(shown, "mailbox") << (more ? "; there may be more: --limit, --all" : "")
                << "\n";
  }
  return damaged ? kExitFindings : kExitOk;
}

namespace {

bustop::MailMessage shown(const std::string& box, const mail::Peeked& peeked) {
  bustop::MailMessage message;
  message.number = peeked.number;
  message.time_ms = static_cast<double>(peeked.time_ms);
  message.bytes = peeked.body.size();
  message.trouble = peeked.trouble;
  bustop::read_body(box, peeked.body, message);
  return message;
}

OrderedJson json_of(const std::string& box, const mail::Peeked& peeked) {
  OrderedJson json = {{"number", peeked.number}, {"time_ms", peeked.time_ms}};
  json["trouble"] = peeked.trouble.empty() ? OrderedJson() : OrderedJson(peeked.trouble);
  json["body"] = to_base64(peeked.body);
  if (const auto letter = shown(box, peeked).letter) {
    json["letter"] = bustop::json_of_mail_letter(*letter);
  }
  return json;
}

/// As bustop mail shows it.
bustop::MailBox shown(const mail::BoxInfo& box) {
  bustop::MailBox result;
  result.name = box.row.name;
  result.messages = box.row.count();
  result.bytes = box.row.bytes();
  return result;
}

}  // namespace

int run_peek(const Context& context, const PeekOptions& options) {
  const auto opened = open_to_read(options.directory);
  if (!opened) return fail(context, opened.error());
  const auto box = mail::find_box(*opened->snapshot, options.name);
  if (!box) return fail(context, error_of(box.error()));
  if (!*box)
    return fail(context, {Errc::no_owner, "no mailbox " + options.name + " in this store"});
  if (!context.json) context.out << bustop::render_mail_heading(shown(**box));
  bool troubled = false;
  std::uint64_t count = 0;
  std::uint64_t from = std::max<std::uint64_t>(options.from, 1);
  while (from != 0 && count < options.limit) {
    const auto page = mail::peek_whole(*opened->snapshot, **box, from, options.limit - count);
    if (!page) return fail(context, error_of(page.error()));
    std::vector<bustop::MailMessage> rows;
    for (const mail::Peeked& message : page->messages) {
      troubled |= !message.trouble.empty();
      if (context.json) context.out << bustop::dump(json_of(options.name, message), true);
      if (!context.json) rows.push_back(shown(options.name, message));
    }
    // A page at a time: the widths of columns are those of what is shown together.
    if (!rows.empty()) context.out << bustop::render_mail_messages(rows, context.look);
    count += page->messages.size();
    from = page->next;
  }
  if (from != 0 && !context.json) context.out << "more: --from " << from << "\n";
  return troubled ? kExitFindings : kExitOk;
}

int run_stats(const Context& context, const Folder& directory, bool shards) {
  const auto opened = open_to_read(directory);
  if (!opened) return fail(context, opened.error());
  mail::ShardStatistics all;
  OrderedJson rows = OrderedJson::array();
  Table table({{"SHARD", Align::right, true},
               {"MAILBOXES", Align::right},
               {"MESSAGES", Align::right},
               {"BYTES", Align::right},
               {"OLDEST", Align::right}});
  const auto age = [](std::uint64_t time) { return time == 0 ? "-" : age_of(time); };
  for (std::size_t shard = 0; shard < bus::kShards; ++shard) {
    const auto one = mail::shard_statistics(*opened->snapshot, static_cast<std::uint8_t>(shard));
    if (!one) return fail(context, error_of(one.error()));
    all.add(*one);
    if (!shards || one->totals.boxes == 0) continue;
    rows.push_back({{"shard", shard},
                    {"mailboxes", one->totals.boxes},
                    {"messages", one->totals.messages},
                    {"bytes", one->totals.bytes},
                    {"oldest_ms", one->oldest_ms}});
    table.add({std::to_string(shard), std::to_string(one->totals.boxes),
               std::to_string(one->totals.messages),
               bustop::human_bytes(static_cast<double>(one->totals.bytes)), age(one->oldest_ms)});
  }
  if (context.json) {
    OrderedJson json = {{"mailboxes", all.totals.boxes},
                        {"messages", all.totals.messages},
                        {"bytes", all.totals.bytes},
                        {"oldest_ms", all.oldest_ms},
                        {"unreadable", all.unreadable()}};
    if (shards) json["shards"] = rows;
    context.out << bustop::dump(json);
  } else {
    if (table.rows() != 0) context.out << table.text(context.look);
    context.out << count_of(all.totals.boxes, "mailbox") << ", "
                << count_of(all.totals.messages, "message") << ", "
                << bustop::human_bytes(static_cast<double>(all.totals.bytes)) << ", oldest "
                << age(all.oldest_ms) << "\n";
    if (all.unreadable() != 0)
      context.out << all.unreadable() << " cannot be read: starbus-mail check\n";
  }
  return all.unreadable() == 0 ? kExitOk : kExitFindings;
}

}  // namespace starbus::mail_tool
