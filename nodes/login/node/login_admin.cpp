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

Json queue_json(Desk& desk) {
  const PlacesView view = desk.places();
  Json roles = Json::array();
  for (const RoleView& role : view.roles) {
    roles.push_back({{"role", role.role},
                     {"state", name_of(role.state)},
                     {"open", role.open},
                     {"nodes", role.nodes},
                     {"silent", role.silent},
                     {"busy_ms_per_s", role.load},
                     {"not_shown_yet", role.pending}});
  }
  return {{"held_by", name_of(view.hold)},
          {"why", why(view, desk.admission().options().places.load)},
          {"per_second", view.rate},
          {"gates", desk.gates()},
          {"sessions", view.sessions},
          {"sessions_most", view.most},
          {"on_their_way", view.on_their_way},
          {"roles", roles}};
}

Json login_json(Desk& desk, const LoginService& service) {
  const AdmissionCounts counts = desk.admission().counts();
  return {
      {"now_ms", wall_ms()},         {"questions", service.size()}, {"attempts", counts.attempts},
      {"queued", counts.queued},     {"looking", counts.looking},   {"begun", counts.begun},
      {"admitted", counts.admitted}, {"refused", counts.refused},   {"wrong_proofs", counts.wrong},
      {"delayed", counts.delayed},   {"queue", queue_json(desk)}};
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

void add_place_metrics(daemon::Metrics& metrics, Desk& desk) {
  metrics.gauge("starbus_login_per_second", "Players per second that may enter now.",
                [&desk] { return desk.places().rate; });
  metrics.gauge("starbus_login_sessions", "Sessions at gates, and players on their way there.",
                [&desk] {
                  const PlacesView view = desk.places();
                  return static_cast<double>(view.sessions + view.on_their_way);
                });
  metrics.gauge("starbus_login_sessions_most", "Sessions that the gates may have.",
                [&desk] { return static_cast<double>(desk.places().most); });
  metrics.family("starbus_login_role_busy_ms_per_second",
                 "Milliseconds per second that nodes of a role are busy, as admission counts them.",
                 daemon::Metrics::Kind::gauge, [&desk] {
                   std::vector<daemon::Metrics::Sample> samples;
                   for (const RoleView& role : desk.places().roles) {
                     samples.push_back({{{"role", role.role}}, static_cast<double>(role.load)});
                   }
                   return samples;
                 });
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
  add_place_metrics(context.metrics, desk);
  counter("starbus_login_begun_total", "Logins begun.", &AdmissionCounts::begun);
  counter("starbus_login_admitted_total", "Logins that were let in.", &AdmissionCounts::admitted);
  counter("starbus_login_refused_total", "Logins that were refused.", &AdmissionCounts::refused);
  counter("starbus_login_wrong_proofs_total", "Wrong proofs of identity.", &AdmissionCounts::wrong);
  context.admin.get("/login", AdminRole::observe, [&desk, &service](const Request&) {
    return Response::json(login_json(desk, service));
  });
  context.admin.offer("/login");
  context.admin.post(
      "/ban", [&desk, accounts](const Request& request) { return ban(desk, accounts, request); });
  context.admin.post(
      "/lift", [&desk, accounts](const Request& request) { return lift(desk, accounts, request); });
}

}  // namespace starbus::nodes::login
