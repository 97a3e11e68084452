#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "nodes/db/service/request_handler.hpp"
#include "nodes/db/store_database.hpp"
#include "nodes/runtime/tasks/executor.hpp"
#include "storage/measured_store.hpp"

namespace starbus::nodes::db {

/// A copy of what the engine's thread knows, for metrics and operators.
struct EngineFigures {
  bool open = false;
  DatabaseReport database;
  storage::Report storage;
  RequestHandler::Counters handler;
  std::string identity;  // of the store
};

/// A database on a thread of its own, so that no disk holds up the node's loop: the store, the
/// StoreDatabase over it and the RequestHandler before it belong to that thread. A disk error that
/// stops writing is reported once.
///
/// Made, used and ended by one thread, the node's; its end closes the store, and blocks for that.
class Engine final : private Executor {
 public:
  static constexpr std::chrono::milliseconds kPublish{500};  // how old figures may be

  struct Settings {
    std::filesystem::path folder;  // its parent exists
    RequestHandler::Scope scope;
    std::vector<DeclareIndex> indexes;  // declared before it is open
    std::uint64_t headroom = storage::kHeadroom;
    storage::DiskEnv* env = nullptr;  // as in StoreOptions
  };
  /// Called on the engine's thread.
  struct Hooks {
    std::function<void(const storage::Error& reason)> stopped;
    storage::MeasuredStore::Measured measured{};
  };

  Engine(Settings settings, Hooks hooks);
  ~Engine() override;

  /// Opens the store if it is not open; `opened` is called on the engine's thread.
  void open(std::function<void(const Result<>&)> opened);
  /// One request, in the order of these calls; `reply` is called on the engine's thread. Only once
  /// it is open. The caller bounds the requests that wait.
  void handle(bus::Bytes body, RequestHandler::Reply reply);

  /// Any thread.
  EngineFigures figures() const;

 private:
  using Closure = std::function<void()>;

  void run_later(WorkName name, Closure closure) override;
  void run();
  Result<> open_now();
  Result<> name_store();
  /// An identity for a store that has none yet: store_identity.hpp.
  Result<> identify_store();
  void declare(std::size_t index, std::function<void(const Result<>&)> opened);
  void publish();
  void close();

  const Settings settings_;
  const Hooks hooks_;

  // Belongs to the engine's thread.
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<storage::MeasuredStore> measured_;
  std::unique_ptr<StoreDatabase> database_;
  std::unique_ptr<RequestHandler> handler_;  // ends after the database, whose callbacks refer to it
  std::string identity_;
  bool told_ = false;
  std::chrono::steady_clock::time_point published_{};

  mutable std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<Closure> closures_;
  bool ending_ = false;
  EngineFigures figures_;
  std::thread thread_;
};

}  // namespace starbus::nodes::db
