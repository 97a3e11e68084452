#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/loop_thread.hpp"
#include "daemon/admin/admin_server.hpp"
#include "daemon/admin/at_route.hpp"
#include "daemon/report/mail_status.hpp"
#include "mail/mail_store_thread.hpp"
#include "mail/repair/inspect.hpp"

namespace starbus::busd {

/// The admin routes of the mail store (docs/operate/admin-api.md, /mail/...), for the admin socket
/// and for other daemons. Requests that read the disk go to the store's query thread and are
/// answered later. Belongs to the loop's thread.
class MailAdmin {
 public:
  /// `node` returns the store of this host now, or null. `loop` and `admin` outlive this.
  MailAdmin(boost::asio::io_context& loop, daemon::AdminServer& admin, std::string host,
            std::function<mail::MailStoreThread*()> node);

  /// Answers a path with its query string, now or later, if it is one of the reading routes: with
  /// 403 if the role of the caller does not suffice. False for other paths.
  bool answer(const std::string& path_and_query, const daemon::AtCaller& caller,
              const daemon::Reply& reply);

  /// For /status: nullopt without a store.
  std::optional<report::MailStatus> status() const;
  /// For /healthz: "mail store full: ...", "mail store opening", "mail store damaged: ...", "mail
  /// store has lost mail: ..." until an operator has acknowledged that, "mail store lacks 3 of its
  /// shards"; empty
  /// while it runs without damage, and without a store.
  std::string trouble() const;
  bool stopped() const;
  bool damaged() const;
  /// Shards that this store is to serve and that busroot has not granted; at most half a second
  /// old.
  std::size_t lacking() const;

 private:
  static constexpr std::chrono::seconds kStatisticsAge{5};
  /// A GET, and the role that it needs.
  struct Route {
    const char* path;
    daemon::AdminRole role;
    void (MailAdmin::*serve)(const daemon::Request&, const daemon::Reply&);
  };
  /// Makes the response from the store; runs in the query thread of the store.
  using Read = std::function<daemon::Response(const storage::Snapshot&)>;
  /// One scan of all shards, a few at a time, so that other requests are served between.
  struct Statistics {
    std::vector<mail::ShardStatistics> shards;
    storage::Error error;
    std::chrono::steady_clock::time_point at;
  };

  bool is_open(const daemon::Reply& reply) const;
  void ask(const daemon::Reply& reply, Read read);
  void boxes(const daemon::Request& request, const daemon::Reply& reply);
  void peek(const daemon::Request& request, const daemon::Reply& reply);
  void stats(const daemon::Request& request, const daemon::Reply& reply);
  void read_statistics(std::shared_ptr<Statistics> statistics);
  void end_statistics(const std::shared_ptr<Statistics>& statistics);
  daemon::Response statistics_answer(const Statistics& statistics) const;
  void backup(const daemon::Request& request, const daemon::Reply& reply);
  void begin_backup(const daemon::Request& request, const daemon::Reply& reply);
  void stop_backup(const daemon::Request& request, const daemon::Reply& reply);
  void detach(const daemon::Request& request, const daemon::Reply& reply);
  void acknowledge(const daemon::Request& request, const daemon::Reply& reply);
  void purge(const daemon::Request& request, const daemon::Reply& reply);
  void move(const daemon::Request& request, const daemon::Reply& reply);
  void begin_move(const daemon::Request& request, const daemon::Reply& reply);
  void stop_move(const daemon::Request& request, const daemon::Reply& reply);
  void offers(const daemon::Request& request, const daemon::Reply& reply);
  void offer(const daemon::Request& request, const daemon::Reply& reply);
  void withdraw(const daemon::Request& request, const daemon::Reply& reply);
  static const std::array<Route, 6> kRoutes;

  LoopThread thread_;
  boost::asio::io_context& loop_;
  const std::string host_;
  const std::function<mail::MailStoreThread*()> node_;
  std::shared_ptr<Statistics> statistics_;  // the latest
  std::vector<daemon::Reply> waiting_;      // for the scan that is under way
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::busd
