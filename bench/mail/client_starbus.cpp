// starbus: the client library against the local busd. Everything by callbacks on one loop.
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include "bench/harness/clock.hpp"
#include "bench/mail/client.hpp"
#include "bus/client/bus.hpp"

namespace starbus::bench::mail {
namespace {

std::string name_of(std::uint64_t mailbox) {
  return "mail/" + std::to_string(mailbox);
}

class StarbusClient final : public Client {
 public:
  StarbusClient(const ClientOptions& options, Tally& tally)
      : options_(options),
        tally_(tally),
        bus_(loop_, {.node = options.node, .endpoint = options.endpoint}),
        timer_(loop_),
        body_(options.bytes) {
    std::minstd_rand random(1);
    for (std::byte& byte : body_) byte = static_cast<std::byte>(random());  // nothing to compress
  }

  Result<void> connect() override {
    return wait<void>([this](auto done) { bus_.connect(done); });
  }

  // The store serves its shards a moment after busd has started: the first post waits for it.
  Result<void> prepare(bool) override { return post_one(~std::uint64_t{0}); }

  bool post(std::uint64_t mailbox, std::int64_t stamp) override {
    if (outstanding_ >= options_.outstanding || !refused_.empty()) return false;
    ++outstanding_;
    begin({mailbox, stamp});
    return true;
  }

  void poll(std::int64_t until_ns) override {
    loop_.restart();
    if (loop_.poll() == 0 && now_ns() < until_ns) {
      timer_.expires_after(std::chrono::nanoseconds(until_ns - now_ns()));
      timer_.async_wait([](const auto&) {});
      loop_.run_one();
      timer_.cancel();
      loop_.poll();
    }
    // A window was full: what ended since has made room.
    if (refused_.empty() || !std::exchange(progress_, false)) return;
    for (const Post& post : std::exchange(refused_, {})) begin(post);
  }

  Result<void> post_one(std::uint64_t mailbox) override {
    const auto number = wait<std::uint64_t>(
        [&](auto done) { bus_.post(name_of(mailbox), bus::ByteView(body_), {}, done); });
    if (!number) return number.error();
    return {};
  }

  Result<void> follow(std::uint64_t mailbox) override {
    if (auto bound = bind(name_of(mailbox)); !bound) return bound;
    auto opened = wait<bus::Mailbox>(
        [&](auto done) { bus_.open_mailbox(name_of(mailbox), {}, std::move(done)); });
    if (!opened) return opened.error();
    followed_.emplace(std::move(*opened));
    read_followed();
    return {};
  }

  Result<void> drain(std::uint64_t count, std::size_t batch, bool acknowledge) override {
    if (auto bound = bind(name_of(0)); !bound) return bound;
    bus::MailboxOptions options;
    options.window = options_.window;
    auto opened = wait<bus::Mailbox>(
        [&](auto done) { bus_.open_mailbox(name_of(0), options, std::move(done)); });
    if (!opened) return opened.error();
    std::uint64_t acknowledged = 0;
    std::uint64_t asked = 0;
    std::optional<Failure> failed;
    // The next batch is asked for before this one's acknowledgement has been confirmed.
    while (acknowledge ? acknowledged < count : read_ < count) {
      const auto mails = wait<std::vector<bus::Mail>>(
          [&](auto done) { opened->next_batch(batch, std::move(done)); });
      if (!mails) return mails.error();
      for (const bus::Mail& mail : *mails) {
        if (mail.number != ++read_ || mail.body.size() != options_.bytes) {
          return fail("message " + std::to_string(mail.number) + " is not the next one");
        }
      }
      if (!acknowledge || (read_ - asked < batch && read_ < count)) continue;
      asked = read_;
      opened->acknowledge(asked, [&, upto = asked](const bus::Result<>& done) {
        if (done) acknowledged = upto;
        if (!done) failed = fail(done.error().to_string());
      });
      if (read_ < count) continue;
      while (acknowledged < count && !failed) poll(now_ns() + kSecond);
      if (failed) return *failed;
    }
    return {};
  }

