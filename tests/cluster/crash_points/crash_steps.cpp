// What the workload of a CrashRun is made of.
#include "bus/core/wire/name.hpp"
#include "bus/core/wire/post_head.hpp"
#include "mail/dead_letters.hpp"
#include "tests/cluster/crash_points/crash_run.hpp"

namespace starbus::cluster_test {
namespace {

constexpr std::uint64_t kAcknowledgeEvery = 7;

}  // namespace

bus::MailboxOptions CrashRun::behind(std::uint64_t cursor) {
  return {.after = cursor, .deadline = kPatience};
}

/// Keeps the window full until all have an end.
void CrashRun::post(Bus& bus, MailAccount& box) {
  while (box.may_post()) {
    const MailAccount::Next next = box.next();
    bus::PostOptions options{.key = next.key, .ttl = box.ttl()};
    auto done = [this, &bus, &box, at = next.post](const bus::Result<std::uint64_t>& result) {
      box.end(at, result);
      post(bus, box);
    };
    if (box.plan().log) {
      bus.append(box.name(), next.body, options, std::move(done));
    } else {
      bus.post(box.name(), next.body, options, std::move(done));
    }
  }
}

bus::Task CrashRun::bind(Bus& bus, const std::string& name) {
  const bus::Handlers handlers;
  CO_OK(co_await bus.bind(name, handlers, use_awaitable));
}

/// From the cursor to a number, acknowledging now and then; the fifth is rejected.
bus::Task CrashRun::read(Bus& bus, MailAccount& box, std::uint64_t upto) {
  auto mailbox = co_await bus.open_mailbox(box.name(), behind(box.cursor()), use_awaitable);
  CO_OK(mailbox);
  while (box.cursor() < upto) {
    const auto mail = co_await mailbox->next(use_awaitable);
    CO_OK(mail);
    box.save(*mail);
    if (mail->number == kRejected) settle(*mailbox, kRejected, kReason);
    if (mail->number % kAcknowledgeEvery == 0) settle(*mailbox, mail->number);
  }
  settle(*mailbox, upto);
  CO_TRUE(co_await acknowledged());
}

void CrashRun::settle(bus::Mailbox& mailbox, std::uint64_t upto, const std::string& reject) {
  ++acks_under_way_;
  const auto done = [this](const bus::Result<>& result) {
    EXPECT_TRUE(result) << result.error().to_string();
    --acks_under_way_;
  };
  if (reject.empty()) {
    mailbox.acknowledge(upto, done);
  } else {
    mailbox.reject(upto, reject, done);
  }
}

boost::asio::awaitable<bool> CrashRun::acknowledged() {
  co_return co_await until(kPatience, [this] { return acks_under_way_ == 0; });
}

/// A follower from the first on, until all that was appended has an end and was read.
bus::Task CrashRun::read_log(Bus& bus, MailAccount& log) {
  const bus::LogOptions options{.after = log.cursor(), .deadline = kPatience};
  auto reader = co_await bus.follow(log.name(), options, use_awaitable);
  CO_OK(reader);
  while (!log.ended() || log.cursor() < log.last()) {
    const auto mail = co_await reader->next(use_awaitable);
    CO_OK(mail);
    log.save(*mail);
    // The answer to who appended may come later than the message.
    CO_TRUE(co_await until(kPatience, [&] { return log.ended() || log.cursor() <= log.last(); }));
  }
}

/// What retention must leave of a log is there, without a hole.
bus::Task CrashRun::expect_kept(Bus& bus, const MailAccount& log) {
  const auto page = co_await bus.read(log.name(), 1, 1'000, use_awaitable);
  CO_OK(page);
  EXPECT_EQ(page->last, log.last());
  EXPECT_GE(page->items.size(), kLogMessages);
  EXPECT_LE(page->items.size(), kLogMessages + log.plan().window) << "a batch may leave more";
  std::uint64_t number = page->last - page->items.size();
  for (const bus::Mail& mail : page->items) {
    EXPECT_EQ(mail.number, ++number);
    log.expect_as_told(mail);
  }
}

/// Nothing but what was acknowledged is erased.
bus::Task CrashRun::expect_kept_behind(Bus& bus, const MailAccount& box,
                                       std::uint64_t acknowledged) {
  auto mailbox = co_await bus.open_mailbox(box.name(), behind(0), use_awaitable);
  CO_OK(mailbox);
  for (std::uint64_t number = acknowledged + 1; number <= box.last(); ++number) {
    const auto mail = co_await mailbox->next(use_awaitable);
    CO_OK(mail);
    EXPECT_EQ(mail->number, number) << box.name();
    box.expect_as_told(*mail);
  }
}

bus::Task CrashRun::expect_letter(Bus& bus, const MailAccount& box) {
  const std::string& log = mail::dead_letters_log(bus::shard_of(bus::channel_id(box.name())));
  const auto page = co_await bus.read(log, 1, 10, use_awaitable);
  CO_OK(page);
  EXPECT_EQ(page->items.size(), 1u);
  for (const bus::Mail& mail : page->items) {
    const auto letter = mail::decode_dead_letter(mail.body);
    CO_OK(letter);
    EXPECT_EQ(letter->mailbox, box.name());
    EXPECT_EQ(letter->number, kRejected);
    EXPECT_EQ(letter->reason, kReason);
    bus::Mail rejected;
    rejected.number = letter->number;
    rejected.body.assign(letter->body.begin(), letter->body.end());
    box.expect_as_told(rejected);
  }
}

}  // namespace starbus::cluster_test
