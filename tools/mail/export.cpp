// The command export: what can be read of mailboxes, line by line.
#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iostream>
#include <system_error>

#include "bus/core/wire/name.hpp"
#include "mail/repair/backup.hpp"
#include "mail/repair/disk_space.hpp"
#include "mail/repair/inspect.hpp"
#include "mail/repair/repair_mail.hpp"
#include "tools/mail/commands.hpp"
#include "tools/mail/export_format.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::mail_tool {
namespace {

constexpr const char* kStandardOutput = "-";

class Exporter {
 public:
  Exporter(const Context& context, const storage::Snapshot& snapshot, std::ostream& file,
           const Folder& path)
      : context_(context), snapshot_(snapshot), file_(file), path_(path), progress_(context) {
    write(HeaderLine{});
  }

  Result<> all() {
    mail::BoxQuery query{.limit = mail::kMostBoxes};
    for (;;) {
      const auto page = mail::list_boxes(snapshot_, query);
      if (!page) return error_of(page.error());
      for (const std::string& trouble : page->damaged) unreadable(trouble);
      for (const mail::BoxInfo& info : page->boxes) {
        if (auto written = box(info); !written) return written;
      }
      if (!page->next) return {};
      query.after = *page->next;
    }
  }

  Result<> one(const std::string& name) {
    const auto found = mail::find_box(snapshot_, name);
    if (!found && found.error() == storage::Errc::corrupt) {
      unreadable(name + ": its row cannot be read");
      return {};
    }
    if (!found) return error_of(found.error());
    if (!*found) return Error{Errc::no_owner, "no mailbox " + name + " in this store"};
    return box(**found);
  }

  Result<> finish() {
    write(count_);
    errno = 0;
    file_.flush();
    note_failure();
    return written();
  }

  const EndLine& count() const { return count_; }
  std::uint64_t unreadable() const { return unreadable_; }

 private:
  void write(const ExportLine& line) {
    errno = 0;
    file_ << encode(line) << '\n';
    note_failure();
  }
  /// A stream says that it failed, and only the call that it made why.
  void note_failure() {
    if (!file_ && failure_ == 0) failure_ = errno != 0 ? errno : EIO;
  }
  Result<> written() const {
    if (failure_ == 0) return {};
    if (path_ == kStandardOutput) {  // its disk is not known, if it has one
      return Error{Errc::io_error, "standard output: " + std::generic_category().message(failure_)};
    }
    // As text bodies are a third larger.
    const std::uint64_t bytes = mail::bytes_of_bodies(snapshot_) / 3 * 4;
    return error_of(mail::explain(
        path_, failure_,
        {path_, bytes, "give a file on another disk, or some of the mailboxes with --mailbox"}));
  }

  void unreadable(const std::string& what) {
    ++unreadable_;
    context_.err << "starbus-mail: not exported: " << bustop::printable(what) << "\n";
  }

  Result<> box(const mail::BoxInfo& info) {
    const mail::BoxRow& row = info.row;
    if (bus::channel_id(row.name) != info.id) {
      unreadable("mailbox " + info.id.to_string() + ": its name is not known");
      return {};
    }
    const auto lacks = lacks_too_many(info);
    if (!lacks) return lacks.error();
    if (*lacks) {
      unreadable(row.name + ": it lacks more than " + std::to_string(mail::kMostMarked) +
                 " messages; see starbus-mail check");
      return {};
    }
    write(BoxLine{row.name, row.kind, row.floor, row.last});
    ++count_.boxes;
    for (std::uint64_t from = row.floor + 1; from != 0 && row.count() != 0;) {
      if (context_.interrupted && context_.interrupted()) return Error{Errc::closed, "interrupted"};
      const auto page = mail::peek_whole(snapshot_, info, from, mail::kMostPeeked);
      if (!page) return error_of(page.error());
      for (const mail::Peeked& message : page->messages) put(row.name, message);
      if (failure_ != 0) return written();
      from = page->next;
    }
    progress_.show("exports " + bustop::count_of(count_.boxes, "mailbox") + ", " +
                   bustop::count_of(count_.messages, "message"));
    return {};
  }

  /// Each lost message would be a line: a row whose numbers are absurd would fill the disk.
  Result<bool> lacks_too_many(const mail::BoxInfo& info) const {
    if (info.row.count() <= mail::kMostMarked) return false;
    std::uint64_t there = 0;
    for (std::uint64_t from = info.row.floor + 1; from != 0;) {
      const auto page = mail::peek(snapshot_, info, from, mail::kMostPeeked);
      if (!page) return error_of(page.error());
      there += page->messages.size();
      from = page->next;
    }
    return info.row.count() - there > mail::kMostMarked;
  }

  void put(const std::string& box, const mail::Peeked& message) {
    MessageLine line{message.number, message.time_ms, message.trace, message.body};
    line.lost = !message.trouble.empty();
    if (line.lost && message.trouble != mail::kLost) {
      unreadable(box + " number " + std::to_string(message.number) + ": " + message.trouble);
    }
    write(line);
    ++count_.messages;
  }

  const Context& context_;
  const storage::Snapshot& snapshot_;
  std::ostream& file_;
  const Folder& path_;
  int failure_ = 0;  // errno
  ProgressLine progress_;
  EndLine count_;
  std::uint64_t unreadable_ = 0;
};

}  // namespace

int run_export(const Context& context, const ExportOptions& options) {
  const auto opened = open_to_read(options.directory);
  if (!opened) return fail(context, opened.error());
  const bool to_out = options.file == kStandardOutput;
  std::ofstream file;
  std::error_code error;
  if (!to_out && std::filesystem::exists(options.file, error)) {
    return fail(context,
                {Errc::io_error, options.file.string() + ": file exists; give another name"});
  }
  if (!to_out) {
    file.open(options.file, std::ios::binary);
    if (!file) return fail(context, {Errc::io_error, options.file.string() + " cannot be written"});
  }
  Exporter exporter(context, *opened->snapshot, to_out ? context.out : file, options.file);
  Result<> done;
  if (options.mailboxes.empty()) done = exporter.all();
  for (const std::string& name : options.mailboxes) {
    if (done) done = exporter.one(name);
  }
  if (done) done = exporter.finish();
  if (!done) {
    // A part is of no use: import refuses it, and it would be in the way of the next try.
    if (!to_out) std::filesystem::remove(options.file, error);
    return fail(context, done.error());
  }
  if (!to_out) {
    file.close();
    if (auto synced = mail::sync_path(options.file); !synced) {
      std::filesystem::remove(options.file, error);
      return fail(context, error_of(synced.error()));
    }
    context.out << bustop::count_of(exporter.count().boxes, "mailbox") << ", "
                << bustop::count_of(exporter.count().messages, "message") << " exported\n";
  }
  return exporter.unreadable() == 0 ? kExitOk : kExitFindings;
}

}  // namespace starbus::mail_tool