  // A saved cursor says that everything up to it has been handled.
  Result<void> erase(std::uint64_t count) override {
    if (auto bound = bind(name_of(0)); !bound) return bound;
    bus::MailboxOptions options;
    options.after = count;
    const auto opened = wait<bus::Mailbox>(
        [&](auto done) { bus_.open_mailbox(name_of(0), options, std::move(done)); });
    if (!opened) return opened.error();
    return {};
  }

  Result<std::int64_t> open(std::uint64_t mailbox) override {
    if (auto bound = bind(name_of(mailbox)); !bound) return bound.error();
    const std::int64_t begin = now_ns();
    const auto opened = wait<bus::Mailbox>(
        [&](auto done) { bus_.open_mailbox(name_of(mailbox), {}, std::move(done)); });
    if (!opened) return opened.error();
    return now_ns() - begin;
  }

 private:
  struct Post {
    std::uint64_t mailbox;
    std::int64_t stamp;
  };

  void read_followed() {
    constexpr std::uint64_t kAcknowledgeEvery = 1'000;
    followed_->next([this](bus::Result<bus::Mail> mail) {
      if (!mail) {
        const std::string error = mail.error().to_string();
        return tally_.ended(0, &error);
      }
      std::int64_t stamp = 0;
      std::memcpy(&stamp, mail->body.data(), sizeof stamp);
      tally_.ended(stamp, nullptr);
      if (mail->number % kAcknowledgeEvery == 0) {
        followed_->acknowledge(mail->number, [](const bus::Result<>&) {});
      }
      read_followed();
    });
  }

  void begin(const Post& post) {
    if (followed_) std::memcpy(body_.data(), &post.stamp, sizeof post.stamp);
    bus_.post(name_of(post.mailbox), bus::ByteView(body_), {},
              [this, post](const bus::Result<std::uint64_t>& number) { end(post, number); });
  }
  void end(const Post& post, const bus::Result<std::uint64_t>& number) {
    if (!number && number.error() == bus::Errc::would_block) {
      refused_.push_back(post);
      return;
    }
    progress_ = true;
    --outstanding_;
    if (number && followed_) return;  // when it is read
    if (number) return tally_.ended(post.stamp, nullptr);
    const std::string error = number.error().to_string();
    tally_.ended(post.stamp, &error);
  }

  template <class T, class Start>
  Result<T> wait(Start start) {
    std::optional<bus::Result<T>> result;
    start([&result](bus::Result<T> r) { result.emplace(std::move(r)); });
    const std::int64_t end = now_ns() + 60 * kSecond;
    while (!result && now_ns() < end) {
      loop_.restart();
      loop_.run_one_for(std::chrono::seconds(1));
    }
    if (!result) return fail("starbus: no answer in 60 s");
    if (!*result) return fail("starbus: " + result->error().to_string());
    if constexpr (std::is_void_v<T>) {
      return {};
    } else {
      return std::move(**result);
    }
  }

  Result<void> bind(const std::string& name) {
    const auto bound = wait<bus::Bound>([&](auto done) { bus_.bind(name, {}, done); });
    if (!bound) return bound.error();
    return {};
  }

  ClientOptions options_;
  Tally& tally_;
  boost::asio::io_context loop_;
  bus::Bus bus_;
  boost::asio::steady_timer timer_;
  bus::Bytes body_;
  std::uint64_t outstanding_ = 0;
  std::uint64_t read_ = 0;
  std::vector<Post> refused_;
  std::optional<bus::Mailbox> followed_;  // goes before the bus
  bool progress_ = false;
};

}  // namespace

std::unique_ptr<Client> make_starbus_client(const ClientOptions& options, Tally& tally) {
  return std::make_unique<StarbusClient>(options, tally);
}

}  // namespace starbus::bench::mail
