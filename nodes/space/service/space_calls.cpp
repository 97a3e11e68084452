#include "nodes/space/service/space_calls.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <map>
#include <utility>

#include "bus/io/clock.hpp"
#include "bus/io/timer.hpp"
#include "nodes/space/registry/limits.hpp"
#include "nodes/space/service/limits.hpp"
#include "nodes/space/service/space_service.hpp"

namespace starbus::nodes::space {
namespace {

namespace rpc = entity::rpc;
using bus::io::boot_now;
using std::chrono::milliseconds;

/// Errors after which the request is sent again: nothing ran, or what ran expires by itself.
constexpr Code kAskAgain[] = {bus::Errc::no_owner,       bus::Errc::unreachable,
                              bus::Errc::would_block,    bus::Errc::owner_lost,
                              rpc::Errc::no_such_entity, rpc::Errc::would_block,
                              rpc::Errc::destroyed};

bool is_nowhere(const rpc::Failure<Error>& failure) {
  if (failure == rpc::Errc::refused) return failure.error == Errc::stale_service;
  return std::ranges::any_of(kAskAgain, [&](Code code) { return failure == code; });
}

}  // namespace

/// The requests of one SpaceCalls, which ends before what they wait for.
class SpaceCalls::Requests : public std::enable_shared_from_this<Requests> {
 public:
  explicit Requests(rpc::Endpoint& endpoint) : endpoint_(endpoint) {}

  std::uint64_t begin(EnterRequest ask, bus::Done<Grant> done) {
    if (rows_.size() >= kMaxSpaceCalls) {
      end_later(std::move(done), Error(Errc::would_block, "too many requests wait"));
      return 0;
    }
    static std::atomic<std::uint64_t> numbers = 0;  // the service knows them by their process
    const std::uint64_t number = ++numbers;
    ask.number = number;
    const auto until = boot_now() + std::clamp<milliseconds>(ask.patience, {}, kLongestPatience);
    rows_.try_emplace(number, endpoint_.loop(), std::move(ask), until, std::move(done));
    send(number);
    return number;
  }
  void withdraw(std::uint64_t number) {
    const auto found = rows_.find(number);
    if (found == rows_.end() || std::exchange(found->second.withdrawn, true)) return;
    if (!found->second.sent) {
      auto row = rows_.extract(found);
      return end_later(std::move(row.mapped().done), withdrawn());
    }
    const auto sent = rpc::send<&SpaceService::withdraw>(endpoint_, kSpaceService, {}, number);
    if (!sent) spdlog::debug("spaces: not withdrawn: {}", sent.error().to_string());
  }
  void end_all() {
    for (auto& [number, row] : std::exchange(rows_, {})) {
      end_later(std::move(row.done), Error(rpc::Errc::canceled, "SpaceCalls has ended"));
    }
  }
  std::size_t size() const { return rows_.size(); }

 private:
  struct Row {
    Row(boost::asio::io_context& loop, EnterRequest its, Time most, bus::Done<Grant> then)
        : ask(std::move(its)), until(most), done(std::move(then)), timer(loop) {}
    EnterRequest ask;
    const Time until;
    milliseconds pause = kEnterAgain;
    bus::Done<Grant> done;
    bus::io::Timer timer;
    bool sent = false;  // and not answered
    bool withdrawn = false;
  };

  static Error withdrawn() { return Error(rpc::Errc::canceled, "it was withdrawn"); }
  static milliseconds left(const Row& row) {
    return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(row.until - boot_now()));
  }
  void send(std::uint64_t number) {
    Row& row = rows_.at(number);
    row.ask.patience = left(row);
    row.sent = true;
    rpc::CallOptions options;
    options.deadline = row.ask.patience + kEnterSlack;
    auto pending = rpc::call<&SpaceService::enter>(endpoint_, kSpaceService, options, row.ask);
    std::move(pending)([weak = weak_from_this(), number](auto reply) {
      if (const auto self = weak.lock()) self->answered(number, std::move(reply));
    });
  }
  void answered(std::uint64_t number, rpc::Reply<Grant, Error> reply) {
    const auto found = rows_.find(number);
    if (found == rows_.end()) return;
    found->second.sent = false;
    if (reply) return end(number, *std::move(reply));
    if (found->second.withdrawn) return end(number, withdrawn());
    const rpc::Failure<Error> failure = std::move(reply).error();
    if (is_nowhere(failure)) return again(number, failure);
    if (failure == rpc::Errc::refused) return end(number, failure.error);
    if (failure == rpc::Errc::deadline) return end(number, Error(Errc::too_late, failure.detail));
    end(number, static_cast<const Error&>(failure));
  }
  void again(std::uint64_t number, const Error& why) {
    Row& row = rows_.at(number);
    if (left(row) == milliseconds(0)) {
      return end(number, Error(Errc::too_late, "no service of spaces: " + why.to_string()));
    }
    row.timer.expires_after(std::min(row.pause, left(row)));
    row.pause = std::min<milliseconds>(row.pause * 2, kLongestEnterAgain);
    row.timer.async_wait([weak = weak_from_this(), number](boost::system::error_code error) {
      const auto self = weak.lock();
      if (!error && self && self->rows_.contains(number)) self->send(number);
    });
  }
  void end(std::uint64_t number, Result<Grant> result) {
    auto row = rows_.extract(number);
    row.mapped().done(std::move(result));
  }
  void end_later(bus::Done<Grant> done, Error why) {
    boost::asio::post(endpoint_.loop(),
                      [done = std::move(done), why = std::move(why)] { done(why); });
  }

  rpc::Endpoint& endpoint_;
  std::map<std::uint64_t, Row> rows_;
};

SpaceCalls::SpaceCalls(rpc::Endpoint& endpoint) : requests_(std::make_shared<Requests>(endpoint)) {}

SpaceCalls::~SpaceCalls() {
  requests_->end_all();
}

std::uint64_t SpaceCalls::ask(EnterRequest ask, bus::Done<Grant> done) {
  return requests_->begin(std::move(ask), std::move(done));
}

void SpaceCalls::withdraw(std::uint64_t number) {
  requests_->withdraw(number);
}

std::size_t SpaceCalls::waiting() const {
  return requests_->size();
}

}  // namespace starbus::nodes::space
