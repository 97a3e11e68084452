#include "tests/cluster/crash_points/crash_run.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

namespace starbus::cluster_test {
namespace {

namespace fs = std::filesystem;

constexpr auto kRun = 5min;  // a run takes half a second, on a machine that has time for it

fs::path new_sheet_file() {
  return fs::temp_directory_path() / ("starbus-crash-sheet-" + std::to_string(::getpid()));
}

CrashSheet sheet_for_busd(const fs::path& path) {
  ::setenv(CrashSheet::kVariable, path.c_str(), 1);  // NOLINT: one thread
  return CrashSheet::create(path);
}

}  // namespace

CrashHosts CrashRun::standard() {
  return {.a = "shards = ['0-255']\nbox_bytes = '96KiB'\n"
               "[[mail.log]]\nprefix = 'log/town'\nmessages = " +
               std::to_string(kLogMessages) + "\n"};
}

std::string name_of(const CrashPlan& plan) {
  return name_of(plan.first) +
         (plan.second.nth == 0 ? "" : ", then " + name_of(plan.second) + " of the next life");
}

CrashRun::CrashRun(const CrashHosts& hosts)
    : sheet_file_(new_sheet_file()),
      sheet_(sheet_for_busd(sheet_file_)),
      cluster({.more = {{"b", hosts.b}}, .programs = {{"a", program("busd-crashing")}}}) {
  store().configure(cluster.busd_config("a", {}) + "[mail]\ndirectory = '" +
                    mail_folder().string() + "'\n" + hosts.a);
}

CrashRun::~CrashRun() {
  std::error_code ignored;
  fs::remove(sheet_file_, ignored);
}

void CrashRun::play(const CrashPlan& plan) {
  SCOPED_TRACE(name_of(plan));
  calls_.clear();
  deaths_.clear();
  acks_under_way_ = 0;
  ++runs_;
  store().kill();
  fs::remove_all(mail_folder());
  enter(Phase::opening);
  sheet_.set_clock_ahead(0);
  start_store(plan.first);
  loop.restart();  // it stops when nothing is left to do
  run([this, plan] { return through(plan); }, kRun);
  if (HasFailure()) return;
  end_store();
  check_store();
}

bus::Task CrashRun::through(CrashPlan plan) {
  supervised_ = true;
  supervising_ = true;
  spawn([this, plan]() -> boost::asio::awaitable<void> { co_await supervise(plan); });
  co_await work();
  supervised_ = false;
  CO_TRUE(co_await until(kPatience, [this] { return !supervising_; }));
}

void CrashRun::start_store(const CrashPoint& point) {
  sheet_.arm(point);
  store().start();
}

/// As systemd would, but at once.
bus::Task CrashRun::supervise(CrashPlan plan) {
  boost::asio::steady_timer timer(loop);
  while (supervised_) {
    timer.expires_after(2ms);
    co_await timer.async_wait(use_awaitable);
    if (!store().process().ended()) continue;
    note_death();
    if (HasFailure()) break;
    start_store(deaths_.size() == 1 ? plan.second : CrashPoint{});
  }
  supervising_ = false;
}

void CrashRun::note_death() {
  EXPECT_EQ(store().process().ended(), std::optional(-SIGKILL));
  EXPECT_TRUE(sheet_.struck()) << "it died by itself";
  const std::vector<Situation> calls = sheet_.calls();
  if (deaths_.empty()) calls_ = calls;
  deaths_.push_back(calls.empty() ? Situation{} : calls.back());
  enter(Phase::recovering);
}

/// In order; where it dies of that, it is started once more.
void CrashRun::end_store() {
  const auto code = store().terminate(kPatience);
  if (code == std::optional(-SIGKILL)) {
    note_death();
    start_store({});
    const auto open = [this] {
      const auto status = store().json("/status");
      return status.is_object() && status["mail"]["state"] == "running";
    };
    ASSERT_TRUE(wait_for(kPatience, open));
    EXPECT_EQ(store().terminate(kPatience), std::optional(0));
  } else {
    EXPECT_EQ(code, std::optional(0));
  }
  if (deaths_.empty()) calls_ = sheet_.calls();
}

void CrashRun::check_store() {
  const std::string log = "check-" + std::to_string(runs_);
  const auto check =
      cluster.run({program("starbus-mail"), "check", "--directory", mail_folder().string()}, log);
  EXPECT_EQ(check->wait(kPatience), std::optional(0)) << cluster.log_of(log);
}

}  // namespace starbus::cluster_test
