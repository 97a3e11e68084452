#include "nodes/hosting/mail/handle_mail.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "base/unit_guard.hpp"
#include "base/wall_clock.hpp"
#include "entity/rpc/endpoint.hpp"

namespace starbus::nodes::entities {
namespace {

using End = MailOutcome::End;

/// Within a catch.
std::string tell_thrown(const std::string& place) {
  const std::string what = what_of(std::current_exception());
  if (!UnitGuard::report(UnitKind::message, place, what)) {
    spdlog::error("entities: mail handler {} threw: {}", place, what);
  }
  return "it threw: " + what;
}

}  // namespace

bool for_present_only(bus::ByteView body) {
  entity::Decoder in(body);
  const MailHead head = get_mail_head(in);
  return in.ok() && head.only_present;
}

MailOutcome handle_mail(HostContext& context, entity::Entity& entity, const MailTable& table,
                        bus::ByteView body, const MailInfo& info) {
  entity::Decoder in(body);
  const MailHead head = get_mail_head(in);
  if (!in.ok()) return {End::malformed, "not the body of a mail method"};
  if (head.valid_until != 0 && head.valid_until <= wall_ms()) return {End::expired, {}};
  const std::string type(entity.type().name());
  const std::string place = "mail " + type + "." + std::string(head.method);
  const auto handler = std::ranges::find(table, head.method, &MailHandler::name);
  if (handler == table.end()) {
    return {End::refused, place + ": this build declares no such method in kMail"};
  }
  if (handler->signature() != head.signature) {
    return {End::refused, place + ": this build declares other arguments"};
  }
  const bus::ShownName::Scope shown(context.endpoint.work().activity(), "", place);
  MailRun run;
  try {
    run = handler->run(entity, in, info);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (...) {
    return {End::refused, place + ": " + tell_thrown(place)};
  }
  if (!run.ran) return {End::malformed, place + ": malformed arguments"};
  if (run.result) return {};
  return {End::refused, place + ": " + run.result.error().to_string()};
}

}  // namespace starbus::nodes::entities
