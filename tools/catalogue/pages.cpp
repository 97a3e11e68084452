#include "tools/catalogue/pages.hpp"

#include <utility>

#include "aoi/error.hpp"
#include "aoi/limits.hpp"
#include "base/error.hpp"
#include "bus/core/error.hpp"
#include "bus/core/limits.hpp"
#include "bus/core/routers/limits.hpp"
#include "bus/io/limits.hpp"
#include "entity/archive/error.hpp"
#include "entity/archive/limits.hpp"
#include "entity/chance/limits.hpp"
#include "entity/client/limits.hpp"
#include "entity/events/limits.hpp"
#include "entity/flows/limits.hpp"
#include "entity/identity/limits.hpp"
#include "entity/machines/limits.hpp"
#include "entity/objects/limits.hpp"
#include "entity/rpc/error.hpp"
#include "entity/rpc/limits.hpp"
#include "entity/schedule/limits.hpp"
#include "entity/timers/error.hpp"
#include "entity/timers/limits.hpp"
#include "mail/limits.hpp"
#include "nav/crowd/limits.hpp"
#include "nav/error.hpp"
#include "nav/formats/limits.hpp"
#include "nav/limits.hpp"
#include "nav/mesh/limits.hpp"
#include "nav/volume/limits.hpp"
#include "nodes/db/error.hpp"
#include "nodes/db/limits.hpp"
#include "nodes/gate/core/limits.hpp"
#include "nodes/gate/net/limits.hpp"
#include "nodes/gate/node/limits.hpp"
#include "nodes/gate/wire/limits.hpp"
#include "nodes/hosting/limits.hpp"
#include "nodes/login/core/limits.hpp"
#include "nodes/login/error.hpp"
#include "nodes/login/passwords/limits.hpp"
#include "nodes/login/service/limits.hpp"
#include "nodes/login/tickets/limits.hpp"
#include "nodes/login/verify/limits.hpp"
#include "nodes/manager/limits.hpp"
#include "nodes/manager/placement/limits.hpp"
#include "nodes/nav/error.hpp"
#include "nodes/nav/limits.hpp"
#include "nodes/players/core/error.hpp"
#include "nodes/players/core/limits.hpp"
#include "nodes/players/limits.hpp"
#include "nodes/replica/limits.hpp"
#include "nodes/runtime/limits.hpp"
#include "nodes/runtime/node_limits.hpp"
#include "nodes/service/error.hpp"
#include "nodes/service/limits.hpp"
#include "nodes/space/error.hpp"
#include "nodes/space/host/limits.hpp"
#include "nodes/space/limits.hpp"
#include "nodes/space/movement/error.hpp"
#include "nodes/space/movement/limits.hpp"
#include "nodes/space/nav/limits.hpp"
#include "nodes/space/node/limits.hpp"
#include "nodes/space/registry/limits.hpp"
#include "nodes/space/scene/limits.hpp"
#include "nodes/space/service/limits.hpp"
#include "nodes/space/sight/error.hpp"
#include "nodes/space/sight/limits.hpp"
#include "nodes/space/travel/limits.hpp"
#include "storage/error.hpp"
#include "storage/limits.hpp"
#include "tools/bots/limits.hpp"
#include "tools/nav/limits.hpp"
#include "tools/starbus/code/limits.hpp"

