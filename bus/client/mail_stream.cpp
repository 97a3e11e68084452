// Handles of mail readers: mailbox.hpp.
#include <boost/asio/post.hpp>

#include "base/unit_guard.hpp"
#include "bus/client/bus_core.hpp"
#include "bus/client/parts/bus_parts.hpp"

namespace starbus::bus {

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
  if (const auto core = std::exchange(core_, {}).lock()) core->parts().readers.close(id_);
}

std::uint64_t MailStream::position() const {
  const auto core = core_.lock();
  const MailReader* const reader = core ? core->parts().readers.find(id_) : nullptr;
  return reader ? reader->position() : 0;
}

std::uint64_t MailStream::last() const {
  const auto core = core_.lock();
  const MailReader* const reader = core ? core->parts().readers.find(id_) : nullptr;
  return reader ? reader->last() : 0;
}

/// Completes with closed on a later turn; a handle that was never open has no loop for that.
template <class T>
void MailStream::refuse(std::function<void(Result<T>)> done) {
  if (!loop_) return done(Error{Errc::closed});
  boost::asio::post(*loop_, [done = std::move(done)] {
    guarded(UnitKind::completion, done.target_type(), [&] { done(Error{Errc::closed}); });
  });
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
  core->parts().readers.next(id_, max,
                             [done = std::move(done)](Result<std::vector<MailItem>> items) {
                               if (!items) return done(items.error());
                               std::vector<Mail> mail;
                               mail.reserve(items->size());
                               for (MailItem& item : *items)
                                 mail.push_back(mail_of(std::move(item)));
                               done(std::move(mail));
                             });
}

void MailStream::start_acknowledge(std::uint64_t upto, const std::string& reject,
                                   std::function<void(Result<>)> done) {
  const auto core = core_.lock();
  if (!core) return refuse(std::move(done));
  core->parts().readers.acknowledge(id_, upto, reject, std::move(done));
}

}  // namespace starbus::bus
