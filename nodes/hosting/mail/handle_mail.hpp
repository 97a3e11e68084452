#pragma once

#include <string>

#include "nodes/hosting/host_context.hpp"
#include "nodes/hosting/mail/mail_method.hpp"

namespace starbus::nodes::entities {

/// What came of one message. The text says why, for logs and dead letters.
struct MailOutcome {
  enum class End : std::uint8_t {
    handled,
    expired,  // its time was over: nothing ran
    refused,  // by the handler, which returned an error or threw; or there is no such handler here
    malformed,  // no build reads it
  };
  End end = End::handled;
  std::string reason{};
};

/// Whether a body is a notice for those alone who are there when it is stored.
bool for_present_only(bus::ByteView body);

/// Hands a message to its handler, as a unit of its own: what that throws ends it and is told to
/// the thread's ThrownSink, or else logged. Throws std::bad_alloc alone.
MailOutcome handle_mail(HostContext& context, entity::Entity& entity, const MailTable& table,
                        bus::ByteView body, const MailInfo& info);

}  // namespace starbus::nodes::entities
