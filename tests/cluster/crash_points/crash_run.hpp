/// A fixed workload of mail on a cluster of two hosts, whose store's busd dies at a chosen change
/// of its disk, and once more while it recovers, if told so. A supervisor starts it again. Every
/// run has a new store; the rest of the cluster stays.
///
///   play({.first = {.nth = 17, .moment = Moment::half}});
#pragma once

#include "tests/cluster/cluster_test.hpp"
#include "tests/cluster/crash_points/crash_sheet.hpp"
#include "tests/cluster/crash_points/mail_account.hpp"

namespace starbus::cluster_test {

inline constexpr std::size_t kLogMessages = 16;               // that the log of the workload keeps
inline constexpr std::uint64_t kRejected = 5;                 // of each mailbox that is rejected
inline constexpr std::chrono::milliseconds kPatience = 2min;  // with a machine that others use
inline constexpr const char* kReason = "no such item";

struct CrashPlan {
  CrashPoint first{};   // in the store's first life; may be none
  CrashPoint second{};  // in its second
};
std::string name_of(const CrashPlan& plan);

/// What the hosts are told about mail: a has the store that dies.
struct CrashHosts {
  std::string a;  // but for its folder
  std::string b{};
};

class CrashRun : public ClusterTest {
 protected:
  explicit CrashRun(const CrashHosts& hosts = standard());
  ~CrashRun() override;

  /// Runs the workload through the crashes, and checks what docs/guide/mail.md promises.
  void play(const CrashPlan& plan);

  /// Of the last play: the calls of the life that was hit first, or of the only one.
  const std::vector<Situation>& calls() const { return calls_; }
  /// Where it died: once for each point that was reached.
  const std::vector<Situation>& deaths() const { return deaths_; }

  // --- the workload; this one: crash_workload.cpp ---
  /// The same in each play; it must come to its end whatever dies, and check what is there.
  virtual bus::Task work_with(Bus& poster, Bus& reader);
  void enter(Phase phase) { sheet_.enter(phase); }
  void set_clock_ahead(std::chrono::milliseconds ahead) {
    sheet_.set_clock_ahead(static_cast<std::uint64_t>(ahead.count()));
  }
  Daemon& store() { return cluster.busd("a"); }
  Daemon& other() { return cluster.busd("b"); }

  // --- what workloads are made of: crash_steps.cpp ---
  static bus::MailboxOptions behind(std::uint64_t cursor);
  void post(Bus& bus, MailAccount& box);
  bus::Task bind(Bus& bus, const std::string& name);
  bus::Task read(Bus& bus, MailAccount& box, std::uint64_t upto);
  bus::Task read_log(Bus& bus, MailAccount& log);
  bus::Task expect_kept(Bus& bus, const MailAccount& log);
  bus::Task expect_kept_behind(Bus& bus, const MailAccount& box, std::uint64_t acknowledged);
  bus::Task expect_letter(Bus& bus, const MailAccount& box);
  void settle(bus::Mailbox& mailbox, std::uint64_t upto, const std::string& reject = {});
  boost::asio::awaitable<bool> acknowledged();

 private:
  struct Boxes;

  static CrashHosts standard();
  std::filesystem::path mail_folder() const { return cluster.folder() / "mail"; }
  void start_store(const CrashPoint& point);
  bus::Task through(CrashPlan plan);
  bus::Task supervise(CrashPlan plan);
  void note_death();
  void end_store();
  void check_store();

  bus::Task work();
  bus::Task post_all(Bus& poster, Bus& reader, Boxes& boxes);
  bus::Task log_all(Bus& poster, Bus& reader, Boxes& boxes);
  bus::Task read_all(Bus& reader, Boxes& boxes);
  bus::Task erase_many(Bus& poster, Bus& reader, Boxes& boxes);
  bus::Task purge(Bus& reader, Boxes& boxes);
  bus::Task read_rest(Bus& poster, Bus& reader, Boxes& boxes);
  bool compacted() const;

  std::filesystem::path sheet_file_;
  CrashSheet sheet_;
  Cluster cluster;
  std::vector<Situation> calls_;
  std::vector<Situation> deaths_;
  std::size_t runs_ = 0;
  bool supervised_ = false;  // as the workload wishes
  bool supervising_ = false;
  std::size_t acks_under_way_ = 0;
};

}  // namespace starbus::cluster_test
