#include "busd/busd.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <boost/asio/post.hpp>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "bus/core/wire/version.hpp"
#include "busd/mail_metrics.hpp"
#include "daemon/config/admin_socket.hpp"
#include "mail/store_process.hpp"

namespace starbus::busd {
namespace {

constexpr std::chrono::milliseconds kDrainPoll{5};  // processes wait while busd is replaced
constexpr int kDrainPolls = 200;                    // one second for the queues to empty

std::uint64_t random_session() {
  std::random_device device;
  const std::uint64_t high = device();
  return ((high << 32) | device()) | 1;  // never 0
}

constexpr const char* kMailRole = "store";  // of the mail store's own process
constexpr const char* kGuestRole = "guest";
constexpr std::uint32_t kGuestSessions = 16;
constexpr std::uint32_t kGuestNames = 1'000;

/// The roles of a file that lists none: this program's own user and root may do everything, and the
/// rest of the socket's group may talk among themselves.
std::vector<bus::Role> default_roles() {
  bus::Role own{.name = "node", .users = {::geteuid()}, .groups = {}, .bind = {""}, .send = {""}};
  if (::geteuid() != 0) own.users.push_back(0);
  own.trust = bus::Trust::server;
  bus::Role guest{.name = kGuestRole,
                  .users = {},
                  .groups = {},
                  .bind = {"guest/"},
                  .send = {"guest/"},
                  .watch = {"guest/"}};
  guest.max_names = kGuestNames;
  guest.max_sessions = kGuestSessions;
  return {own, guest};
}

/// The roles of the file, and the role of this program's own mail store, which reserves its name.
std::vector<bus::Role> roles_of(const Settings& settings) {
  std::vector<bus::Role> roles = settings.roles.empty() ? default_roles() : settings.roles;
  std::erase_if(roles, [](const bus::Role& role) { return role.name == kMailRole; });
  bus::Role store{
      .name = kMailRole, .users = {::geteuid()}, .groups = {}, .bind = {"store/"}, .send = {""}};
  store.nodes = {mail::StoreProcess::kName};
  roles.push_back(std::move(store));
  return roles;
}

}  // namespace

Busd::~Busd() {
  mail_.reset();
  if (links_) links_->stop();
}

void Busd::configure(daemon::ConfigReader& reader) {
  fresh_ = read_settings(reader);
}

Result<bus::HostConfig> Busd::host_config(daemon::StateDirectory& state) const {
  bus::HostConfig config;
  config.host = settings_.host;
  config.software = std::string("starbus ") + bus::kVersion;
  config.access = bus::AccessList(roles_of(settings_));
  config.lease = settings_.lease;
  config.max_processes = settings_.max_processes;
  config.minor = settings_.minor;
  const auto term = stored_term(state);
  if (!term) return term.error();
  config.highest_term = *term;
  const auto incarnation = next_incarnation(state);
  if (!incarnation) return incarnation.error();
  config.incarnation = *incarnation;
  return config;
}

Result<> Busd::start(daemon::DaemonContext& context) {
  context_ = &context;
  settings_ = fresh_;
  auto config = host_config(context.state);
  if (!config) return config.error();
  auto journal = ProcessJournal::open(context.state);
  if (!journal) return journal.error();
  config->journaled = journal->living();
  if (!config->journaled.empty()) {
    spdlog::info("{} processes of an earlier busd live: they keep their names",
                 config->journaled.size());
  }
  links_.emplace(context.loop);
  Shell::Events events;
  events.pid_ended = [this](std::int64_t pid) {
    router_->pid_ended(pid);
    links_->flush();
  };
  events.query = [this](const bus::Query& query) { answer_later(query); };
  events.uplink_ended = [this] {
    uplink_error_ = router_->uplink().last_error;
    if (reconnect_ && !router_->uplink().connected) reconnect_->again();
  };
  shell_ = std::make_unique<Shell>(context.loop, *links_, context.state, std::move(*journal),
                                   context.limited, std::move(events));
  router_ = std::make_unique<bus::HostRouter>(*shell_, std::move(*config), daemon::boot_now());
  links_->start(*router_);
  Admin::Facts facts;
  facts.host = settings_.host;
  facts.version = bus::kVersion;
  facts.uplink_endpoint = [this] { return uplink_endpoint_; };
  facts.uplink_error = [this] { return uplink_error_; };
  facts.state = [this]() -> std::string {
    if (draining_) return "draining";
    return router_->uplink().greeted ? "serving" : "without busroot";
  };
  const auto node = [this] { return mail_.get(); };
  mail_admin_ = std::make_unique<MailAdmin>(context.loop, context.admin, settings_.host, node);
  facts.mail = [this] { return mail_admin_->status(); };
  facts.loop_use = [this] { return links_->loop_use(); };
  facts.later = [this](const std::string& path, const daemon::AtCaller& caller,
                       const daemon::Reply& reply) {
    return mail_admin_->answer(path, caller, reply);
  };
  admin_ = std::make_unique<Admin>(*router_, context, std::move(facts));
  add_metrics(context.metrics, *router_);
  if (settings_.keeps_mail) measured_ = add_mail_metrics(context.metrics, node);
  if (auto listening = listen(); !listening) return listening;
  connect();
  return keep_mail();
}

/// Requests of other daemons: the mail store answers after it has read its disk, all other routes
/// in turn.
void Busd::answer_later(const bus::Query& query) {
  const auto reply = [this, query](const daemon::Response& response) {
    router_->answer(daemon::answer_to(query, response));
    links_->flush();
  };
  // Posted, because the router is on the stack.
  boost::asio::post(context_->loop, [this, query, reply] {
    const daemon::AtCaller caller = daemon::RouterAdmin::caller_of(query);
    if (!mail_admin_->answer(query.path, caller, reply)) admin_->answer(query, reply);
  });
}

/// Beside the socket of the bus: busd.sock has busd-admin.sock.
std::string Busd::admin_socket() const {
  return daemon::admin_socket_beside(fresh_.listen);
}

Result<> Busd::listen() {
  for (const std::string& endpoint : settings_.listen) {
    bus::io::ListenOptions options;
    options.socket_mode = settings_.socket_mode;
    options.socket_group = settings_.socket_group;
    options.on_refused = [this](const std::string& address, const Error& why) {
      if (context_->limited.allow("refused")) spdlog::warn("{}: {}", address, why.to_string());
    };
    auto listener = bus::io::listen(
        context_->loop, endpoint, std::move(options),
        [this](std::shared_ptr<bus::io::Link> link) { links_->add(std::move(link)); });
    if (!listener) {
      Error error = listener.error();
      error.detail = endpoint + ": " + error.detail;
      return error;
    }
    spdlog::info("listening for processes of host {} at {}", settings_.host,
                 (*listener)->endpoint());
    listeners_.push_back(std::move(*listener));
  }
  return {};
}

/// Starts the mail store if this host keeps shards. It connects by the first endpoint, as any
/// process does, when it is open.
Result<> Busd::keep_mail() {
  if (!settings_.keeps_mail) return {};
  mail::MailStoreSettings node;
  node.host = settings_.host;
  node.folder = settings_.mail_folder.empty() ? context_->state.path() / "mail"
                                              : std::filesystem::path(settings_.mail_folder);
  if (std::filesystem::exists(node.folder)) {
    if (const auto made = daemon::make_private(node.folder); !made) return made;
  }
  node.shards = settings_.mail_shards;
  node.quota = settings_.mail_quota;
  node.scrub = settings_.mail_scrub;
  node.endpoint = listeners_.front()->endpoint();
  node.role = kMailRole;
  node.env = mail_env_;
  node.wall_ms = mail_clock_;
  mail::MailStoreHooks hooks;
  hooks.trouble = [](const std::string& text) { spdlog::warn("mail: {}", text); };
  hooks.note = [](const std::string& text) { spdlog::info("mail: {}", text); };
  hooks.stopped = [](const storage::Error& reason) {
    spdlog::critical(
        "mail: the store has stopped and serves no shard: {}; fix the cause, stop busd, run "
        "starbus-mail check, run starbus-mail repair if that reports damage, start busd",
        reason.to_string());
  };
  hooks.measured = measured_;
  mail_ = std::make_unique<mail::MailStoreThread>(std::move(node), std::move(hooks));
  spdlog::info("mail: {} shards are listed", settings_.mail_shards.size());
  return {};
}

void Busd::connect() {
  const auto number = ++reconnects_;
  reconnect_ = std::make_unique<bus::io::Reconnect>(
      context_->loop, settings_.targets(),
      [this, number](std::shared_ptr<bus::io::Link> link) {
        if (number == reconnects_) on_uplink(std::move(link));
      },
      [this](const bus::io::Reconnect::Target& target, const Error& why) {
        on_uplink_failed(target, why);
      });
  reconnect_->start();
}

void Busd::on_uplink_failed(const bus::io::Reconnect::Target& target, const Error& why) {
  uplink_endpoint_ = target.endpoint;
  uplink_error_ = why;
  if (context_->limited.allow("uplink")) {
    spdlog::warn("busroot at {}: {}", target.endpoint, why.to_string());
  }
}

void Busd::on_uplink(std::shared_ptr<bus::io::Link> link) {
  uplink_endpoint_ = link->peer().address;
  links_->add(std::move(link), [this](bus::LinkId id, bus::PeerFacts peer, bus::Time now) {
    router_->uplink_opened(id, std::move(peer), random_session(), now);
  });
}

Result<> Busd::reload() {
  const auto fixed = [&](const char* key, bool changed) {
    if (changed) spdlog::warn("{} has changed in the file: that takes a restart", key);
  };
  fixed("busd.host", fresh_.host != settings_.host);
  fixed("busd.listen", fresh_.listen != settings_.listen);
  fixed("busd.socket_mode", fresh_.socket_mode != settings_.socket_mode);
  fixed("busd.socket_group", fresh_.socket_group != settings_.socket_group);
  fixed("busd.max_processes", fresh_.max_processes != settings_.max_processes);
  fixed("busd.lease", fresh_.lease != settings_.lease);
  fixed("mail",
        fresh_.keeps_mail != settings_.keeps_mail || fresh_.mail_shards != settings_.mail_shards ||
            fresh_.mail_folder != settings_.mail_folder ||
            fresh_.mail_quota != settings_.mail_quota || fresh_.mail_scrub != settings_.mail_scrub);
  if (fresh_.roles != settings_.roles) {
    settings_.roles = fresh_.roles;
    router_->set_access_list(bus::AccessList(roles_of(settings_)));
  }
  const bool other_uplink = fresh_.endpoints != settings_.endpoints ||
                            fresh_.server_keys != settings_.server_keys ||
                            fresh_.keys.secret_key != settings_.keys.secret_key;
  if (other_uplink) {
    settings_.endpoints = fresh_.endpoints;
    settings_.server_keys = fresh_.server_keys;
    settings_.keys = fresh_.keys;
    reconnect_.reset();
    router_->drop_uplink({bus::Errc::superseded, "by a session with the new configuration"});
    connect();
  }
  links_->flush();
  return {};
}

/// Sends what is queued, then ends all sessions as shutting_down.
void Busd::drain(std::function<void()> done) {
  draining_ = true;
  if (mail_) {
    mail_leaves_ = true;
    mail_->leave([this] {  // posted: the store's thread must not end this program
      boost::asio::post(context_->loop, [this] { mail_leaves_ = false; });
    });
  }
  listeners_.clear();
  reconnect_.reset();
  drain_timer_ = std::make_unique<boost::asio::steady_timer>(context_->loop);
  finish_drain(kDrainPolls, done);
}

void Busd::finish_drain(int polls_left, const std::function<void()>& done) {
  links_->flush();
  if ((mail_leaves_ || !router_->idle()) && polls_left > 0) {
    drain_timer_->expires_after(kDrainPoll);
    drain_timer_->async_wait([this, polls_left, done](const boost::system::error_code& error) {
      if (!error) finish_drain(polls_left - 1, done);
    });
    return;
  }
  router_->shut_down();
  links_->flush();
  done();
}

/// A full mail store recovers by itself, and busd serves meanwhile; a stopped one, or one with
/// damaged files, needs an operator; and mail of shards that it does not hold waits at its senders.
bool Busd::healthy() const {
  return router_ && router_->uplink().greeted && !mail_admin_->stopped() &&
         !mail_admin_->damaged() && mail_admin_->lacking() == 0;
}

std::string Busd::status() const {
  if (!router_) return "starting";
  std::string processes = std::to_string(router_->table().process_count()) + " processes, " +
                          std::to_string(router_->table().name_count()) + " names, ";
  if (const std::string trouble = mail_admin_->trouble(); !trouble.empty()) {
    processes += trouble + ", ";
  }
  if (router_->uplink().greeted) return processes + "linked to " + uplink_endpoint_;
  if (uplink_error_.code == bus::Errc::ok) return processes + "no session with busroot yet";
  return processes + "no session with busroot: " + uplink_error_.to_string();
}

}  // namespace starbus::busd
