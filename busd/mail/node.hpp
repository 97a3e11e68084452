#pragma once

#include <bitset>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bus/client/process_link.hpp"
#include "busd/mail/care/desk.hpp"
#include "busd/mail/measured_store.hpp"
#include "busd/mail/service.hpp"
#include "storage/store.hpp"

namespace starbus::bus::busd::mail {

struct NodeSettings {
  std::filesystem::path folder;  // of the store; its parent exists
  std::vector<std::uint8_t> shards;
  MailQuota quota;
  std::string endpoint;  // of this host's busd
  std::string role;
};

/// A copy of what the mail's own thread knows, for metrics and operators.
struct NodeFigures {
  MailCounters counters;
  Totals totals;
  std::size_t readers = 0;
  std::bitset<kShards> held;
};

/// The mail store of a host as it runs within busd: a thread of its own, so that no disk holds up a
/// message, which is a process like any other to its busd: it has a link, a name (HOST.store) and
/// owns its shards.
class Node {
 public:
  struct Hooks {
    std::function<void(const std::string& text)> trouble;       // for the log; from its thread
    std::function<void(const storage::Error& reason)> stopped;  // the same
    MeasuredStore::Measured measured{};                         // from the store's
  };
  static constexpr const char* kName = "store";

  /// Opens the store, which blocks, and starts the thread. Errors as open_store.
  static storage::Result<std::unique_ptr<Node>> start(NodeSettings settings, Hooks hooks);
  /// Gives the shards up, completes what is under way, and closes the store. Blocks for that.
  ~Node();

  /// Any thread, also these. At most half a second old.
  NodeFigures figures() const;
  storage::Report report() const { return store_->report(); }
  Desk& desk() { return desk_; }
  /// See Mail::purge; `done` is called on the store's own thread, or not at all if that ends first.
  void purge(const std::string& name, std::uint64_t upto, Mail::Purged done);

 private:
  Node(NodeSettings settings, Hooks hooks, std::unique_ptr<storage::Store> store);
  ProcessLink::Hooks link_hooks();
  void run();
  void publish();

  NodeSettings settings_;
  Hooks hooks_;
  std::unique_ptr<storage::Store> store_;
  MeasuredStore measured_;
  boost::asio::io_context loop_;
  MailService service_;
  ProcessCore core_;
  ProcessLink link_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
  std::chrono::steady_clock::time_point published_{};
  mutable std::mutex figures_mutex_;
  NodeFigures figures_;
  Desk desk_;
  std::thread thread_;
};

}  // namespace starbus::bus::busd::mail