namespace starbus::catalogue {
namespace {

/// Tests that produce an error, for the column "shown by".
constexpr std::pair<Code, std::string_view> kShownBy[] = {
    {bus::Errc::no_owner, "Origin.NoOwnerIsDefiniteOnlyForBodiesThatNeverLeft"},
    {bus::Errc::owner_lost, "Origin.AHigherLineageFailsWhatWasSentAndChainsTheRestAnew"},
    {bus::Errc::denied, "ProcessCoreTest.BindChecksWhatItCanKnow"},
    {bus::Errc::deadline, "OutcomesTest.ACallEndsAtItsDeadlineAndALateReplyIsDropped"},
    {bus::Errc::expired, "OriginTime.AnExpiredMessageBecomesATombstoneInItsChain"},
    {bus::Errc::would_block, "OriginWindow.OfAChannelEndsExactlyAtItsLimit"},
    {bus::Errc::too_large, "OutcomesTest.TheLargestBodyArrivesAndALargerOneIsRefused"},
    {bus::Errc::bad_name, "ChannelName.NeedsBothHalves"},
    {bus::Errc::already_bound, "ProcessCoreTest.BindChecksWhatItCanKnow"},
    {bus::Errc::not_bound, "ProcessCoreTest.UnbindStopsAtOnceAndIsRepeated"},
    {bus::Errc::too_many_names, "HostNames.NamesAreBoundedByTheRole"},
    {bus::Errc::closed, "OutcomesTest.ClosingFlushesAndThenEverythingIsClosed"},
    {bus::Errc::no_handler, "OutcomesTest.AHandlersRefusalAndAForgottenCallAreErrorsOfTheirOwn"},
    {bus::Errc::handler_failed,
     "OutcomesTest.AHandlersRefusalAndAForgottenCallAreErrorsOfTheirOwn"},
    {bus::Errc::group_too_large, "OriginMulticast.RefusesMoreMembersThanTheLimit"},
    {bus::Errc::watch_too_large, "RootWatching.AWatchThatIsOrGrowsTooLargeIsRefused"},
    {bus::Errc::too_many_watches, "HostUplink.WatchesAreBoundedPerProcess"},
    {bus::Errc::lease_lost, "ProcessMoves.WithoutBusrootTheProcessFencesItselfBeforeItsLeaseEnds"},
    {bus::Errc::name_taken, "RootTest.ASecondLivingSessionOfAHostIsRefusedByName"},
    {bus::Errc::version_mismatch, "Bundle.RefusesForeignBytesAndVersions"},
    {bus::Errc::bad_bytes, "BadBundle.OutOfOrder"},
    {bus::Errc::unauthorized, "RootTest.RefusesWhoMayNotComeIn"},
    {bus::Errc::too_many_processes, "HostSessionLimited.ProcessesAreBounded"},
    {bus::Errc::unreachable, "OutcomesTest.BeforeConnectSendsAreRefused"},
    {bus::Errc::bad_config, "Config.DuplicateKeysAndBrokenSyntaxNameTheLine"},
    {bus::Errc::io_error, "StateDirectoryTest.RefusesNamesThatAreNotPlain"},
    {bus::Errc::shutting_down, "RootTest.EndsAllSessionsAtShutdownAndThoseNoLongerAllowed"},
    {bus::Errc::superseded, "RootTest.ARestartedBusdTakesOverAtOnce"},
    {bus::Errc::overloaded, "HostData.OpenedChannelsAreBounded"},
    {bus::Errc::silent, "ZmqLinks.ASessionThatNobodyEntersEnds"},
    {bus::Errc::busy, "ProcessMoves.AMoveThatCannotDrainEndsBusyAndSendsFromHere"},
    {bus::Errc::move_refused, "ProcessMoves.ARefusedStateIsReclaimedAtOnceAndNothingIsLost"},
    {bus::Errc::rolled_back, "ProcessMoves.AReclaimUnderAnotherLineageVoidsFilterAndOutbox"},
    {bus::Errc::store_full, "MailTest.AFullDiskRefusesForGood"},
    {bus::Errc::mailbox_full, "MailTest.AFullMailboxRefusesAndOthersGoOn"},
    {bus::Errc::corrupt, "MailTest.AMailboxThatCannotBeReadIsRefusedAndOthersGoOn"},
    {bus::Errc::cursor_ahead, "MailReading.Opening_CursorAhead_IsRefused"},
};

std::string_view shown_by(Code code) {
  for (const auto& [shown, test] : kShownBy) {
    if (shown == code) return test;
  }
  return {};
}

/// "| a | b |"; an empty cell stays empty.
std::string row_of(std::initializer_list<std::string> cells) {
  std::string row = "|";
  for (const std::string& cell : cells)
    row.append(" ").append(cell).append(cell.empty() ? "|" : " |");
  return row + "\n";
}
std::string quoted(std::string_view text) {
  return text.empty() ? std::string() : "`" + std::string(text) + "`";
}

constexpr std::string_view kErrorsHead =
    R"(<!-- Written by scripts/docs from the tables in the code. Do not edit. -->
# Errors

Every error that a function of starbus returns or that comes over the wire: its domain, its number and name, what it
means and what to do. "Shown by" names a test that produces the error.

## Promises

| promise | in one sentence |
|---|---|
| numbers | Domain and number travel and stand in logs, and are never given to another error |
| older peers | A peer that is older than an error shows it as `unknown DOMAIN.NUMBER` |
| retry | The column "retry" says whether the same request can succeed when it is repeated |

| retry | meaning |
|---|---|
| never | no: the request, the configuration or the data must change first |
| later | yes: nothing was done, and the cause passes by itself |
| rebind | after the caller has bound, opened or connected again what it lost |
| unknown | it may have been done already: repeat it only if that does no harm |
)";

constexpr std::string_view kLimitsHead =
    R"(<!-- Written by scripts/docs from the tables in the code. Do not edit. -->
# Limits

Every queue, buffer, name, table and wait that has a bound: its name, its value, the reason for it, and what happens
when it is reached. "Hit by" names a test that reaches the bound.

## Promises

| promise | in one sentence |
|---|---|
| fixed | These bounds are constants; bounds of the configuration (quotas of mail, rates of roles) are on the pages of their parts |
| defined | "When reached" is the error that the caller gets, or the behaviour |
| one place | The name is the constant in the header that each section names |
)";

}  // namespace

