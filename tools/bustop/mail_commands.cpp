// bustop mail: what the mail stores of the cluster hold.
#include <algorithm>
#include <chrono>
#include <ostream>
#include <set>

#include "bus/core/wire/name.hpp"
#include "bus/core/wire/post_head.hpp"
#include "daemon/admin/admin_http.hpp"
#include "daemon/report/document.hpp"
#include "mail/repair/inspect.hpp"
#include "tools/bustop/commands.hpp"
#include "tools/cluster/mail_view.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::bustop {
namespace {

using daemon::percent_encode;
constexpr std::size_t kBoxPage = 500;  // an answer over the bus is not too large then
constexpr std::size_t kPeekPage = 1'000;

double unix_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<double>(now / std::chrono::milliseconds(1));
}

/// Hosts that have a store; the one of the options if that names one.
Result<std::set<std::string>> hosts_with_mail(const Context& context, const MailOptions& options) {
  if (!options.host.empty()) return std::set{options.host};
  return context.view.mail_hosts();
}

/// The row of a host whose mail could not be read: its store may not be open, and the daemon knows
/// why.
MailStats troubled(const Context& context, const std::string& host, const Error& error) {
  MailStats stats;
  stats.host = host;
  stats.trouble = error;
  if (const auto status = context.view.status_of(host)) {
    stats.state = status->mail ? status->mail->state : "";
    stats.reason = status->mail ? status->mail->reason : "";
  }
  return stats;
}

int no_mail(const Context& context) {
  context.err << "bustop: no host that is up has a mail store\n"
              << "  -> start those that have one; for a first one: [mail] in busd.toml\n";
  return kExitNotFound;
}

std::string note_of(const MailStats& store) {
  if (store.state.empty()) return store.host + " did not answer: " + text_of(store.trouble);
  return store.host + ": nothing of its mail store is shown, which is " + store.state +
         (store.reason.empty() ? "" : ": " + store.reason);
}

/// Adds pages of one host until there are `wanted`; true if there may be more.
Result<bool> add_boxes(const Context& context, const std::string& host, const std::string& prefix,
                       std::size_t wanted, std::vector<MailBox>& boxes,
                       std::vector<std::string>& notes) {
  std::string after;
  while (boxes.size() < wanted) {
    const std::size_t limit = std::min(kBoxPage, wanted - boxes.size());
    std::string path = "boxes?limit=" + std::to_string(limit);
    if (!prefix.empty()) path += "&prefix=" + percent_encode(prefix);
    if (!after.empty()) path += "&after=" + percent_encode(after);
    const auto text = context.view.mail(host, path);
    if (!text) return text.error();
    auto page = report::from_json<MailBoxes>(*text);
    if (!page) return page.error();
    for (MailBox& box : page->boxes) {
      box.host = host;
      boxes.push_back(std::move(box));
    }
    for (const std::string& damaged : page->damaged) notes.push_back(host + ": " + damaged);
    if (page->next.empty() || page->next == after) return false;
    after = page->next;
  }
  return true;
}

}  // namespace

int run_mail_ls(const Context& context, const MailOptions& options) {
  const auto hosts = hosts_with_mail(context, options);
  if (!hosts) return report(context, hosts.error());
  if (hosts->empty()) return no_mail(context);
  constexpr std::size_t kDefault = 100;
  const std::size_t wanted = options.all          ? ~std::size_t{0}
                             : options.limit == 0 ? kDefault
                                                  : options.limit;
  std::vector<MailBox> boxes;
  std::vector<std::string> notes;
  bool more = false;
  for (const std::string& host : *hosts) {
    const auto added = add_boxes(context, host, options.prefix, wanted, boxes, notes);
    if (!added) {
      const MailStats store = troubled(context, host, added.error());
      if (store.state.empty() && hosts->size() == 1) return report(context, added.error());
      notes.push_back(note_of(store));
    }
    more |= added && *added;
  }
  std::ranges::sort(boxes, {}, &MailBox::name);
  if (context.json) {
    context.out << dump(json_of_mail_boxes(boxes, more, notes));
  } else {
    context.out << render_mail_boxes(boxes, more, context.look);
    for (const std::string& note : notes) context.out << "note: " << printable(note) << "\n";
  }
  return notes.empty() ? kExitOk : kExitBad;
}

