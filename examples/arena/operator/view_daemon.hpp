/// The operator's view of a run of scripts/up: a page on loopback, for the one who knows the key of
/// this start, which is in the address that is written to the file `page` of the state folder.
///
///   GET /operator, /operator.css, /js/...   the page itself: for anybody on this machine
///   GET /view?after=NUMBER                  what it shows, and the events after that one
///   POST /kill?name=N&pid=P&started=T       ends that very process by SIGKILL
///   POST /start?name=N                      starts a program of the run again
///
/// All but the page need the key; every POST is a line of the audit log. Belongs to the loop's
/// thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/admin/page_port.hpp"
#include "daemon/main_loop.hpp"
#include "examples/arena/operator/run_folder.hpp"
#include "examples/arena/operator/watch.hpp"

namespace arena::view {

/// operator.toml, but for the keys of every daemon.
struct Settings {
  std::string run;                // the folder of scripts/up
  std::string site;               // where the page is
  std::string listen;             // 127.0.0.1:port
  std::vector<Program> programs;  // [[program]]
};

class ViewDaemon final : public starbus::daemon::Daemon {
 public:
  /// Programs of a run: each is asked twice a second.
  static constexpr std::size_t kMostPrograms = 64;
  /// Bytes of an order: there is nothing in its body.
  static constexpr std::size_t kMaxBody = 4096;

  void configure(starbus::daemon::ConfigReader& reader) override;
  starbus::Result<> start(starbus::daemon::DaemonContext& context) override;
  std::string status() const override;

 private:
  starbus::Result<> serve_page();
  void serve_view();
  starbus::daemon::Response kill(const starbus::daemon::Request& request);
  starbus::daemon::Response start_again(const starbus::daemon::Request& request);

  Settings fresh_;
  std::optional<RunFolder> folder_;
  std::optional<Watch> watch_;                       // ends before the folder
  std::unique_ptr<starbus::daemon::PagePort> port_;  // ends before both
};

}  // namespace arena::view
