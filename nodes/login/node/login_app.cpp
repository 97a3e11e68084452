#include "nodes/login/node/login_app.hpp"

#include <boost/asio/post.hpp>
#include <optional>
#include <utility>

#include "base/wall_clock.hpp"
#include "entity/client/words.hpp"
#include "nodes/db/remote/remote_database.hpp"
#include "nodes/login/desk/reentry_verifier.hpp"
#include "nodes/login/node/clocks.hpp"
#include "nodes/login/node/gate_measure.hpp"
#include "nodes/login/node/load_measure.hpp"
#include "nodes/login/node/login_admin.hpp"
#include "nodes/login/passwords/accounts.hpp"
#include "nodes/login/service/login_service.hpp"
#include "nodes/login/verify/http_verifier.hpp"
#include "nodes/players/account_calls.hpp"

namespace starbus::nodes::login {

namespace sessions = entity::sessions;
using std::chrono::milliseconds;

namespace {

/// Between two looks at what is due.
constexpr milliseconds kStep{20};
/// Between two rounds of questions to gates and to the manager; well below kMeasureAge.
constexpr milliseconds kMeasureEvery{2'000};
/// Until an account that is being loaded is asked again.
constexpr milliseconds kAskAgain{250};
/// For one answer of an account.
constexpr milliseconds kNumberAnswer{3'000};

/// Verifiers answer through it, from their threads.
class LoopExecutor final : public Executor {
 public:
  explicit LoopExecutor(boost::asio::io_context& loop) : loop_(loop) {}
  void run_later(WorkName, std::function<void()> closure) override {
    boost::asio::post(loop_, std::move(closure));
  }

 private:
  boost::asio::io_context& loop_;
};

}  // namespace

/// The parts of a login, in the order in which they need each other.
struct LoginParts {
  LoginParts(Node& its_node, const LoginSettings& settings, SigningKey key)
      : node(its_node),
        executor(node.loop()),
        accounts_of_players(node.rpc()),
        desk(
            std::move(key),
            [this](const std::string& account, Desk::Numbered done) {
              number(account, steady_now() + kNumberTime, std::move(done));
            },
            [] {
              return Now{steady_now(), wall_ms()};
            },
            DeskOptions{settings.admission, settings.reentry_life}),
        service(desk, steady_now),
        measure(
            node.bus(),
            [this](const bus::Process& gate, std::uint64_t sessions, std::uint64_t most) {
              desk.gate_reports(gate, sessions, most);
            },
            [this](const bus::Process& gate) { desk.gate_died(gate); }),
        loads(node.rpc(), settings.admission.places.load.roles,
              [this](const std::string& role, const std::vector<NodeBusy>& nodes) {
                desk.nodes(role, nodes);
              }) {}

  /// Asks the account for the number of this login; one that is nowhere is loaded meanwhile.
  void number(const std::string& account, Time until, Desk::Numbered done) {
    accounts_of_players.ask(
        account, sessions::Prove{}, kNumberAnswer,
        [this, alive = std::weak_ptr(alive_), account, until,
         done = std::move(done)](const entity::rpc::Result<std::string>& reply) {
          if (alive.expired()) return;
          if (reply) {
            const auto answer = sessions::decode_account_answer(bus::as_bytes(*reply));
            if (answer && answer->kind == sessions::AccountAnswerKind::ok) {
              return done(answer->login);
            }
          } else if (entity::rpc::is_absent(reply.error())) {
            accounts_of_players.load(account);
          }
          if (steady_now() >= until) return done(std::nullopt);
          const auto set = node.timers().after(
              timers, kAskAgain, [this, account, until, done] { number(account, until, done); });
          if (!set) done(std::nullopt);
        });
  }
  void step() {
    desk.step();
    service.sweep();
    if (steady_now() - measured_at < kMeasureEvery) return;
    measured_at = steady_now();
    measure.ask();
    loads.ask();
  }

  Node& node;
  LoopExecutor executor;
  players::AccountCalls accounts_of_players;
  std::unique_ptr<db::RemoteDatabase> database;
  std::unique_ptr<Hashing> hashing;
  std::unique_ptr<Accounts> accounts;
  Desk desk;
  LoginService service;
  GateMeasure measure;
  LoadMeasure loads;
  Time measured_at{0};
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  entity::TimerOwner timers;
};

LoginApp::LoginApp() = default;
LoginApp::~LoginApp() = default;

void LoginApp::configure(daemon::ConfigReader& reader) {
  fresh_ = read_login_settings(reader);
}

bus::Result<> LoginApp::start(Node& node) {
  const auto problem = [](const Error& error) {
    return bus::Error(bus::Errc::bad_config, error.to_string());
  };
  auto key = SigningKey::read(fresh_.key);
  if (!key) return problem(key.error());
  auto keys = VerifyingKeys::read(fresh_.keys);
  if (!keys) return problem(keys.error());
  if (auto added = keys->add(key->verifying()); !added) return problem(added.error());
  parts_ = std::make_unique<LoginParts>(node, fresh_, std::move(*key));
  LoginParts& parts = *parts_;
  const auto add = [&](const std::string& method, std::unique_ptr<Verifier> verifier) {
    return parts.desk.add(method, std::move(verifier));
  };
  if (auto added = add(gate::kReentryMethod, std::make_unique<ReentryVerifier>(
                                                 parts.executor, std::move(*keys), wall_ms));
      !added) {
    return problem(added.error());
  }
  if (fresh_.passwords) {
    db::RemoteOptions options;
    options.database = fresh_.database;
    parts.database = std::make_unique<db::RemoteDatabase>(node.bus(), options);
    parts.hashing = std::make_unique<Hashing>(node.tasks());
    parts.accounts = std::make_unique<Accounts>(*parts.database, *parts.hashing, parts.executor);
    if (auto added = add("password", std::make_unique<PasswordVerifier>(*parts.accounts)); !added) {
      return problem(added.error());
    }
    if (fresh_.create) {
      auto added = add("create", std::make_unique<PasswordVerifier>(*parts.accounts, true));
      if (!added) return problem(added.error());
    }
    node.require("service/db");
  }
  for (const ServerSettings& server : fresh_.servers) {
    HttpOptions options;
    options.authorities = server.authorities;
    auto verifier = HttpVerifier::open(parts.executor, server.mapping, options, steady_now);
    if (!verifier) return problem(verifier.error());
    if (auto added = add(server.method, std::move(*verifier)); !added) {
      return problem(added.error());
    }
  }
  node.offer(std::string(kLoginService), parts.service);
  add_login_admin(node, parts.desk, parts.service, parts.accounts.get());
  const auto set = node.timers().every(parts.timers, kStep, kStep, entity::CatchUp::once,
                                       [this] { parts_->step(); });
  if (!set) return bus::Error(bus::Errc::would_block, "the node has too many timers");
  return parts.measure.start();
}

bus::Result<> LoginApp::reload() {
  return bus::Error(bus::Errc::bad_config, "[login] takes a restart: gates ask another login");
}

std::string LoginApp::status() const {
  if (!parts_) return "not started";
  const AdmissionCounts counts = parts_->desk.admission().counts();
  return std::to_string(counts.queued) + " in the queue, " + std::to_string(counts.admitted) +
         " let in";
}

}  // namespace starbus::nodes::login
