#include "bench/bus/role.hpp"

#include <algorithm>

namespace starbus::bench {

using namespace std::chrono_literals;

Json summary(const Histogram& histogram) {
  return {{"count", histogram.count()},      {"min", histogram.min()},
          {"p50", histogram.percentile(50)}, {"p90", histogram.percentile(90)},
          {"p99", histogram.percentile(99)}, {"p999", histogram.percentile(99.9)},
          {"max", histogram.max()},          {"mean", histogram.mean()}};
}

Result<void> Role::connect(Peer& peer) {
  const Result<Plan> plan = Plan::load(options_.directory);
  if (!plan) return plan.error();
  const PlannedProcess* self = plan->find(options_.self);
  if (self == nullptr) return fail("this process is not in the plan");
  copies_ = static_cast<std::uint64_t>(std::max(self->subscriptions, 1));
  stops_ = self->stops;
  auto endpoint = peer.connect({*plan, options_.self, options_.low_latency},
                               [this](std::string_view message) { handle(message); });
  if (!endpoint) return endpoint.error();
  endpoint_ = std::move(*endpoint);
  return {};
}

void Role::send(Address to, std::string& message, Header header) {
  header.from = options_.self;
  write_header(message, header);
  while (!endpoint_->send(to, message)) endpoint_->poll(1ms);
}

void Role::send_small(Address to, const Header& header) {
  std::string message(kSmallestMessage, '\0');
  send(to, message, header);
  endpoint_->flush();
}

void Role::handle(std::string_view message) {
  if (message.size() < kSmallestMessage) return;
  ++handled_;
  on_message(read_header(message), message);
}

Result<void> Greeter::prepare() {
  confirmed_.assign(options_.partners.size(), 0);
  const std::int64_t deadline = now_ns() + kSilence;
  for (std::uint64_t attempt = 1; welcomed_.size() < options_.partners.size(); ++attempt) {
    if (now_ns() > deadline) return fail("no answer to greetings");
    send_to_partners({Kind::kGreeting, {}, attempt, 0});
    const std::int64_t next = now_ns() + 50 * kMillisecond;
    while (now_ns() < next && welcomed_.size() < options_.partners.size()) endpoint_->poll(5ms);
  }
  return {};
}

void Greeter::send_to_partners(const Header& header) {
  if (options_.to_everyone) return send_small(kEveryone, header);
  for (const Address& partner : options_.partners) send_small(partner, header);
}

void Greeter::on_message(const Header& header, std::string_view) {
  const auto found = std::find(options_.partners.begin(), options_.partners.end(), header.from);
  if (found == options_.partners.end()) return;
  if (header.kind == Kind::kWelcome) {
    if (std::find(welcomed_.begin(), welcomed_.end(), header.from) == welcomed_.end()) {
      welcomed_.push_back(header.from);
    }
  } else if (header.kind == Kind::kCredit) {
    confirmed_[static_cast<std::size_t>(found - options_.partners.begin())] = header.number;
    slowest_ = *std::min_element(confirmed_.begin(), confirmed_.end());
  } else if (header.kind == Kind::kFinished) {
    ++finished_;
  }
}

}  // namespace starbus::bench
