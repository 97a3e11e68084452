#include "bench/mail/role.hpp"

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include "bench/harness/clock.hpp"
#include "bench/mail/cluster.hpp"

namespace starbus::bench::mail {
namespace {

using Json = nlohmann::json;

constexpr double kWarmUp = 0.1;        // of the measured time: caches, routes
constexpr std::size_t kBatch = 1'000;  // messages between two acknowledgements
constexpr std::int64_t kEndsWithin = 60 * kSecond;

Json summary(const Histogram& times) {
  return {{"p50", times.percentile(50)},
          {"p99", times.percentile(99)},
          {"p999", times.percentile(99.9)},
          {"max", times.max()}};
}

class Posting {
 public:
  Posting(const RoleOptions& options, Client& client, Tally& tally)
      : options_(options), client_(client), tally_(tally) {}

  Result<Json> run() {
    const std::int64_t begin = now_ns();
    const auto length = static_cast<std::int64_t>(options_.seconds * kSecond);
    const std::int64_t from =
        begin + static_cast<std::int64_t>(kWarmUp * options_.seconds * kSecond);
    const std::int64_t end = from + length;
    if (options_.count == 0) tally_.measure(from, end);
    if (options_.rate > 0) {
      keep_rate(begin, end);
    } else if (options_.count > 0) {
      while (begun_ < options_.count) post(options_.first + begun_ % options_.mailboxes);
    } else {
      while (now_ns() < end) post(at_random());
    }
    for (const std::int64_t late = now_ns() + kEndsWithin; tally_.ended_count() < begun_;) {
      client_.poll(now_ns() + kMillisecond);
      if (now_ns() > late) return fail("posts have no end after 60 s");
    }
    const Tally::Figures figures = tally_.figures();
    if (figures.failed > 0) {
      return fail(std::to_string(figures.failed) + " posts failed: " + figures.first_error);
    }
    Json json = summary(figures.times);
    json["seconds"] = static_cast<double>(options_.count > 0 ? now_ns() - begin : length) / kSecond;
    json["measured"] = figures.measured;
    json["ended"] = figures.ended;
    return json;
  }

 private:
  std::uint64_t at_random() {
    return options_.first +
           std::uniform_int_distribution<std::uint64_t>(0, options_.mailboxes - 1)(random_);
  }
  void post(std::uint64_t mailbox) {
    while (!client_.post(mailbox, now_ns())) client_.poll(now_ns() + kMillisecond);
    ++begun_;
  }
  // A post that finds no room is late, and its time counts from when it was due.
  void keep_rate(std::int64_t begin, std::int64_t end) {
    const double pause = static_cast<double>(kSecond) / options_.rate;
    for (std::int64_t due = begin; due < end;
         due = begin + static_cast<std::int64_t>(static_cast<double>(begun_) * pause)) {
      while (now_ns() < due) client_.poll(due);
      const std::uint64_t mailbox = at_random();
      while (!client_.post(mailbox, due)) client_.poll(now_ns() + kMillisecond);
      ++begun_;
    }
  }

  const RoleOptions& options_;
  Client& client_;
  Tally& tally_;
  std::minstd_rand random_{std::random_device{}()};
  std::uint64_t begun_ = 0;
};

Result<Json> timed(const Result<void>& done, std::int64_t begin) {
  if (!done) return done.error();
  return Json{{"seconds", static_cast<double>(now_ns() - begin) / kSecond}};
}

Result<Json> open_some(const RoleOptions& options, Client& client) {
  std::minstd_rand random(7);
  std::uniform_int_distribution<std::uint64_t> which(0, options.mailboxes - 1);
  Histogram times;
  for (std::uint64_t i = 0; i < options.count; ++i) {
    const auto time = client.open(options.first + which(random));
    // The same one once more: its name is ours already.
    if (!time && time.error().what.find("already") != std::string::npos) continue;
    if (!time) return time.error();
    times.record(*time);
  }
  return summary(times);
}

Result<Json> work(const RoleOptions& options, Client& client, Tally& tally) {
  const std::int64_t begin = now_ns();
  if (options.role == "post") return Posting(options, client, tally).run();
  if (options.role == "follow") {
    if (auto followed = client.follow(options.first); !followed) return followed.error();
    return Posting(options, client, tally).run();
  }
  if (options.role == "drain") return timed(client.drain(options.count, kBatch, true), begin);
  if (options.role == "read") return timed(client.drain(options.count, kBatch, false), begin);
  if (options.role == "erase") return timed(client.erase(options.count), begin);
  if (options.role == "open") return open_some(options, client);
  return fail("no such role: " + options.role);
}

int say(const Result<Json>& result) {
  const Json json = result ? *result : Json{{"error", result.error().what}};
  std::cout << json.dump() << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
  }
  return result ? 0 : 1;
}

}  // namespace

int run_role(const RoleOptions& options) {
  use_precise_timers();
  Tally tally;
  const auto client = is_starbus(options.system) ? make_starbus_client(options.client, tally)
                                                 : make_nats_client(options.client, tally);
  const auto connected = client->connect();
  if (!connected) return say(connected.error());
  if (options.role == "prepare") {
    const auto prepared = client->prepare(options.read);
    return say(prepared ? Result<Json>(Json::object()) : Result<Json>(prepared.error()));
  }
  std::cout << "ready" << std::endl;
  std::string go;
  std::getline(std::cin, go);
  return say(work(options, *client, tally));
}

}  // namespace starbus::bench::mail
