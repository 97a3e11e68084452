/// The readers of one process: what is refused, and that every operation ends.
#include "bus/client/mail_readers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "bus/core/limits.hpp"
#include "bus/io/clock.hpp"

namespace starbus::bus {
namespace {

class Quiet final : public ProcessEvents {
 public:
  void on_welcome(bool) override {}
  void on_bound(BindingId, Epoch) override {}
  void on_bind_refused(BindingId, const Error&) override {}
  void on_unbound(BindingId) override {}
  void on_delivery(BindingId, const Delivery&) override {}
  void on_watch(const std::string&, const std::vector<WatchRow>&, bool) override {}
  void on_watch_refused(const std::string&, const Error&) override {}
  void on_lease_lost() override {}
  void on_acknowledged(Token) override {}
  void on_failed(Token, const ChannelId&, Lane, std::uint64_t, Errc, bool) override {}
  void on_room() override {}
};

class MailReadersTest : public ::testing::Test {
 protected:
  /// Of a mailbox whose store nobody has seen.
  void open(std::uint32_t window = 1'000, Time deadline = Time::max()) {
    MailReader::Settings settings;
    settings.name = "player/" + std::to_string(++names_);
    settings.window = window;
    readers_.open(std::move(settings), deadline, [this](Result<MailReaders::Id> id) {
      opened_.push_back(id ? Errc::ok : id.error().code);
    });
  }
  void run_later() {
    while (!later_.empty()) {
      const auto action = std::move(later_.front());
      later_.pop_front();
      action();
    }
  }

  Quiet events_;
  ProcessCore process_{{"x", "node", 1, "test"}, events_, io::boot_now()};
  std::deque<std::function<void()>> later_;
  MailReaders readers_{{process_, [](std::size_t) {},
                        [this](std::function<void()> action) { later_.push_back(action); },
                        [] { return Result<>(); }}};
  std::vector<Code> opened_;

 private:
  int names_ = 0;
};

TEST_F(MailReadersTest, AWindowHasALimit) {
  open(kMaxMailWindow + 1);
  open(0);
  run_later();
  EXPECT_THAT(opened_, ::testing::ElementsAre(Errc::too_large, Errc::too_large));
}

TEST_F(MailReadersTest, AreBounded) {
  for (std::uint64_t i = 0; i < kMaxReaders; ++i) open();
  run_later();
  EXPECT_THAT(opened_, ::testing::IsEmpty());
  open();
  run_later();
  EXPECT_THAT(opened_, ::testing::ElementsAre(Errc::would_block));
}

TEST_F(MailReadersTest, ASessionThatNobodyWaitsForIsEnded) {
  const Process store{2, 1, 1};
  const auto answers = [&] {
    return process_.origin().unacknowledged_bytes(store.channel(), kMailLane);
  };
  const auto hear = [&](const auto& record) {
    Bytes bytes;
    encode(record, bytes);
    readers_.on_mail(store, std::decay_t<decltype(record)>::kKind,
                     ByteView(bytes).subspan(kRecordHeader));
  };
  hear(MailOpened{7, Errc::busy, "", 0, 0});
  hear(MailEnd{7, Errc::closed, ""});
  EXPECT_EQ(answers(), 0U);
  hear(MailOpened{7, Errc::ok, "", 0, 3});
  const auto one = answers();
  EXPECT_GT(one, 0U);
  hear(MailItems{7, {{1, 5, Errc::ok, {}, {}}}});
  EXPECT_EQ(answers(), 2 * one);
}

TEST_F(MailReadersTest, WhereNobodyServesAnOpeningEndsAtItsDeadline) {
  open(1'000, Time{});
  readers_.tick();
  run_later();
  EXPECT_THAT(opened_, ::testing::ElementsAre(Errc::deadline));
}

TEST_F(MailReadersTest, WhatWaitsEndsWithTheBus) {
  open();
  readers_.shut({Errc::closed, "the end"});
  run_later();
  EXPECT_THAT(opened_, ::testing::ElementsAre(Errc::closed));
}

TEST_F(MailReadersTest, AClosedReaderAnswersSo) {
  std::vector<Code> ends;
  readers_.next(7, 1,
                [&](Result<std::vector<MailItem>> items) { ends.push_back(items.error().code); });
  readers_.acknowledge(7, 1, {}, [&](Result<> end) { ends.push_back(end.error().code); });
  EXPECT_THAT(ends, ::testing::IsEmpty()) << "on a later turn";
  run_later();
  EXPECT_THAT(ends, ::testing::ElementsAre(Errc::closed, Errc::closed));
}

}  // namespace
}  // namespace starbus::bus
