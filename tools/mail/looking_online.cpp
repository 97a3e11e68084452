// ls, peek and stats of a store that a busd has open: the busd answers, and keeps its store.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "base/wall_clock.hpp"
#include "bus/core/wire/name.hpp"
#include "daemon/admin/admin_http.hpp"
#include "mail/repair/backup.hpp"
#include "mail/repair/inspect.hpp"
#include "tools/cluster/mail_view.hpp"
#include "tools/mail/commands.hpp"
#include "tools/mail/online.hpp"
#include "tools/terminal/json_text.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::mail_tool {
namespace {

using bustop::count_of;
using daemon::HttpClient;
using daemon::percent_encode;

std::string boxes_path(const LsOptions& options, const std::string& after, std::uint64_t limit) {
  std::string path = "/mail/boxes?limit=" + std::to_string(limit);
  if (!options.prefix.empty()) path += "&prefix=" + percent_encode(options.prefix);
  if (!after.empty()) path += "&after=" + percent_encode(after);
  return path;
}

/// The names and the order of the fields are those of `ls` on a folder.
bustop::OrderedJson json_of(const report::MailBox& box) {
  return {
      {"name", box.name},         {"id", box.id},       {"shard", box.shard}, {"kind", box.kind},
      {"messages", box.messages}, {"bytes", box.bytes}, {"floor", box.floor}, {"last", box.last}};
}

}  // namespace

int run_ls_online(const Context& context, const LsOptions& options, const std::string& busd) {
  const auto client = HttpClient::at(busd);
  if (!client) return fail(context, client.error());
  std::vector<report::MailBox> boxes;
  std::string after;
  bool damaged = false;
  bool more = true;
  while (more && (options.limit == 0 || boxes.size() < options.limit)) {
    const std::uint64_t most = mail::kMostBoxes;
    const std::uint64_t limit =
        options.limit == 0 ? most : std::min<std::uint64_t>(most, options.limit - boxes.size());
    auto page = document_of<report::MailBoxes>(client->get(boxes_path(options, after, limit)));
    if (!page) return unreachable(context, busd, page.error());
    for (report::MailBox& box : page->boxes) boxes.push_back(std::move(box));
    for (const std::string& trouble : page->damaged) {
      damaged = true;
      context.err << "starbus-mail: " << bustop::printable(trouble)
                  << "\n  -> starbus-mail check\n";
    }
    more = !page->next.empty() && page->next != after;
    after = page->next;
  }
  if (context.json) {
    for (const report::MailBox& box : boxes) context.out << bustop::dump(json_of(box), true);
  } else {
    context.out << bustop::render_mail_boxes(boxes, more, context.look);
  }
  return damaged ? kExitFindings : kExitOk;
}

int run_peek_online(const Context& context, const PeekOptions& options, const std::string& busd) {
  const auto client = HttpClient::at(busd);
  if (!client) return fail(context, client.error());
  bool troubled = false;
  std::uint64_t count = 0;
  std::uint64_t from = std::max<std::uint64_t>(options.from, 1);
  bool first = true;
  while (from != 0 && count < options.limit) {
    const std::string path = "/mail/peek?name=" + percent_encode(options.name) +
                             "&from=" + std::to_string(from) +
                             "&limit=" + std::to_string(options.limit - count);
    const auto text = client->get(path);
    if (!text) return unreachable(context, busd, text.error());
    const auto page = bustop::parse_mail_peek(*text);
    if (!page) return unreachable(context, busd, page.error());
    if (first && !context.json) context.out << bustop::render_mail_heading(page->box);
    first = false;
    for (const bustop::MailMessage& message : page->messages) {
      troubled |= !message.trouble.empty();
      if (!context.json) continue;
      bustop::OrderedJson json = {{"number", message.number},
                                  {"time_ms", static_cast<std::uint64_t>(message.time_ms)}};
      json["trouble"] =
          message.trouble.empty() ? bustop::OrderedJson() : bustop::OrderedJson(message.trouble);
      json["body"] = message.body;
      json["cut"] = message.cut;
      if (message.letter) json["letter"] = bustop::json_of_mail_letter(*message.letter);
      context.out << bustop::dump(json, true);
    }
    if (!context.json && !page->messages.empty()) {
      context.out << bustop::render_mail_messages(page->messages, context.look);
    }
    count += page->messages.size();
    from = page->next > from ? page->next : 0;
  }
  if (from != 0 && !context.json) context.out << "more: --from " << from << "\n";
  return troubled ? kExitFindings : kExitOk;
}

int run_stats_online(const Context& context, bool shards, const std::string& busd) {
  const auto client = HttpClient::at(busd);
  if (!client) return fail(context, client.error());
  const auto text = client->get("/mail/stats");
  if (!text) return unreachable(context, busd, text.error());
  const auto stats = bustop::parse_mail_stats(*text);
  if (!stats) return unreachable(context, busd, stats.error());
  if (context.json) {
    bustop::OrderedJson json = {{"mailboxes", stats->mailboxes},
                                {"messages", stats->messages},
                                {"bytes", stats->bytes},
                                {"oldest_ms", static_cast<std::uint64_t>(stats->oldest_ms)},
                                {"unreadable", stats->unreadable}};
    if (shards) {
      json["shards"] = bustop::OrderedJson::array();
      for (const report::MailShard& one : stats->per_shard) {
        json["shards"].push_back({{"shard", one.shard},
                                  {"mailboxes", one.mailboxes},
                                  {"messages", one.messages},
                                  {"bytes", one.bytes},
                                  {"oldest_ms", static_cast<std::uint64_t>(one.oldest_ms)}});
      }
    }
    context.out << bustop::dump(json);
  } else {
    const auto now = static_cast<double>(wall_ms());
    context.out << bustop::render_mail_stats({*stats}, now, context.look);
    for (const report::MailShard& one : stats->per_shard) {
      if (!shards) break;
      context.out << "shard " << one.shard << ": " << count_of(one.mailboxes, "mailbox") << ", "
                  << count_of(one.messages, "message") << ", "
                  << bustop::human_bytes(static_cast<double>(one.bytes)) << "\n";
    }
  }
  return stats->unreadable == 0 ? kExitOk : kExitFindings;
}

}  // namespace starbus::mail_tool
