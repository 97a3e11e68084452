#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bus/core/routers/host_router.hpp"
#include "bus/io/reconnect.hpp"
#include "busd/admin.hpp"
#include "busd/mail_admin.hpp"
#include "busd/settings.hpp"
#include "busd/shell.hpp"
#include "daemon/main_loop.hpp"
#include "daemon/router_shell.hpp"
#include "mail/mail_store_thread.hpp"

namespace starbus::busd {

/// The daemon of one host: the router of bus/core with its sockets, its files and its admin server.
/// run_daemon drives it, on one thread. It fails only at the start; later it serves without
/// busroot and without any process for as long as necessary.
class Busd final : public daemon::Daemon {
 public:
  using Clock = std::function<std::uint64_t()>;  // ms of the wall clock
  /// `mail_env`: the file system of the mail store, not owned; null: the real one. `mail_clock`:
  /// its clock, called in any thread; empty: the system's.
  explicit Busd(storage::DiskEnv* mail_env = nullptr, Clock mail_clock = {})
      : mail_env_(mail_env), mail_clock_(std::move(mail_clock)) {}
  ~Busd() override;
  void configure(daemon::ConfigReader& reader) override;
  std::string admin_socket() const override;
  Result<> start(daemon::DaemonContext& context) override;
  Result<> reload() override;
  void drain(std::function<void()> done) override;
  std::string status() const override;
  bool healthy() const override;

 private:
  Result<bus::HostConfig> host_config(daemon::StateDirectory& state) const;
  Result<> listen();
  Result<> keep_mail();
  void answer_later(const bus::Query& query);
  void connect();
  void on_uplink_failed(const bus::io::Reconnect::Target& target, const Error& why);
  void on_uplink(std::shared_ptr<bus::io::Link> link);
  void finish_drain(int polls_left, const std::function<void()>& done);

  storage::DiskEnv* const mail_env_;
  const Clock mail_clock_;
  Settings fresh_;     // as configure() read them
  Settings settings_;  // in force
  daemon::DaemonContext* context_ = nullptr;
  std::optional<daemon::LinkShell> links_;
  std::unique_ptr<Shell> shell_;
  std::unique_ptr<bus::HostRouter> router_;
  std::unique_ptr<Admin> admin_;
  std::unique_ptr<MailAdmin> mail_admin_;
  storage::MeasuredStore::Measured measured_;  // for the mail store
  std::unique_ptr<bus::io::Reconnect> reconnect_;
  std::string uplink_endpoint_;   // tried last
  Error uplink_error_;            // why the latest session or attempt failed
  std::uint64_t reconnects_ = 0;  // number of `reconnect_`: events of an earlier one are ignored
  std::vector<std::unique_ptr<bus::io::Listener>> listeners_;
  std::unique_ptr<mail::MailStoreThread> mail_;
  std::unique_ptr<boost::asio::steady_timer> drain_timer_;
  bool draining_ = false;
  bool mail_leaves_ = false;  // asked to leave, and not done
};

}  // namespace starbus::busd
