#include "tools/db/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <system_error>
#include <utility>

#include "nodes/db/catalogue.hpp"
#include "nodes/db/remote/remote_database.hpp"
#include "nodes/db/store_database.hpp"
#include "storage/recovery/repair.hpp"

namespace starbus::db_tool {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongestWait{10};  // for busd, and for each answer
constexpr std::chrono::seconds kPatience{1};      // of the reader of the terminal

}  // namespace

Session::Session(std::function<void(const std::string&)> tell)
    : tell_(std::move(tell)), work_(loop_.get_executor()) {}

/// Later messages of the store's thread go nowhere.
Session::~Session() {
  if (store_) store_->close();
  database_.reset();
}

void Session::run_later(nodes::WorkName, std::function<void()> closure) {
  boost::asio::post(loop_, std::move(closure));
}

db::Result<> Session::open(const Place& place) {
  return place.folder.empty() ? open_bus(place) : open_folder(place.folder);
}

/// A folder that is not there is a mistake of the command line, and none is made.
db::Result<> Session::open_folder(const std::filesystem::path& folder) {
  std::error_code error;  // of a folder that this user may not look into
  if (!std::filesystem::exists(folder / "CURRENT", error)) {
    return db::Error(db::Errc::not_found,
                     folder.string() + (error ? ": " + error.message() : " is not a store"));
  }
  auto store = storage::open_store({.folder = folder, .repair_logs = storage::repair_logs});
  if (!store && store.error() == storage::Errc::in_use) {
    return db::Error(db::Errc::unavailable,
                     store.error().to_string() + "; ask the node, with --database");
  }
  if (!store) return db::error_of(store.error());
  store_ = std::move(*store);
  auto database = db::StoreDatabase::open(*store_, *this);
  if (!database) return database.error();
  database_ = std::move(*database);
  return {};
}

db::Result<> Session::open_bus(const Place& place) {
  bus::Options options;
  options.node = "db-tool-" + std::to_string(::getpid());
  options.role = place.role;
  options.endpoint = place.endpoint;
  bus_ = std::make_unique<bus::Bus>(loop_, options);
  std::optional<bus::Result<>> connected;
  bus_->connect([&](const bus::Result<>& result) { connected = result; });
  waits_for_ = "busd";
  run_until([&] { return connected.has_value(); }, Clock::now() + kLongestWait);
  if (!connected || !*connected) {
    return db::Error(db::Errc::unavailable,
                     connected ? connected->error().to_string() : "no busd answers");
  }
  db::RemoteOptions remote;
  remote.database = place.database;
  remote.deadline = kLongestWait;
  waits_for_ = "the node of database " + place.database;
  database_ = std::make_unique<db::RemoteDatabase>(*bus_, remote);
  return {};
}

void Session::run_until(const std::function<bool()>& done, Clock::time_point limit) {
  const auto patience = std::min(limit, Clock::now() + kPatience);
  while (!done() && loop_.run_one_until(patience) != 0) {
  }
  if (done()) return;
  if (bus_ && tell_) std::exchange(tell_, nullptr)("waiting for " + waits_for_ + "...");
  while (!done() && loop_.run_one_until(limit) != 0) {
  }
}

db::Result<std::vector<db::CollectionInfo>> Session::collections() {
  using Infos = std::vector<db::CollectionInfo>;
  std::optional<db::Result<Infos>> answer;
  const auto taken =
      database_->collections([&](db::Result<Infos> result) { answer = std::move(result); });
  return taken ? wait(answer) : db::Result<Infos>(taken.error());
}

}  // namespace starbus::db_tool
