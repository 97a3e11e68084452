#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bus/client/bus.hpp"
#include "nodes/db/database.hpp"
#include "nodes/runtime/tasks/executor.hpp"
#include "storage/store.hpp"

namespace starbus::db_tool {

namespace db = nodes::db;

/// A database for one command: a folder that no process has open, or a running node over the bus.
/// Calls block until they are answered. One thread.
class Session final : private nodes::Executor {
 public:
  struct Place {
    std::filesystem::path folder;  // empty: over the bus
    std::string endpoint;          // of busd
    std::string role = "node";     // for busd's access list
    std::string database = "main";
  };
  /// Calls `tell` once if a call has waited longer than a second, with the reason.
  explicit Session(std::function<void(const std::string&)> tell);
  ~Session() override;

  db::Result<> open(const Place& place);

  /// An error, or the answer.
  template <class T, class Request>
  db::Result<T> ask(db::Result<> (db::Database::*call)(Request, db::Database::Done<T>),
                    Request request) {
    std::optional<db::Result<T>> answer;
    const auto taken = (database_.get()->*call)(
        std::move(request), [&](db::Result<T> result) { answer = std::move(result); });
    return taken ? wait(answer) : db::Result<T>(taken.error());
  }
  db::Result<std::vector<db::CollectionInfo>> collections();

 private:
  void run_later(nodes::WorkName name, std::function<void()> closure) override;
  db::Result<> open_folder(const std::filesystem::path& folder);
  db::Result<> open_bus(const Place& place);
  template <class T>
  T wait(std::optional<T>& answer) {
    run_until([&] { return answer.has_value(); }, std::chrono::steady_clock::time_point::max());
    return *std::move(answer);
  }
  void run_until(const std::function<bool()>& done, std::chrono::steady_clock::time_point limit);

  std::function<void(const std::string&)> tell_;  // empty: was called
  std::string waits_for_;
  boost::asio::io_context loop_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<bus::Bus> bus_;
  std::unique_ptr<db::Database> database_;
};

}  // namespace starbus::db_tool
