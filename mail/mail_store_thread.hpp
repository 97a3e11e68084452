#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/loop_thread.hpp"
#include "mail/limits.hpp"
#include "mail/store_process.hpp"
#include "storage/recovery/repair.hpp"

namespace starbus::mail {

/// Repaired damage that no operator has acknowledged yet.
struct DamageFigures {
  std::uint64_t lost = 0;          // notes of it
  std::uint64_t repaired = 0;      // notes without a loss
  std::uint64_t noted = 0;         // notes of losses since the start of busd, acknowledged or not
  std::uint64_t repairs = 0;       // of this busd: the store was closed, repaired and opened again
  std::vector<std::string> texts;  // the first kDamageShown, those that are lost in front
};

/// The mail store of a host within busd, on a thread of its own, so that the disk never delays a
/// message. The thread opens the store and then runs it as a process like any other (StoreProcess).
/// While the store replays its log, or stays closed for damage, posts to its shards wait with their
/// senders. While another program has the store open (starbus-mail repair), the thread tries again
/// every kStoreOpenAgain.
///
/// A store that meets damage, at opening or in a compaction, is closed, repaired, and opened again;
/// losses are noted and logged with their mailboxes. After kStoreRepairs repairs within
/// kRepairWindow the store stays stopped: a disk that keeps failing needs an operator.
class MailStoreThread {
 public:
  /// Starts the thread; does not wait for it.
  MailStoreThread(MailStoreSettings settings, MailStoreHooks hooks);
  /// As leave, and then completes what is under way, and closes the store. Blocks for that, also
  /// for a compaction.
  ~MailStoreThread();

  /// Gives the shards up; `left` is then called on the store's thread, unless the node goes before.
  /// What is under way may still become durable, and nobody is told: its senders ask the next
  /// store. A process may end now, without the destructor: that is a crash to the store, and
  /// crashes are what it is made for. Once.
  void leave(std::function<void()> left);

  // For operators; any thread.

  /// At most half a second old.
  MailStoreFigures figures() const;
  /// Shards that [mail] shards of busd.toml lists, and what it says of quotas.
  const std::vector<std::uint8_t>& listed() const { return settings_.shards; }
  const MailQuota& quota() const { return settings_.quota; }
  /// opening, or as of the store, which `stopped` also says of one that could not be opened.
  std::string_view state() const;
  bool opening() const;
  storage::Report report() const;
  /// Damage that was found in files of the store, while that is open.
  ScrubFigures scrub() const;
  DamageFigures damage() const;
  /// How long the oldest message waits for its reader, in ms of the wall clock, as OldestMail says;
  /// 0: none.
  std::uint64_t oldest_age_ms() const;
  /// See Queries::ask. False while there is no open store, or if too many wait.
  bool ask(Queries::Question question);
  /// Whether there is an open store, so that it can be asked.
  bool is_open() const;
  /// See Queries; `closed` and no value while there is no open store. A backup ends with its store.
  storage::Result<> begin_backup(const std::filesystem::path& to);
  void stop_backup();
  std::optional<Queries::Backup> backup() const;
  /// Closes the store, so that another program can have it, and calls `closed` on the store's
  /// thread; shards are not served meanwhile. It is opened again when no Detach is on its folder.
  /// False while there is no open store, or if it is being closed.
  bool detach(std::function<void()> closed);
  const std::filesystem::path& folder() const { return settings_.folder; }
  /// Moves the notes of damage into lost/; `done` on a thread of the store's. As `ask`.
  bool acknowledge_damage(std::function<void(const storage::Result<>&)> done);
  /// See Mail::purge; `done` is called on the store's own thread, with `closed` if that ends first.
  /// False while there is no open store.
  bool purge(const std::string& name, std::uint64_t upto, Mail::Purged done);
  /// See ShardImport::begin; the same.
  bool take(std::vector<std::uint8_t> shards, StoreProcess::Taken begun);
  bool stop_taking();
  /// See MailService::offer; the same.
  bool offer(std::vector<std::uint8_t> shards, std::string host, StoreProcess::Offered done);
  bool withdraw(std::vector<std::uint8_t> shards);

 private:
  void run();
  bool serve(std::unique_ptr<storage::Store> store);
  std::unique_ptr<storage::Store> open();
  storage::Result<std::unique_ptr<storage::Store>> try_to_open();
  bool wait_to_open(const storage::Error& why, bool said);
  bool may_repair();
  void repair_after(const storage::Error& damage);
  storage::Result<> repair_files(const storage::Error& why);
  storage::Result<> repair_noted_mail(storage::Store& store);
  void read_notes(const storage::Store& store);
  storage::StoreOptions options() const {
    return {.folder = settings_.folder, .env = settings_.env, .repair_logs = storage::repair_logs};
  }

  const MailStoreSettings settings_;
  MailStoreHooks hooks_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool leaving_ = false;
  std::function<void()> left_;
  storage::Error unopened_;                // why it could not be opened
  std::unique_ptr<StoreProcess> process_;  // once it is open; what it is asked never blocks
  bool repairing_ = false;
  std::function<void()> detached_;  // to be called once it is closed
  DamageFigures damage_;
  LoopThread store_thread_;                                    // bound by run(); owns repairs_
  std::deque<std::chrono::steady_clock::time_point> repairs_;  // of the thread
  std::thread thread_;
};

}  // namespace starbus::mail
