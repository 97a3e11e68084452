// Mailboxes and logs: posts are messages to the shard that keeps them; readers are in MailReaders.
#include <boost/asio/post.hpp>

#include "bus/client/bus_core.hpp"
#include "bus/core/wire/post_limit.hpp"

namespace starbus::bus {

// --- posting -------------------------------------------------------------------------------------

void BusCore::post(PostTarget target, const std::string& name, ByteView body,
                   const PostOptions& options, Done<std::uint64_t> done) {
  // Whether somebody has the shard is not known yet; what is posted meanwhile stays behind it.
  const bool held = process_.reply_lineage() && !knows_stores() &&
                    (!options.wait || held_posts_ != 0) && !closed_ && !closing_;
  if (held) return hold_post(target, name, body, options, std::move(done));
  post_now(target, name, body, options, std::move(done));
}

void BusCore::post_now(PostTarget target, const std::string& name, ByteView body,
                       const PostOptions& options, Done<std::uint64_t> done) {
  const auto token = start_post(target, name, body, options);
  if (!token) return complete<std::uint64_t>(std::move(done), token.error());
  posts_.emplace(*token, PendingPost{name, std::move(done)});
}

void BusCore::hold_post(PostTarget target, const std::string& name, ByteView body,
                        const PostOptions& options, Done<std::uint64_t> done) {
  struct Held {
    Bytes body;
    Done<std::uint64_t> done;
  };
  const auto held = std::make_shared<Held>(Held{{body.begin(), body.end()}, std::move(done)});
  const auto waits =
      hold(std::string(kStores), name.size() + body.size(), [this, target, name, options, held] {
        --held_posts_;
        post_now(target, name, held->body, options, std::move(held->done));
      });
  if (!waits) return complete<std::uint64_t>(std::move(held->done), waits.error());
  ++held_posts_;
}

Result<Token> BusCore::start_post(PostTarget target, const std::string& text, ByteView body,
                                  const PostOptions& options) {
  if (closed_ || closing_) return Error{Errc::closed};
  const auto box = id_of_text(text);
  if (!box) return box.error();
  if (!options.key.fits()) {
    return Error{Errc::too_large, "a key of " + std::to_string(options.key.size()) +
                                      " bytes; at most " + std::to_string(kMaxPostKey)};
  }
  if (body.size() > kMaxPostBody) {
    return Error{Errc::too_large, "a body of " + std::to_string(body.size()) + " bytes; at most " +
                                      std::to_string(kMaxPostBody)};
  }
  if (auto allowed = process_.may_send(text); !allowed) return allowed.error();
  const Name& shard = shard_channel(shard_of(*box));
  if (auto allowed = process_.may_send(shard.text()); !allowed) return allowed.error();
  if (!options.wait) {
    if (auto watched = watch_internally(std::string(kStores)); !watched) return watched.error();
    if (!is_kept(shard.text())) {
      return Error{Errc::no_owner, shard.text() + " is nobody's now: nothing was stored"};
    }
  }

  PostHead head;
  head.target = target;
  head.name = text;
  head.key = options.key.text();
  Bytes trace;
  if (options.trace) {
    Writer writer(trace);
    writer.bytes(options.trace.trace_id);
    writer.bytes(options.trace.span_id);
    head.trace = trace;
  }
  envelope_.clear();
  encode_post_head(head, envelope_);
  Destination to = destination(shard, {});
  to.durable = true;
  const Token token = next_token_;
  const auto seq =
      process_.origin().send(to, Lane::call, envelope_, body, token, expiry_of(options.ttl));
  if (!seq) return seq.error();
  ++next_token_;
  remember_name(shard);
  link_.want_pump(envelope_.size() + body.size());
  return token;
}

bool BusCore::knows_stores() const {
  const RowSet* const rows = process_.rows(std::string(kStores));
  return rows != nullptr && rows->complete();
}

/// As far as the watch shows; true also before it does.
bool BusCore::is_kept(const std::string& shard) const {
  return !knows_stores() || process_.rows(std::string(kStores))->rows().contains(shard);
}

void BusCore::on_posted(Token token, Errc status, std::uint64_t number) {
  if (status == Errc::ok) return void(end_post(token, number));
  Error error{status};
  // The store says no more than that, and which limit it was.
  if (status == Errc::denied)
    error.detail = "a mailbox takes no append, a log no post, and dead letters neither";
  const auto found = posts_.find(token);
  const bool full = status == Errc::mailbox_full || status == Errc::store_full;
  if (full && found != posts_.end()) {
    error.detail = found->second.box + ": " + std::string(text_of(static_cast<PostLimit>(number)));
  }
  end_post(token, std::move(error));
}

/// False: this is no post.
bool BusCore::end_post(Token token, Result<std::uint64_t> result) {
  const auto found = posts_.find(token);
  if (found == posts_.end()) return false;
  complete<std::uint64_t>(std::move(found->second.done), std::move(result));
  posts_.erase(found);
  return true;
}

// --- reading -------------------------------------------------------------------------------------

MailReaders::Access BusCore::reader_access() {
  return {.process = process_,
          .want_pump = [this](std::size_t bytes) { link_.want_pump(bytes); },
          .later =
              [this](std::function<void()> action) { boost::asio::post(loop_, std::move(action)); },
          .watch_stores = [this]() -> Result<> {
            const auto watched = watch_internally(std::string(kStores));
            if (!watched) return watched.error();
            return {};
          }};
}

Result<> BusCore::may_read(const std::string& text, PostTarget target) {
  if (closed_ || closing_) return Error{Errc::closed};
  if (!process_.reply_lineage()) return Error{Errc::unreachable, "not connected"};
  const auto name = name_of_text(text);
  if (!name) return name.error();
  if (!process_.speaks_mail()) {
    return Error{Errc::version_mismatch, "the busd of this host knows no readers"};
  }
  if (target == PostTarget::log) return process_.may_send(text);
  if (!process_.epoch(name->id())) return Error{Errc::not_bound, text};
  return {};
}

template <class Handle>
void BusCore::open_reader(MailReader::Settings settings, std::chrono::milliseconds deadline,
                          Done<Handle> done) {
  if (auto allowed = may_read(settings.name, settings.target); !allowed) {
    return complete<Handle>(std::move(done), allowed.error());
  }
  readers_.open(
      std::move(settings), io::boot_now() + deadline,
      [this, weak = weak_from_this(), done = std::move(done)](Result<MailReaders::Id> id) {
        if (!id) return done(id.error());
        Handle handle;
        handle.core_ = weak;
        handle.loop_ = &loop_;
        handle.id_ = *id;
        done(std::move(handle));
      });
}

void BusCore::open_mailbox(const std::string& name, const MailboxOptions& options,
                           Done<Mailbox> done) {
  MailReader::Settings settings;
  settings.target = PostTarget::mailbox;
  settings.name = name;
  settings.after = options.after;
  settings.window = static_cast<std::uint32_t>(std::min<std::size_t>(options.window, ~0u));
  open_reader<Mailbox>(std::move(settings), options.deadline, std::move(done));
}

void BusCore::follow(const std::string& log, const LogOptions& options, Done<LogReader> done) {
  MailReader::Settings settings;
  settings.target = PostTarget::log;
  settings.name = log;
  settings.from_end = options.after == LogOptions::kFromEnd;
  settings.after = settings.from_end ? 0 : options.after;
  settings.window = static_cast<std::uint32_t>(std::min<std::size_t>(options.window, ~0u));
  open_reader<LogReader>(std::move(settings), options.deadline, std::move(done));
}

/// A log that is read for a moment.
struct BusCore::LogReading {
  explicit LogReading(boost::asio::io_context& loop) : timer(loop) {}