std::vector<LimitTable> limit_tables() {
  return {
      {"bus", "bus/core/limits.hpp", bus::kLimits},
      {"shares", "bus/core/routers/limits.hpp", bus::kShareLimits},
      {"listeners", "bus/io/limits.hpp", bus::io::kListenerLimits},
      {"storage", "storage/limits.hpp", storage::kLimits},
      {"mail", "mail/limits.hpp", mail::kLimits},
      {"area of interest", "aoi/limits.hpp", aoi::kLimits},
      {"ways", "nav/limits.hpp", nav::kLimits},
      {"navmeshes", "nav/mesh/limits.hpp", nav::mesh::kLimits},
      {"crowds", "nav/crowd/limits.hpp", nav::crowd::kLimits},
      {"ways through volumes", "nav/volume/limits.hpp", nav::volume::kLimits},
      {"baked ground", "nav/formats/limits.hpp", nav::formats::kLimits},
      {"archives and properties", "entity/archive/limits.hpp", entity::kDataLimits},
      {"RPC", "entity/rpc/limits.hpp", entity::rpc::kLimits},
      {"entities", "entity/objects/limits.hpp", entity::kEntityLimits},
      {"identity", "entity/identity/limits.hpp", entity::kIdentityLimits},
      {"timers", "entity/timers/limits.hpp", entity::kTimerLimits},
      {"flows", "entity/flows/limits.hpp", entity::kFlowLimits},
      {"state machines", "entity/machines/limits.hpp", entity::kMachineLimits},
      {"events", "entity/events/limits.hpp", entity::kEventLimits},
      {"chance", "entity/chance/limits.hpp", entity::kChanceLimits},
      {"sessions of clients", "entity/client/limits.hpp", entity::sessions::kSessionLimits},
      {"the tick", "entity/schedule/limits.hpp", entity::kTickLimits},
      {"nodes", "nodes/runtime/node_limits.hpp", nodes::kNodeLimits},
      {"tasks", "nodes/runtime/limits.hpp", nodes::kTaskLimits},
      {"manager", "nodes/manager/limits.hpp", nodes::manager::kManagerLimits},
      {"placement", "nodes/manager/placement/limits.hpp", nodes::manager::kPlacementLimits},
      {"services", "nodes/service/limits.hpp", nodes::service::kServiceLimits},
      {"crowds of nodes", "nodes/nav/limits.hpp", nodes::crowds::kCrowdsLimits},
      {"spaces", "nodes/space/limits.hpp", nodes::space::kSpaceLimits},
      {"registry of spaces", "nodes/space/registry/limits.hpp", nodes::space::kSpaceRegistryLimits},
      {"service of spaces", "nodes/space/service/limits.hpp", nodes::space::kSpaceServiceLimits},
      {"nodes with spaces", "nodes/space/host/limits.hpp", nodes::space::kSpaceHostLimits},
      {"running spaces", "nodes/space/node/limits.hpp", nodes::space::kSpaceNodeLimits},
      {"scenes", "nodes/space/scene/limits.hpp", nodes::space::kSceneLimits},
      {"travels between spaces", "nodes/space/travel/limits.hpp", nodes::space::kSpaceTravelLimits},
      {"crowds of spaces", "nodes/space/nav/limits.hpp", nodes::crowds::kSpaceNavLimits},
      {"movement", "nodes/space/movement/limits.hpp", nodes::movement::kMovementLimits},
      {"sight", "nodes/space/sight/limits.hpp", nodes::sight::kSightLimits},
      {"entity hosts", "nodes/hosting/limits.hpp", nodes::entities::kEntityHostLimits},
      {"accounts", "nodes/players/core/limits.hpp", nodes::players::kAccountLimits},
      {"sessions at a gate", "nodes/gate/core/limits.hpp", nodes::gate::kGateCoreLimits},
      {"gates as nodes", "nodes/gate/node/limits.hpp", nodes::gate::kGateNodeLimits},
      {"logins as a service", "nodes/login/service/limits.hpp", nodes::login::kLoginServiceLimits},
      {"sockets of a gate", "nodes/gate/net/limits.hpp", nodes::gate::net::kGateNetLimits},
      {"players", "nodes/players/limits.hpp", nodes::players::kPlayerLimits},
      {"replication", "nodes/replica/limits.hpp", nodes::replica::kReplicaLimits},
      {"tickets of logins", "nodes/login/tickets/limits.hpp", nodes::login::kTicketLimits},
      {"admission of logins", "nodes/login/core/limits.hpp", nodes::login::kAdmissionLimits},
      {"passwords", "nodes/login/passwords/limits.hpp", nodes::login::kPasswordLimits},
      {"verifiers over HTTP", "nodes/login/verify/limits.hpp", nodes::login::kVerifyLimits},
      {"database", "nodes/db/limits.hpp", nodes::db::kLimits},
      {"scripted players", "tools/bots/limits.hpp", bots::kBotLimits},
      {"client protocol", "nodes/gate/wire/limits.hpp", nodes::gate::kClientFrameLimits},
      {"starbus-nav", "tools/nav/limits.hpp", nav_tool::kLimits},
      {"client code", "tools/starbus/code/limits.hpp", starter::kClientCodeLimits},
  };
}

