/// Mail over a real store on a disk that fails when told to; what its shell is told, as text.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>

#include "bus/core/limits.hpp"
#include "bus/core/wire/name.hpp"
#include "mail/mail.hpp"
#include "storage/recovery/repair.hpp"
#include "storage/testing/fault_env.hpp"
#include "tests/bus/core/wire/wire_records.hpp"
#include "tests/storage/recovery/damage.hpp"
#include "tests/storage/support.hpp"

namespace starbus::mail::test {

using storage::testing::FaultEnv;

inline constexpr const char* kBox = "player/1";
inline const Process kAlice{1, 1, 1};
inline const Lineage kLife = Epoch::of(1, 5);

/// Runs what is posted, and writes down what is said.
class Shell final : public MailShell {
 public:
  bool watched(std::uint8_t) override { return false; }
  void changed(std::uint8_t, storage::Batch::Kind, std::string_view, std::string_view) override {}

 public:
  void stored(const StreamId&, std::uint64_t last, std::span<const PostResult> results) override {
    said.push_back("stored " + std::to_string(last) + text(results));
  }
  void answer(const StreamId&, std::span<const PostResult> kept) override {
    said.push_back("answer" + text(kept));
  }
  void refused(const StreamId&, std::uint64_t last) override {
    said.push_back("refused after " + std::to_string(last));
  }
  void opened(std::uint8_t, const std::vector<FilterRow>& rows) override { filter = rows; }
  void say(const Process& reader, Lineage, ByteView record) override {
    heard[reader].emplace_back(record.begin(), record.end());
  }
  bool has_room(const Process&) override { return room; }
  void forget(const StreamId& stream) override { forgotten.push_back(stream); }
  void stopped(const storage::Error& reason) override {
    said.push_back("stopped: " + std::string(name_of(reason.code)));
  }
  void post(std::function<void()> action) override {
    const std::lock_guard lock(mutex_);
    actions_.push_back(std::move(action));
    changed_.notify_all();
  }
  std::uint64_t wall_ms() override { return now_ms; }

  void run_one() {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(
        changed_.wait_for(lock, std::chrono::seconds(30), [&] { return !actions_.empty(); }));
    const auto action = std::move(actions_.front());
    actions_.pop_front();
    lock.unlock();
    action();
  }

  std::vector<std::string> said;
  std::map<Process, std::vector<Bytes>> heard;
  bool room = true;
  std::vector<StreamId> forgotten;
  std::uint64_t now_ms = 1'000;
  std::optional<std::vector<FilterRow>> filter;

 private:
  static std::string text(std::span<const PostResult> results) {
    std::string text;
    for (const PostResult& result : results) {
      text += " " + std::to_string(result.seq) + "=";
      text += result.status == Errc::ok ? std::to_string(result.number)
                                        : std::string(name_of(result.status));
      if (result.status != Errc::ok && result.number != 0) {
        text += ":" + std::to_string(result.number);  // PostLimit
      }
    }
    return text;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> actions_;
};

class MailTest : public testing::Test {
 protected:
  MailTest() { start(); }
  ~MailTest() override { store_->close(); }

  void start(Lineage lineage = kLife) {
    auto opened = storage::open_store(options());
    ASSERT_TRUE(opened) << opened.error().to_string();
    store_ = std::move(*opened);
    shell_ = std::make_unique<Shell>();
    mail_ = std::make_unique<Mail>(*store_, *shell_, quota_);
    const auto opening = mail_->open(shard(), lineage);
    ASSERT_TRUE(opening) << opening.error().to_string();
    settle();
    ASSERT_TRUE(shell_->filter) << "opened once the lineage is on the disk";
    filter_ = *shell_->filter;
  }
  void restart(Lineage lineage = kLife) {
    mail_.reset();
    store_->close();
    start(lineage);
  }
  storage::StoreOptions options() {
    return {.folder = folder_.path() / "mail",
            .env = &env_,
            .headroom = 1 << 20,
            .space_retry = std::chrono::milliseconds(5),
            .repair_logs = storage::repair_logs};
  }
  /// A bit of the first such place in a table of the store, which is closed.
  bool flip_in_a_table(const std::string& text) {
    return storage::test::flip_bit_of(text, options().folder);
  }
  static std::uint8_t shard() { return shard_of(channel_id(kBox)); }
  static StreamId stream() { return {channel_id(shard_name(shard())), kAlice, bus::Lane::call}; }