  std::size_t max = 0;
  std::chrono::milliseconds deadline{};
  boost::asio::steady_timer timer;
  bool late = false;
  LogReader reader;
  LogPage page;
  Done<LogPage> done;
};

void BusCore::read(const std::string& log, std::uint64_t from, std::size_t max,
                   std::chrono::milliseconds deadline, Done<LogPage> done) {
  auto reading = std::make_shared<LogReading>(loop_);
  reading->max = max;
  reading->deadline = deadline;
  reading->done = std::move(done);
  LogOptions options;
  options.deadline = deadline;
  options.after = from == 0 ? 0 : from - 1;
  follow(log, options, [this, reading](Result<LogReader> reader) {
    if (!reader) return reading->done(reader.error());
    reading->reader = std::move(*reader);
    reading->page.last = reading->reader.last();
    read_on(reading);
  });
}

void BusCore::read_on(const std::shared_ptr<LogReading>& reading) {
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
  reading->reader.start_batch(left, [this, reading](Result<std::vector<Mail>> items) {
    if (!items && reading->late) {
      return reading->done(Error{Errc::deadline, "nothing came of what the log had"});
    }
    if (!items) return reading->done(items.error());
    for (Mail& mail : *items) {
      // What was appended since does not belong to it.
      if (mail.number <= reading->page.last) reading->page.items.push_back(std::move(mail));
    }
    read_on(reading);
  });
}

// --- mailbox.hpp ---------------------------------------------------------------------------------

namespace {

Mail mail_of(MailItem&& item) {
  Mail mail;
  mail.number = item.number;
  mail.time = std::chrono::system_clock::time_point(std::chrono::milliseconds(item.time_ms));
  mail.attempts = item.attempts;
  mail.damaged = item.status != Errc::ok;
  Reader reader(item.trace);
  const ByteView id = reader.take(mail.trace.trace_id.size());
  const ByteView span = reader.take(mail.trace.span_id.size());
  if (reader.ok()) {
    std::ranges::copy(id, mail.trace.trace_id.begin());
    std::ranges::copy(span, mail.trace.span_id.begin());
  }
  mail.body = std::move(item.body);
  return mail;
}

}  // namespace

MailStream& MailStream::operator=(MailStream&& other) noexcept {
  if (this == &other) return *this;
  close();
  core_ = std::exchange(other.core_, {});
  loop_ = other.loop_;
  id_ = other.id_;
  return *this;
}

void MailStream::close() {
  if (const auto core = std::exchange(core_, {}).lock()) core->readers().close(id_);
}

std::uint64_t MailStream::position() const {
  const auto core = core_.lock();
  const MailReader* const reader = core ? core->readers().find(id_) : nullptr;
  return reader ? reader->position() : 0;
}

std::uint64_t MailStream::last() const {
  const auto core = core_.lock();
  const MailReader* const reader = core ? core->readers().find(id_) : nullptr;
  return reader ? reader->last() : 0;
}

/// Of a closed handle, on a later turn; one that never was open has no loop.
template <class T>
void MailStream::refuse(std::function<void(Result<T>)> done) {
  if (!loop_) return done(Error{Errc::closed});
  boost::asio::post(*loop_, [done = std::move(done)] { done(Error{Errc::closed}); });
}

void MailStream::start_next(std::function<void(Result<Mail>)> done) {
  start_batch(1, [done = std::move(done)](Result<std::vector<Mail>> items) {
    if (!items) return done(items.error());
    done(std::move(items->front()));
  });
}

void MailStream::start_batch(std::size_t max, std::function<void(Result<std::vector<Mail>>)> done) {
  const auto core = core_.lock();
  if (!core) return refuse(std::move(done));
  core->readers().next(id_, max, [done = std::move(done)](Result<std::vector<MailItem>> items) {
    if (!items) return done(items.error());
    std::vector<Mail> mail;
    mail.reserve(items->size());
    for (MailItem& item : *items) mail.push_back(mail_of(std::move(item)));
    done(std::move(mail));
  });
}

void MailStream::start_acknowledge(std::uint64_t upto, const std::string& reject,
                                   std::function<void(Result<>)> done) {
  const auto core = core_.lock();
  if (!core) return refuse(std::move(done));
  core->readers().acknowledge(id_, upto, reject, std::move(done));
}

}  // namespace starbus::bus
