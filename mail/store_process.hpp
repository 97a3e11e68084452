#pragma once

#include <bitset>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/loop_thread.hpp"
#include "bus/client/process_link.hpp"
#include "mail/repair/oldest.hpp"
#include "mail/repair/queries.hpp"
#include "mail/repair/scrubber.hpp"
#include "mail/service.hpp"
#include "mail/types.hpp"
#include "storage/measured_store.hpp"
#include "storage/store.hpp"

namespace starbus::mail {

/// The configuration of a mail store.
struct MailStoreSettings {
  std::string host;              // of this busd
  std::filesystem::path folder;  // of the store; its parent exists
  std::vector<std::uint8_t> shards;
  MailQuota quota;
  ScrubSettings scrub{};
  std::string endpoint;  // of this host's busd
  std::string role;
  storage::DiskEnv* env = nullptr;           // as in StoreOptions
  std::function<std::uint64_t()> wall_ms{};  // none: the system's; of tests that let days pass
};

/// A copy of the figures of the store's thread, for metrics and operators.
struct MailStoreFigures {
  MailCounters counters;
  Totals totals;
  std::size_t readers = 0;
  std::bitset<kShards> held;
  std::bitset<kShards> lacking;              // see MailService::lacks
  std::optional<std::bitset<kShards>> kept;  // see MailService::keeps; none: not known yet
  MoveProgress move;                         // of shards to here
  std::size_t exporting = 0;                 // shards that others take
  std::map<std::string, std::vector<std::uint8_t>> offers;  // shards that a host may take
};

/// The reports of a mail store; each is called on the thread that it names.
struct MailStoreHooks {
  std::function<void(const std::string& text)> trouble;  // for the log; from the store's thread
  std::function<void(const std::string& text)> note;     // for the log; not a problem
  std::function<void(const storage::Error& reason)> stopped;  // likewise: for good
  storage::MeasuredStore::Measured measured{};                // from the writer's thread
};

/// An open mail store as a process of its busd: it has a link, a name (HOST.store) and owns its
/// shards. Made and run by one thread; functions for other threads say so.
class StoreProcess {
 public:
  /// The name of its node on the bus.
  static constexpr const char* kName = "store";

  /// Not owned: settings and hooks, which outlive this.
  /// `may_repair`: asked on this thread when the store has met damage; if so, run() ends with it.
  StoreProcess(const MailStoreSettings& settings, const MailStoreHooks& hooks,
               std::unique_ptr<storage::Store> store, std::function<bool()> may_repair);
  /// Completes running commits, and closes the store. Blocks for that, also for a compaction.
  ~StoreProcess();

  /// Serves until leave() has been called.
  void run();
  /// Behind run(): the damage that has ended it, and that is to be repaired; no value: it was to
  /// end.
  const std::optional<storage::Error>& damage() const { return damaged_; }
  /// Any thread: as leave(), and the store is then another program's for a while.
  void detach();
  bool detached() const { return detached_; }  // behind run()
  /// Any thread, before or while it runs: gives the shards up and ends run().
  void leave();

  // Any thread.

  /// At most half a second old.
  MailStoreFigures figures() const;
  storage::Report report() const { return store_->report(); }
  Queries& queries() { return queries_; }
  ScrubFigures scrub() const { return scrubber_.figures(); }
  /// See OldestMail::time_ms.
  std::uint64_t oldest_ms() const { return oldest_.time_ms(); }
  /// See Mail::purge; `done` is called on the thread of run(), with `closed` if that ends first.
  void purge(const std::string& name, std::uint64_t upto, Mail::Purged done);
  using Taken = std::function<void(Result<> begun)>;
  /// See ShardImport::begin; likewise.
  void take(std::vector<std::uint8_t> shards, Taken begun);
  void stop_taking();
  using Offered = std::function<void(Result<std::vector<std::uint8_t>> shards)>;
  /// See MailService::offer; likewise.
  void offer(std::vector<std::uint8_t> shards, std::string host, Offered done);
  void withdraw(std::vector<std::uint8_t> shards);

 private:
  bus::ProcessLink::Hooks link_hooks();
  void publish();
  void stopped(const storage::Error& reason);

  const LoopThread thread_;  // that of run()
  const MailStoreSettings& settings_;
  const MailStoreHooks& hooks_;
  std::unique_ptr<storage::Store> store_;
  storage::MeasuredStore measured_;
  boost::asio::io_context loop_;
  MailService service_;
  bus::ProcessCore core_;
  bus::ProcessLink link_;
  const std::function<bool()> may_repair_;
  std::optional<storage::Error> damaged_;
  bool detached_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
  std::chrono::steady_clock::time_point published_{};
  mutable std::mutex figures_mutex_;
  MailStoreFigures figures_;
  Queries queries_;
  Scrubber scrubber_;
  OldestMail oldest_;
};

}  // namespace starbus::mail
