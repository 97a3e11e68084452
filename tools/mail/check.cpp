// The command check: every row, and what is noted of damage.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "mail/repair/noted_damage.hpp"
#include "tools/mail/commands.hpp"
#include "tools/terminal/json_text.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::mail_tool {
namespace {

using bustop::count_of;
using bustop::OrderedJson;

constexpr std::size_t kMostBoxesNamed = 100;  // mailboxes of one note of damage

OrderedJson json_of(const mail::Finding& finding) {
  return {{"problem", std::string(mail::name_of(finding.problem))},
          {"mailbox", finding.name.empty() ? OrderedJson() : OrderedJson(finding.name)},
          {"id", finding.id ? OrderedJson(finding.id->to_string()) : OrderedJson()},
          {"shard", finding.shard},
          {"first", finding.first},
          {"last", finding.last},
          {"detail", finding.detail}};
}

OrderedJson json_of(const mail::CheckReport& report) {
  OrderedJson findings = OrderedJson::array();
  for (const mail::Finding& finding : report.findings) findings.push_back(json_of(finding));
  return {{"clean", report.is_clean()},
          {"problems", report.problems},
          {"notes", report.notes},
          {"mailboxes", report.totals.boxes},
          {"messages", report.totals.messages},
          {"bytes", report.totals.bytes},
          {"findings", findings},
          {"more", report.more()}};
}

void print(const Context& context, const mail::CheckReport& report) {
  for (const mail::Finding& finding : report.findings) {
    context.out << (mail::is_note(finding.problem) ? "note: " : "")
                << bustop::printable(finding.where()) << ": " << finding.what() << "\n";
  }
  if (report.more() != 0) context.out << "and " << report.more() << " more\n";
  context.out << count_of(report.totals.boxes, "mailbox") << ", "
              << count_of(report.totals.messages, "message") << ", "
              << bustop::human_bytes(static_cast<double>(report.totals.bytes)) << ": "
              << (report.is_clean() ? "no problems" : count_of(report.problems, "problem")) << "\n";
  if (!report.is_clean()) context.out << "  -> starbus-mail repair\n";
}

/// Damage that was repaired: it is shown until an operator has acknowledged it.
struct Noted {
  std::vector<storage::DamageNote> notes;
  std::vector<std::string> texts;  // in the same order
};

Result<Noted> read_noted(const Opened& opened, const Folder& directory) {
  auto notes = storage::read_damage({.folder = directory});
  if (!notes) return error_of(notes.error());
  auto texts = mail::describe(*opened.snapshot, *notes, kMostBoxesNamed);
  return Noted{std::move(*notes), std::move(texts)};
}

OrderedJson json_of(const Noted& noted) {
  OrderedJson rows = OrderedJson::array();
  for (std::size_t i = 0; i < noted.notes.size(); ++i) {
    const storage::DamageNote& note = noted.notes[i];
    rows.push_back({{"file", note.file},
                    {"from", note.from},
                    {"to", note.to},
                    {"time_ms", note.time_ms},
                    {"lost", note.lost},
                    {"settled", note.settled},
                    {"text", noted.texts[i]}});
  }
  return rows;
}

void print(const Context& context, const Noted& noted) {
  for (std::size_t i = 0; i < noted.notes.size(); ++i) {
    const storage::DamageNote& note = noted.notes[i];
    context.out << (note.lost ? "lost: " : "repaired: ")
                << bustop::date_time(static_cast<double>(note.time_ms)) << " "
                << bustop::printable(noted.texts[i]) << "\n";
  }
}

}  // namespace

int run_check(const Context& context, const CheckOptions& options) {
  const auto opened = open_to_read(options.directory);
  if (!opened) return fail(context, opened.error());
  std::vector<std::string> log_damage = opened->store->report().damage;
  // Repaired damage is in the notes.
  std::erase_if(log_damage, [](const std::string& text) {
    return text.find(": dropping ") == std::string::npos;
  });
  storage::Result<mail::CheckReport> report = storage::Error{};
  {
    ProgressLine line(context);
    report = mail::check_store(*opened->snapshot, line.of_shards("checks"));
  }
  if (!report) return fail(context, error_of(report.error()));
  const auto noted = read_noted(*opened, options.directory);
  if (!noted) return fail(context, noted.error());
  if (context.json) {
    OrderedJson json = json_of(*report);
    json["log"] = log_damage;
    json["damage"] = json_of(*noted);
    context.out << bustop::dump(json);
  } else {
    for (const std::string& damage : log_damage) {
      context.out << "note: the end of the log was left out: " << bustop::printable(damage) << "\n";
    }
    print(context, *noted);
    print(context, *report);
  }
  const bool unsettled = std::ranges::any_of(
      noted->notes, [](const auto& note) { return note.lost && !note.settled; });
  if (unsettled && report->is_clean() && !context.json) {
    context.out << "  -> starbus-mail repair, which reports the loss to readers\n";
  }
  if (options.acknowledge && unsettled) {
    return fail(context, {Errc::busy, "losses are not repaired yet"});
  }
  if (options.acknowledge) {
    const auto done = storage::acknowledge_damage({.folder = options.directory});
    if (!done) return fail(context, error_of(done.error()));
  } else if (!noted->notes.empty() && !unsettled && !context.json) {
    context.out << "  -> check the disk, then starbus-mail check --acknowledge\n";
  }
  return report->is_clean() && !unsettled ? kExitOk : kExitFindings;
}

}  // namespace starbus::mail_tool