  void post(std::uint64_t seq, const std::string& body, const std::string& key = "",
            const std::string& box = kBox, PostTarget target = PostTarget::mailbox) {
    post_of(stream().origin, seq, body, key, box, target);
  }
  void post_of(const Process& sender, std::uint64_t seq, const std::string& body,
               const std::string& key = "", const std::string& box = kBox,
               PostTarget target = PostTarget::mailbox) {
    Bytes message;
    bus::encode_post_head({target, box, key, {}}, message);
    const ByteView bytes = as_bytes(body);
    message.insert(message.end(), bytes.begin(), bytes.end());
    StreamId from = stream();
    from.origin = sender;
    mail_->post(from, seq, message, false);
  }
  /// Until the disk has all that was posted.
  std::vector<std::string> settle() {
    (void)mail_->turn();
    while (!mail_->idle()) shell_->run_one();
    return std::exchange(shell_->said, {});
  }
  std::vector<std::string> bodies() {
    std::vector<std::string> found;
    for (std::uint64_t number = 1;; ++number) {
      const auto row = store_->get(message_key(shard(), channel_id(kBox), number));
      EXPECT_TRUE(row);
      if (!row || !row->has_value()) return found;
      found.emplace_back(decode_message(**row).value().body);
    }
  }

  storage::test::TempFolder folder_;
  FaultEnv env_;
  MailQuota quota_;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<Shell> shell_;
  std::unique_ptr<Mail> mail_;
  std::vector<FilterRow> filter_;
};

/// A reader of kBox, as its process would be told.
class MailReading : public MailTest {
 protected:
  static constexpr std::uint64_t kToken = 3;
  const Process reader_{2, 1, 1};

  bus::MailOpen ask(Epoch epoch, std::uint64_t after = 0, std::uint64_t settled = 0) {
    bus::MailOpen open;
    open.token = kToken;
    open.name = kBox;
    open.epoch = epoch;
    open.after = after;
    open.settled = settled;
    open.window = 10'000;
    return open;
  }
  /// Turns until nothing is left to do.
  void settle_readers() {
    settle();
    while (mail_->turn()) {
    }
  }
  std::vector<std::string> open(const Process& from, bus::MailOpen open) {
    mail_->open_reader({from, open.token}, std::move(open));
    return hear(from);
  }
  void post_all(int count, std::size_t size = 1) {
    for (int i = 0; i < count; ++i)
      post(++seq_, std::string(size, static_cast<char>('a' + i % 26)));
    settle();
  }
  /// What a process has been told since the last time, in words.
  std::vector<std::string> hear(const Process& process) {
    settle_readers();
    return heard(process);
  }
  /// The same, of now.
  std::vector<std::string> heard(const Process& process) {
    std::vector<std::string> words;
    for (const Bytes& bytes : std::exchange(shell_->heard[process], {})) {
      for (const bus::WireRecord& record : bus::cut_records(bytes))
        words.push_back(word_of(record));
    }
    return words;
  }

 private:
  static std::string word_of(const bus::WireRecord& record) {
    if (record.kind == bus::Kind::mail_opened) {
      const auto opened = read_record<bus::MailOpened>(record);
      if (opened.status != Errc::ok) return "no: " + std::string(name_of(opened.status));
      return "after " + std::to_string(opened.after) + " of " + std::to_string(opened.last);
    }
    if (record.kind == bus::Kind::mail_acked) {
      return "acked " + std::to_string(read_record<bus::MailAcked>(record).upto);
    }
    if (record.kind == bus::Kind::mail_attempts) {
      const auto attempts = read_record<bus::MailAttempts>(record);
      return "attempt " + std::to_string(attempts.attempts) + " at " +
             std::to_string(attempts.number);
    }
    if (record.kind == bus::Kind::mail_refused) {
      const auto refused = read_record<bus::MailRefused>(record);
      return "refused " + std::to_string(refused.upto) + ": " +
             std::string(name_of(refused.reason));
    }
    if (record.kind == bus::Kind::mail_end) {
      return "end: " + std::string(name_of(read_record<bus::MailEnd>(record).reason));
    }
    std::string words;
    for (const bus::MailItem& item : read_record<bus::MailItems>(record).items) {
      words += (words.empty() ? "" : " ") + std::to_string(item.number);
      if (item.status != Errc::ok) words += "!";
    }
    return words;
  }

  std::uint64_t seq_ = 0;
};

}  // namespace starbus::mail::test
