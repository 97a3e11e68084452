#include "nodes/db/service/store_identity.hpp"

#include <spdlog/spdlog.h>

#include <random>
#include <utility>

#include "base/hex.hpp"
#include "nodes/db/limits.hpp"

namespace starbus::nodes::db {
namespace {

constexpr std::string_view kIs = "store ";
constexpr std::string_view kReplaces = " replaces ";

std::string log_of(const std::string& database) {
  return "log/db." + database;
}

}  // namespace

std::string draw_identity() {
  std::random_device device;
  const auto draw = [&] { return hex_of(std::uint64_t{device()} << 32 | device()); };
  return draw() + draw();
}

std::string KnownIdentity::first(std::string_view identity) {
  return std::string(kIs).append(identity);
}

std::string KnownIdentity::replacement(std::string_view identity, std::string_view former) {
  return first(identity).append(kReplaces).append(former);
}

void KnownIdentity::add(std::string_view entry) {
  if (!entry.starts_with(kIs)) return;
  entry.remove_prefix(kIs.size());
  const std::size_t split = entry.find(kReplaces);
  const std::string_view identity = entry.substr(0, split);
  if (identity.empty()) return;
  // The first entry that is kept counts, whatever it replaced.
  const bool next =
      split != std::string_view::npos && entry.substr(split + kReplaces.size()) == present_;
  if (present_.empty() || next) present_ = identity;
}

void KnownIdentity::end(std::uint64_t last) {
  if (present_.empty() && last > 0) present_ = kErased;
}

IdentityLog identity_log(bus::Bus& bus, const std::string& database) {
  IdentityLog log;
  log.read = [&bus, name = log_of(database)](std::uint64_t from,
                                             IdentityLog::Answer<bus::LogPage> answer) {
    bus.read(name, from, kIdentityPage, kIdentityWait, std::move(answer));
  };
  log.append = [&bus, name = log_of(database)](const std::string& entry,
                                               IdentityLog::Answer<std::uint64_t> answer) {
    bus::PostOptions options;
    options.ttl = kIdentityWait;
    bus.append(name, std::string_view(entry), options, std::move(answer));
  };
  return log;
}

IdentityCheck::IdentityCheck(std::string database, std::string replaces, IdentityLog log,
                             entity::TimerWheel& timers)
    : database_(std::move(database)),
      replaces_(std::move(replaces)),
      log_(std::move(log)),
      timers_(timers) {}

void IdentityCheck::run(std::string own, Done done) {
  alarms_.cancel_all();
  running_ = std::make_shared<bool>(true);
  own_ = std::move(own);
  done_ = std::move(done);
  appended_ = false;
  read(1);
}

void IdentityCheck::read(std::uint64_t from) {
  if (from == 1) known_ = {};
  log_.read(from,
            [this, weak = std::weak_ptr(running_), from](const bus::Result<bus::LogPage>& page) {
              if (weak.expired()) return;
              page ? on_page(from, *page) : again(page.error());
            });
}

void IdentityCheck::on_page(std::uint64_t from, const bus::LogPage& page) {
  for (const bus::Mail& mail : page.items) known_.add(bus::as_text(mail.body));
  if (!page.items.empty()) from = page.items.back().number + 1;
  if (!page.items.empty() && from <= page.last) return read(from);
  known_.end(page.last);
  decide();
}

void IdentityCheck::decide() {
  const std::string& present = known_.present();
  if (present == own_) return end({});
  const bool replaces = !present.empty() && present == replaces_;
  if ((present.empty() || replaces) && !appended_) {
    if (replaces) spdlog::warn("db/{}: this store replaces {}", database_, present);
    return append(replaces ? KnownIdentity::replacement(own_, present)
                           : KnownIdentity::first(own_));
  }
  end(bus::Error(
      bus::Errc::bad_config,
      "db/" + database_ + ": the store here is " + own_ + ", and the cluster's is " +
          (present.empty() ? "none: " + log_of(database_) + " keeps no entry" : present) +
          "; start the node on the folder of that one, or replace it on purpose with "
          "replaces = '" +
          present + "'"));
}

/// Whatever the answer is, the log says what counts: another store may have been first.
void IdentityCheck::append(std::string entry) {
  log_.append(std::move(entry),
              [this, weak = std::weak_ptr(running_)](const bus::Result<std::uint64_t>& number) {
                if (weak.expired()) return;
                if (!number) return again(number.error());
                appended_ = true;
                read(1);
              });
}

void IdentityCheck::again(const bus::Error& why) {
  if (why == bus::Errc::denied || why == bus::Errc::corrupt) return end(why);
  const std::string waits_for = log_of(database_) + ": " + why.to_string();
  if (std::exchange(waits_for_, waits_for) != waits_for) {
    spdlog::warn("db/{}: its identity cannot be checked yet, waits for {}", database_, waits_for);
  }
  const auto later = timers_.after(alarms_, kIdentityRetry, [this] { read(1); });
  if (!later) end(bus::Error(bus::Errc::io_error, "no timer"));
}

void IdentityCheck::end(const bus::Result<>& result) {
  running_ = nullptr;
  waits_for_.clear();
  std::exchange(done_, nullptr)(result);
}

}  // namespace starbus::nodes::db
