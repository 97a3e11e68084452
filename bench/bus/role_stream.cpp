// The one-way roles: throughput, fan-out and open-loop latency.
#include <algorithm>

#include "bench/bus/role.hpp"

namespace starbus::bench {
namespace {

class Sender final : public Greeter {
 public:
  using Greeter::Greeter;

  Result<Json> run() override {
    message_.assign(std::max(options_.bytes, kSmallestMessage), 'x');
    to_ = options_.to_everyone ? kEveryone : options_.partners.front();
    const std::int64_t start = now_ns();
    const Result<void> sent = options_.rate > 0 ? send_at_rate(start) : send_at_full_speed(start);
    if (!sent) return sent.error();
    const double seconds = static_cast<double>(now_ns() - start) / kSecond;
    send_to_partners({Kind::kEnd, {}, sent_, 0});
    const Result<void> done = poll_until([&] { return finished_ == options_.partners.size(); });
    if (!done) return done.error();
    return Json{{"sent", sent_}, {"seconds", seconds}, {"lateness", summary(lateness_)}};
  }

 private:
  Result<void> send_at_full_speed(std::int64_t start) {
    const std::int64_t end = start + static_cast<std::int64_t>(options_.seconds * kSecond);
    const std::uint64_t window = options_.window == 0 ? UINT64_MAX : options_.window;
    while ((sent_ & 63) != 0 || now_ns() < end) {
      if (sent_ - slowest_ >= window) {
        endpoint_->flush();
        const auto room = poll_until([&] { return sent_ - slowest_ < window; });
        if (!room) return room;
      }
      send(to_, message_, {Kind::kData, {}, sent_, 0});
      ++sent_;
    }
    endpoint_->flush();
    return {};
  }

  // Every message has a time at which it should leave; being late never moves the next one, and the
  // receiver measures from the intended time.
  Result<void> send_at_rate(std::int64_t start) {
    const auto total = static_cast<std::uint64_t>(options_.rate * options_.seconds);
    start += kMillisecond;
    while (sent_ < total) {
      const double offset = static_cast<double>(sent_) / options_.rate * kSecond;
      const std::int64_t intended = start + static_cast<std::int64_t>(offset);
      std::int64_t now = now_ns();
      if (now < intended) {
        endpoint_->flush();
        sleep_until_ns(intended);
        now = now_ns();
      }
      lateness_.record(now - intended);
      send(to_, message_, {Kind::kData, {}, sent_, intended});
      ++sent_;
    }
    endpoint_->flush();
    return {};
  }

  std::string message_;
  Address to_;
  std::uint64_t sent_ = 0;
  Histogram lateness_;
};

class Receiver final : public Role {
 public:
  explicit Receiver(const LoadOptions& options) : Role(options) {
    // Often enough that the sender never starves, rare enough to cost nothing.
    credit_step_ = std::max<std::uint64_t>(options.window / 8, 1);
    warm_up_ = static_cast<std::uint64_t>(options.rate * options.seconds * kWarmUp);
  }

  Result<Json> run() override {
    const Result<void> done = poll_until([&] { return ends_ == copies_; });
    if (!done) return done.error();
    if (!stops_ && (received_ != announced_ * copies_ || disordered_ != 0)) {
      return fail("received " + std::to_string(received_) + " of " +
                  std::to_string(announced_ * copies_) + ", out of order " +
                  std::to_string(disordered_));
    }
    const Endpoint::Traffic traffic = endpoint_->traffic();
    return Json{{"received", received_},
                {"bytes_in", traffic.in},
                {"bytes_out", traffic.out},
                {"seconds", static_cast<double>(last_ - first_) / kSecond},
                {"latency", summary(latency_)}};
  }

 protected:
  void on_message(const Header& header, std::string_view) override {
    if (header.kind == Kind::kData) return on_data(header);
    if (header.kind == Kind::kGreeting) {
      // A process with many subscriptions is ready when all of them got the same greeting.
      greeted_ = header.number == greeting_ ? greeted_ + 1 : 1;
      greeting_ = header.number;
      if (greeted_ == copies_) send_small(header.from, {Kind::kWelcome, {}, 0, 0});
    } else if (header.kind == Kind::kEnd) {
      announced_ = header.number;
      last_ = now_ns();
      if (++ends_ == copies_) send_small(header.from, {Kind::kFinished, {}, 0, 0});
    }
  }

 private:
  void on_data(const Header& header) {
    if (received_ == 0) first_ = now_ns();
    // Copies for several subscriptions of one process may come in any interleaving; only with one
    // subscription does the number say whether order holds.
    if (copies_ == 1 && header.number != received_) ++disordered_;
    ++received_;
    if (options_.rate > 0) {
      if (header.number >= warm_up_) latency_.record(now_ns() - header.stamp_ns);
    } else if (options_.window != 0 && received_ % (credit_step_ * copies_) == 0) {
      send_small(header.from, {Kind::kCredit, {}, received_ / copies_, 0});
    }
  }

  std::uint64_t credit_step_;
  std::uint64_t warm_up_;
  std::uint64_t received_ = 0;
  std::uint64_t disordered_ = 0;
  std::uint64_t announced_ = 0;
  std::uint64_t ends_ = 0;
  std::uint64_t greeting_ = 0;
  std::uint64_t greeted_ = 0;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
  Histogram latency_;
};

}  // namespace

std::unique_ptr<Role> make_sender(const LoadOptions& options) {
  return std::make_unique<Sender>(options);
}

std::unique_ptr<Role> make_receiver(const LoadOptions& options) {
  return std::make_unique<Receiver>(options);
}

}  // namespace starbus::bench
