#include "bus/client/parts/mail_opener.hpp"

#include "bus/client/bus_core.hpp"
#include "bus/io/timer.hpp"

namespace starbus::bus {

Result<> MailOpener::may_read(const std::string& text, PostTarget target) {
  if (context_.ends()) return Error{Errc::closed};
  const ProcessCore& process = context_.process;
  if (!process.reply_lineage()) return Error{Errc::unreachable, "not connected"};
  const auto name = context_.names.name_of(text);
  if (!name) return name.error();
  if (!process.speaks_mail()) {
    return Error{Errc::version_mismatch, "the busd of this host knows no readers"};
  }
  if (target == PostTarget::log) return process.may_send(text);
  if (!process.epoch(name->id())) return Error{Errc::not_bound, text};
  return {};
}

template <class Handle>
void MailOpener::open(MailReader::Settings settings, std::chrono::milliseconds deadline,
                      Done<Handle> done) {
  if (auto allowed = may_read(settings.name, settings.target); !allowed) {
    return context_.complete<Handle>(std::move(done), allowed.error());
  }
  readers_.open(std::move(settings), io::boot_now() + deadline,
                [weak = context_.self, loop = &context_.loop,
                 done = std::move(done)](Result<MailReaders::Id> id) {
                  if (!id) return done(id.error());
                  Handle handle;
                  handle.core_ = weak;
                  handle.loop_ = loop;
                  handle.id_ = *id;
                  done(std::move(handle));
                });
}

void MailOpener::open_mailbox(const std::string& name, const MailboxOptions& options,
                              Done<Mailbox> done) {
  MailReader::Settings settings;
  settings.target = PostTarget::mailbox;
  settings.name = name;
  settings.after = options.after;
  settings.window = static_cast<std::uint32_t>(std::min<std::size_t>(options.window, ~0u));
  open<Mailbox>(std::move(settings), options.deadline, std::move(done));
}

void MailOpener::follow(const std::string& log, const LogOptions& options, Done<LogReader> done) {
  MailReader::Settings settings;
  settings.target = PostTarget::log;
  settings.name = log;
  settings.from_end = options.after == LogOptions::kFromEnd;
  settings.after = settings.from_end ? 0 : options.after;
  settings.window = static_cast<std::uint32_t>(std::min<std::size_t>(options.window, ~0u));
  open<LogReader>(std::move(settings), options.deadline, std::move(done));
}

// --- one page of a log ---------------------------------------------------------------------------

struct MailOpener::PageReading {
  explicit PageReading(boost::asio::io_context& loop) : timer(loop) {}

  std::size_t max = 0;
  std::chrono::milliseconds deadline{};
  io::Timer timer;
  bool late = false;
  LogReader reader;
  LogPage page;
  Done<LogPage> done;
};

void MailOpener::read(const std::string& log, std::uint64_t from, std::size_t max,
                      std::chrono::milliseconds deadline, Done<LogPage> done) {
  auto reading = std::make_shared<PageReading>(context_.loop);
  reading->max = max;
  reading->deadline = deadline;
  reading->done = std::move(done);
  LogOptions options;
  options.deadline = deadline;
  options.after = from == 0 ? 0 : from - 1;
  follow(log, options, [reading](Result<LogReader> reader) {
    if (!reader) return reading->done(reader.error());
    reading->reader = std::move(*reader);
    reading->page.last = reading->reader.last();
    read_on(reading);
  });
}

void MailOpener::read_on(const std::shared_ptr<PageReading>& reading) {
  LogPage& page = reading->page;
  const std::size_t left = reading->max - std::min(reading->max, page.items.size());
  if (left == 0 || reading->reader.position() >= page.last) {
    return reading->done(std::move(page));
  }
  reading->timer.expires_after(reading->deadline);
  reading->timer.async_wait([weak = std::weak_ptr(reading)](boost::system::error_code stopped) {
    const auto waits = weak.lock();
    if (stopped || !waits) return;
    waits->late = true;
    waits->reader.close();
  });
  reading->reader.start_batch(left, [reading](Result<std::vector<Mail>> items) {
    if (!items && reading->late) {
      return reading->done(Error{Errc::deadline, "the log's stored messages did not come in time"});
    }
    if (!items) return reading->done(items.error());
    for (Mail& mail : *items) {
      // Messages that were appended after the beginning do not belong to the page.
      if (mail.number <= reading->page.last) reading->page.items.push_back(std::move(mail));
    }
    read_on(reading);
  });
}

}  // namespace starbus::bus
