#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "busd/mail/store_process.hpp"

namespace starbus::bus::busd::mail {

/// The mail store of a host as it runs within busd: a thread of its own, so that no disk holds up a
/// message, which opens the store and is then a process like any other to its busd (StoreProcess).
/// Messages do not wait for it: a store that was large takes its time to replay its log, one that
/// is damaged stays closed, and meanwhile posts to its shards wait with their senders. While
/// another program has the store open (starbus-mail repair), it tries again every kOpenAgain.
class Node {
 public:
  static constexpr std::chrono::seconds kOpenAgain{1};

  /// Starts the thread, and returns at once.
  Node(NodeSettings settings, NodeHooks hooks);
  /// As leave, and then completes what is under way, and closes the store. Blocks for that, also
  /// for a compaction.
  ~Node();

  /// Gives the shards up; `left` is then called on the store's thread, unless the node goes before.
  /// What is under way may still become durable, and nobody is told: its senders ask the next
  /// store. A process may end now, without the destructor: that is a crash to the store, and
  /// crashes are what it is made for. Once.
  void leave(std::function<void()> left);

  // For operators; any thread.

  /// At most half a second old.
  NodeFigures figures() const;
  /// Shards that [mail] shards of busd.toml lists, and what it says of quotas.
  const std::vector<std::uint8_t>& listed() const { return settings_.shards; }
  const MailQuota& quota() const { return settings_.quota; }
  /// opening, or as of the store, which `stopped` also says of one that could not be opened.
  std::string_view state() const;
  bool opening() const;
  storage::Report report() const;
  /// Damage that was found in files of the store, while that is open.
  PatrolFigures patrol() const;
  /// Null while there is no open store; otherwise as long as this.
  Desk* desk();
  /// See Mail::purge; `done` is called on the store's own thread, or not at all if that ends first.
  /// False while there is no open store.
  bool purge(const std::string& name, std::uint64_t upto, Mail::Purged done);
  /// See Taker::begin; the same.
  bool take(std::vector<std::uint8_t> shards, StoreProcess::Taken begun);
  bool stop_taking();

 private:
  void run();
  std::unique_ptr<storage::Store> open();
  StoreProcess* process() const;

  const NodeSettings settings_;
  NodeHooks hooks_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool leaving_ = false;
  std::function<void()> left_;
  storage::Error unopened_;                // why it could not be opened
  std::unique_ptr<StoreProcess> process_;  // once it is open
  std::thread thread_;
};

}  // namespace starbus::bus::busd::mail