/// Prints what is wrong with the name of a mailbox, and returns false then.
bool check_name(const Context& context, const std::string& name) {
  const auto good = bus::check_channel_name(name);
  if (good) return true;
  context.err << "bustop: " << printable(name) << ": " << printable(good.error().to_string())
              << "\n";
  return false;
}

int run_mail_purge(const Context& context, const MailOptions& options) {
  if (!check_name(context, options.name)) return kExitUsage;
  std::string path = "purge?name=" + percent_encode(options.name);
  if (options.upto != 0) path += "&upto=" + std::to_string(options.upto);
  const auto text = context.view.change_mail(path);
  if (!text && text.error().detail.starts_with("404")) {
    context.err << "bustop: " << printable(options.name) << " is not in the store of the host at "
                << context.admin
                << "\n  -> bustop mail peek says which host has it: --admin URL of its busd, or "
                   "run this there\n";
    return kExitNotFound;
  }
  if (!text) return report(context, text.error());
  const auto purge = report::from_json<report::MailPurge>(*text);
  if (!purge) return report(context, purge.error());
  if (context.json) {
    context.out << *text << "\n";
  } else {
    context.out << count_of(purge->purged, "message") << " erased\n";
  }
  return kExitOk;
}

int run_mail_peek(const Context& context, const MailOptions& options) {
  if (!check_name(context, options.name)) return kExitUsage;
  const std::string shard = bus::shard_name(bus::shard_of(bus::channel_id(options.name)));
  const auto route = context.view.route(shard);
  if (!route) return report(context, route.error());
  if (!route->info.found) {
    context.err << "bustop: " << printable(options.name) << " belongs to " << shard
                << ", which no host serves\n"
                << "  -> start the host that has it, or see why its store does not serve: "
                   "bustop doctor\n";
    return kExitNotFound;
  }
  const std::size_t limit = options.limit == 0 ? 20 : std::min(options.limit, kPeekPage);
  const auto text = context.view.mail(
      route->info.host, "peek?name=" + percent_encode(options.name) +
                            "&limit=" + std::to_string(limit) +
                            (options.from == 0 ? "" : "&from=" + std::to_string(options.from)));
  // busroot, too, answers with 404: the host is down, and the lease still names it as the owner.
  if (!text && text.error().detail.find("no host of that name") != std::string::npos) {
    context.err << "bustop: " << printable(options.name) << " is kept by "
                << printable(route->info.host)
                << ", which is not connected\n  -> start busd there; its mail waits on its disk\n";
    return kExitFailed;
  }
  if (!text && text.error().detail.starts_with("404")) {
    context.err << "bustop: nothing was ever posted to " << printable(options.name) << "\n";
    return kExitNotFound;
  }
  if (!text) return report(context, text.error());
  auto peek = parse_mail_peek(*text);
  if (!peek) return report(context, peek.error());
  peek->box.host = route->info.host;
  context.out << (context.json ? dump(json_of_mail_peek(*peek))
                               : render_mail_peek(*peek, context.look));
  const bool readable = std::ranges::all_of(peek->messages, [](const MailMessage& message) {
    return message.trouble.empty() || message.trouble == mail::kLost;
  });
  return readable ? kExitOk : kExitBad;
}

int run_mail_stats(const Context& context, const MailOptions& options) {
  const auto hosts = hosts_with_mail(context, options);
  if (!hosts) return report(context, hosts.error());
  if (hosts->empty()) return no_mail(context);
  std::vector<MailStats> rows;
  bool well = true;
  for (const std::string& host : *hosts) {
    const auto text = context.view.mail(host, "stats");
    auto stats = text ? parse_mail_stats(*text) : Result<MailStats>(text.error());
    rows.push_back(stats ? std::move(*stats) : troubled(context, host, stats.error()));
    const bool unknown = !stats && rows.back().state.empty();
    if (unknown && hosts->size() == 1) return report(context, stats.error());
    rows.back().host = host;
    well &= stats && rows.back().state == "running" && rows.back().unreadable == 0;
  }
  context.out << (context.json ? dump(json_of_mail_stats(rows))
                               : render_mail_stats(rows, unix_ms(), context.look));
  return well ? kExitOk : kExitBad;
}

}  // namespace starbus::bustop
