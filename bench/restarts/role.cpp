#include "bench/restarts/role.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <optional>

namespace starbus::bench::restarts {
namespace {

using namespace std::chrono_literals;

// Lines of standard input, for somebody who must not wait for them.
class InputLines {
 public:
  std::optional<std::string> next() {
    pollfd wanted{STDIN_FILENO, POLLIN, 0};
    if (::poll(&wanted, 1, 0) > 0) {
      std::array<char, 256> buffer{};
      const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
      if (got > 0) pending_.append(buffer.data(), static_cast<std::size_t>(got));
    }
    const auto end = pending_.find('\n');
    if (end == std::string::npos) return std::nullopt;
    std::string line = pending_.substr(0, end);
    pending_.erase(0, end + 1);
    return line;
  }

 private:
  std::string pending_;
};

class SteadySender final : public Greeter {
 public:
  using Greeter::Greeter;

  Result<Json> run() override {
    std::string message(std::max(options_.bytes, kSmallestMessage), 'x');
    const double pause = static_cast<double>(kSecond) / options_.rate;
    const std::int64_t start = now_ns();
    std::uint64_t sent = 0;
    for (InputLines input; !input.next(); ++sent) {
      wait_until(start + static_cast<std::int64_t>(static_cast<double>(sent) * pause));
      for (const Address& partner : options_.partners) {
        send(partner, message, {Kind::kData, {}, sent, now_ns()});
      }
      endpoint_->flush();
    }
    send_to_partners({Kind::kEnd, {}, sent, 0});
    const auto done = poll_until([&] { return finished_ == options_.partners.size(); });
    if (!done) return done.error();
    return Json{{"sent", sent}};
  }

 private:
  // The endpoint works meanwhile: it may have to connect again. It knows whole milliseconds only.
  void wait_until(std::int64_t when) {
    for (std::int64_t left = when - now_ns(); left >= kMillisecond; left = when - now_ns()) {
      endpoint_->poll(std::chrono::milliseconds(left / kMillisecond));
    }
    sleep_until_ns(when);
  }
};

class SilenceReceiver final : public Role {
 public:
  using Role::Role;

  Result<Json> run() override {
    while (!ended_) {
      if (const auto line = input_.next()) asked_ = std::stoll(*line);
      endpoint_->poll(10ms);
    }
    return Json{{"received", received_}, {"announced", announced_}, {"misplaced", misplaced_}};
  }

 protected:
  void on_message(const Header& header, std::string_view) override {
    if (header.kind == Kind::kGreeting) {
      send_small(header.from, {Kind::kWelcome, {}, 0, 0});
    } else if (header.kind == Kind::kData) {
      on_data(header);
    } else if (header.kind == Kind::kEnd) {
      announced_ = header.number;
      ended_ = true;
      send_small(header.from, {Kind::kFinished, {}, 0, 0});
    }
  }

 private:
  void on_data(const Header& header) {
    const std::int64_t now = now_ns();
    if (heard_ != 0) silence_ = std::max(silence_, now - heard_);
    heard_ = now;
    // Doubled, or in the place of another. One that is missing shows in the count.
    if (header.number < next_) ++misplaced_;
    next_ = std::max(next_, header.number + 1);
    ++received_;
    if (asked_ && header.stamp_ns >= *asked_) {
      std::cout << Json{{"silence", silence_}} << std::endl;
      silence_ = 0;
      asked_.reset();
    }
  }

  InputLines input_;
  std::optional<std::int64_t> asked_;
  std::int64_t heard_ = 0;
  std::int64_t silence_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t misplaced_ = 0;
  std::uint64_t announced_ = 0;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Role> make_role(const LoadOptions& options) {
  if (options.role == "sender") return std::make_unique<SteadySender>(options);
  if (options.role == "receiver") return std::make_unique<SilenceReceiver>(options);
  return nullptr;
}

}  // namespace starbus::bench::restarts
