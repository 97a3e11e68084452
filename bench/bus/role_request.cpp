// The request-reply roles: closed-loop latency.
#include <algorithm>

#include "bench/bus/role.hpp"

namespace starbus::bench {
namespace {

class Requester final : public Greeter {
 public:
  using Greeter::Greeter;

  Result<Json> run() override {
    std::string message(std::max(options_.bytes, kSmallestMessage), 'x');
    const std::int64_t start = now_ns();
    const std::int64_t end = start + static_cast<std::int64_t>(options_.seconds * kSecond);
    const auto warm = start + static_cast<std::int64_t>(options_.seconds * kWarmUp * kSecond);
    std::int64_t now = start;
    for (; now < end; ++requests_) {
      const std::int64_t asked = now;
      send(options_.partners.front(), message, {Kind::kRequest, {}, requests_, asked});
      endpoint_->flush();
      const auto answered = poll_until([&] { return replies_ > requests_; });
      if (!answered) return answered.error();
      now = now_ns();
      if (asked >= warm) latency_.record(now - asked);
    }
    send_to_partners({Kind::kEnd, {}, requests_, 0});
    const auto done = poll_until([&] { return finished_ == options_.partners.size(); });
    if (!done) return done.error();
    const double seconds = static_cast<double>(now - start) / kSecond;
    return Json{{"received", requests_}, {"seconds", seconds}, {"latency", summary(latency_)}};
  }

 protected:
  void on_message(const Header& header, std::string_view message) override {
    if (header.kind == Kind::kReply && header.number == replies_) {
      ++replies_;
    } else {
      Greeter::on_message(header, message);
    }
  }

 private:
  std::uint64_t requests_ = 0;
  std::uint64_t replies_ = 0;
  Histogram latency_;
};

class Responder final : public Role {
 public:
  using Role::Role;

  Result<Json> run() override {
    const Result<void> done = poll_until([&] { return finished_; });
    if (!done) return done.error();
    return Json{{"answered", answered_}};
  }

 protected:
  void on_message(const Header& header, std::string_view message) override {
    if (header.kind == Kind::kRequest) {
      reply_.assign(message);
      send(header.from, reply_, {Kind::kReply, {}, header.number, header.stamp_ns});
      endpoint_->flush();
      ++answered_;
    } else if (header.kind == Kind::kGreeting) {
      send_small(header.from, {Kind::kWelcome, {}, 0, 0});
    } else if (header.kind == Kind::kEnd) {
      send_small(header.from, {Kind::kFinished, {}, 0, 0});
      finished_ = true;
    }
  }

 private:
  std::string reply_;
  std::uint64_t answered_ = 0;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<Role> make_requester(const LoadOptions& options) {
  return std::make_unique<Requester>(options);
}

std::unique_ptr<Role> make_responder(const LoadOptions& options) {
  return std::make_unique<Responder>(options);
}

}  // namespace starbus::bench