std::string errors_page() {
  std::string page(kErrorsHead);
  for (const ErrorDomain* const domain : error_domains()) {
    page +=
        "\n## " + std::string(domain->name) + " (domain " + std::to_string(domain->id) + ")\n\n";
    page +=
        "| number | name | retry | meaning | what to do | shown by |\n|---|---|---|---|---|---|\n";
    for (const ErrorInfo& info : domain->errors) {
      page += row_of({std::to_string(info.number), quoted(info.name),
                      std::string(name_of(info.retry)), std::string(info.meaning),
                      std::string(info.cure), quoted(shown_by(Code(domain->id, info.number)))});
    }
  }
  return page;
}

std::string limits_page() {
  std::string page(kLimitsHead);
  for (const LimitTable& table : limit_tables()) {
    page += "\n## " + std::string(table.part) + " (`" + std::string(table.header) + "`)\n\n";
    page += "| name | value | reason | when reached | hit by |\n|---|---|---|---|---|\n";
    for (const LimitInfo& limit : table.limits) {
      page += row_of(
          {quoted(limit.name), std::to_string(limit.value) + " " + std::string(limit.unit),
           std::string(limit.reason), std::string(limit.when_reached), quoted(limit.hit_by)});
    }
  }
  return page;
}

}  // namespace starbus::catalogue
