#include "busroot/busroot.hpp"

#include <spdlog/spdlog.h>

#include <utility>

#include "bus/core/wire/version.hpp"
#include "busroot/journal.hpp"

namespace starbus::busroot {
namespace {

// The last bundles leave while the loop still runs. A slower peer sees the connection end, which
// tells it the same. Short, because all hosts wait while one busroot replaces another.
constexpr std::chrono::milliseconds kLastBundles{20};

}  // namespace

Busroot::~Busroot() {
  if (links_) links_->stop();
}

void Busroot::configure(daemon::ConfigReader& reader) {
  fresh_ = read_settings(reader);
}

Result<> Busroot::start(daemon::DaemonContext& context) {
  context_ = &context;
  settings_ = fresh_;
  const auto term = next_term(context.state);
  if (!term) return term.error();
  auto hosts = stored_hosts(context.state);
  if (!hosts) return hosts.error();
  auto bounds = stored_bounds(context.state);
  if (!bounds) return bounds.error();

  links_.emplace(context.loop);
  Shell::Events events;
  events.query = [this](const bus::Query& query) {
    admin_->answer(query, [this, query](const daemon::Response& response) {
      router_->answer(daemon::answer_to(query, response));
      links_->flush();
    });
  };
  events.answer = [this](const bus::Answer& answered) { admin_->on_answer(answered); };
  events.stop = context.stop;
  shell_ = std::make_unique<Shell>(*links_, context.state, context.limited, std::move(events));
  shell_->set_allow_list(AllowList(settings_.curve, settings_.hosts), settings_.rights);

  bus::RootRouter::Config config;
  config.term = *term;
  config.name = settings_.name;
  config.journaled = std::move(*hosts);
  config.bounds = std::move(*bounds);
  config.software = std::string("starbus ") + bus::kVersion;
  config.lease = settings_.lease;
  config.minor = settings_.minor;
  router_ = std::make_unique<bus::RootRouter>(*shell_, std::move(config), daemon::boot_now());
  links_->start(*router_);
  admin_ = std::make_unique<Admin>(*router_, context, [this] { links_->flush(); });
  add_metrics(context.metrics, *router_);
  spdlog::info("term {}; waiting for {} hosts", *term, router_->waiting_for().size());
  return listen();
}

Result<> Busroot::listen() {
  for (const std::string& endpoint : settings_.listen) {
    bus::io::ListenOptions options;
    options.keys = settings_.keys;
    options.allow = [this](std::string_view key) { return shell_->allow_list().knows_key(key); };
    options.on_refused = [this](const std::string& address, const Error& why) {
      if (context_->limited.allow_stranger(address))
        spdlog::warn("{}: {}", address, why.to_string());
    };
    options.first_session_port = settings_.first_session_port;
    options.last_session_port = settings_.last_session_port;
    auto listener = bus::io::listen(
        context_->loop, endpoint, std::move(options),
        [this](std::shared_ptr<bus::io::Link> link) { links_->add(std::move(link)); });
    if (!listener) return listener.error();
    spdlog::info("listening for hosts at {}", (*listener)->endpoint());
    listeners_.push_back(std::move(*listener));
  }
  return {};
}

Result<> Busroot::reload() {
  const auto fixed = [](std::string_view key, bool changed) {
    if (changed) spdlog::warn("{} has changed in the file: that takes a restart", key);
  };
  fixed("busroot.name", fresh_.name != settings_.name);
  fixed("busroot.listen", fresh_.listen != settings_.listen);
  fixed("busroot.session_ports", fresh_.first_session_port != settings_.first_session_port ||
                                     fresh_.last_session_port != settings_.last_session_port);
  fixed("busroot.lease", fresh_.lease != settings_.lease);
  fixed("security.curve", fresh_.curve != settings_.curve);
  fixed("security.secret_key_file", fresh_.keys.secret_key != settings_.keys.secret_key);
  settings_.hosts = fresh_.hosts;
  settings_.rights = fresh_.rights;
  shell_->set_allow_list(AllowList(settings_.curve, settings_.hosts), settings_.rights);
  router_->review_hosts();
  links_->flush();
  return {};
}

void Busroot::drain(std::function<void()> done) {
  listeners_.clear();
  router_->shut_down();
  links_->flush();
  drain_timer_ = std::make_unique<boost::asio::steady_timer>(context_->loop);
  drain_timer_->expires_after(kLastBundles);
  drain_timer_->async_wait([done = std::move(done)](const boost::system::error_code& error) {
    if (!error) done();
  });
}

std::string Busroot::status() const {
  if (!router_) return "starting";
  std::size_t connected = 0;
  router_->for_each_host([&](const bus::RootHost& host) { connected += host.connected(); });
  std::string text = std::to_string(connected) + " hosts, " +
                     std::to_string(router_->directory().size()) + " names, term " +
                     std::to_string(router_->term());
  if (!router_->in_grace()) return text;
  text += "; grace: waiting for ";
  const std::size_t begin = text.size();
  for (const std::string& host : router_->waiting_for()) {
    if (text.size() - begin > 200) {
      text += ", ...";
      break;
    }
    if (text.size() != begin) text += ", ";
    text += host;
  }
  return text;
}

}  // namespace starbus::busroot
