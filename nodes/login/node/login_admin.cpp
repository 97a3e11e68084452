#include "nodes/login/node/login_admin.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/wall_clock.hpp"
#include "nodes/login/node/clocks.hpp"

namespace starbus::nodes::login {
namespace {

using daemon::AdminRole;
using daemon::Request;
using daemon::Response;
using Json = nlohmann::ordered_json;

Json login_json(const Desk& desk, const LoginService& service) {
  const AdmissionCounts counts = desk.admission().counts();
  return {{"now_ms", wall_now()},         {"questions", service.size()},
          {"attempts", counts.attempts},  {"queued", counts.queued},
          {"looking", counts.looking},    {"begun", counts.begun},
          {"admitted", counts.admitted},  {"refused", counts.refused},
          {"wrong_proofs", counts.wrong}, {"delayed", counts.delayed}};
}

/// POST /ban?address=192.0.2.0/24&minutes=60&why=...: an address or a network, of this login alone.
/// With account= an account of the database, for all logins. 0 minutes: for ever.
Response ban(Desk& desk, Accounts* accounts, const Request& request) {
  const auto minutes = request.number_or("minutes", 0);
  if (!minutes || *minutes > 100U * 365 * 24 * 60) return Response::error(400, "minutes: a number");
  const Ban wanted{*minutes == 0 ? 0 : wall_ms() + *minutes * 60'000,
                   request.parameter_or("why", "")};
  if (const auto account = request.parameter("account")) {
    if (accounts == nullptr) return Response::error(400, "account: this login has no passwords");
    accounts->ban(*account, wanted, [](const Result<>&) {});
    return Response::json({{"asked", true}}, 202);
  }
  const auto network = parse_network(request.parameter_or("address", ""));
  if (!network) return Response::error(400, "address: " + network.error().to_string());
  if (const auto added = desk.admission().bans().add(*network, wanted, wall_ms()); !added) {
    return Response::error(409, added.error().to_string());
  }
  return Response::json({{"banned", to_text(*network)}});
}

Response lift(Desk& desk, Accounts* accounts, const Request& request) {
  if (const auto account = request.parameter("account")) {
    if (accounts == nullptr) return Response::error(400, "account: this login has no passwords");
    accounts->lift(*account, [](const Result<>&) {});
    return Response::json({{"asked", true}}, 202);
  }
  const auto network = parse_network(request.parameter_or("address", ""));
  if (!network) return Response::error(400, "address: " + network.error().to_string());
  if (!desk.admission().bans().remove(*network)) return Response::error(404, "it is not banned");
  return Response::json({{"lifted", to_text(*network)}});
}

}  // namespace

void add_login_admin(Node& node, Desk& desk, LoginService& service, Accounts* accounts) {
  auto& context = node.process_context();
  const auto counts = [&desk] { return desk.admission().counts(); };
  context.metrics.gauge("starbus_login_queued", "Players in the login queue.",
                        [counts] { return static_cast<double>(counts().queued); });
  const auto counter = [&](const char* name, const char* help, std::uint64_t AdmissionCounts::*of) {
    context.metrics.counter(name, help, [counts, of] { return static_cast<double>(counts().*of); });
  };
  counter("starbus_login_begun_total", "Logins begun.", &AdmissionCounts::begun);
  counter("starbus_login_admitted_total", "Logins that were let in.", &AdmissionCounts::admitted);
  counter("starbus_login_refused_total", "Logins that were refused.", &AdmissionCounts::refused);
  counter("starbus_login_wrong_proofs_total", "Wrong proofs of identity.", &AdmissionCounts::wrong);
  context.admin.get("/login", AdminRole::observe, [&desk, &service](const Request&) {
    return Response::json(login_json(desk, service));
  });
  context.admin.post(
      "/ban", [&desk, accounts](const Request& request) { return ban(desk, accounts, request); });
  context.admin.post(
      "/lift", [&desk, accounts](const Request& request) { return lift(desk, accounts, request); });
}

}  // namespace starbus::nodes::login
