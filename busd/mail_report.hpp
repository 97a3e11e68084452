/// Documents about the mail store (docs/operate/admin-api.md). Pure functions; functions with a
/// snapshot block for disk reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "daemon/admin/admin_http.hpp"
#include "daemon/report/mail.hpp"
#include "mail/mail.hpp"
#include "mail/mail_store_thread.hpp"
#include "mail/repair/inspect.hpp"
#include "mail/repair/scrubber.hpp"
#include "mail/shards/shard_import.hpp"

namespace starbus::busd {

/// With the HTTP status of the error.
daemon::Response mail_refusal(const storage::Error& error);
daemon::Response boxes_answer(const storage::Snapshot& snapshot, const mail::BoxQuery& query);
daemon::Response peek_answer(const storage::Snapshot& snapshot, const std::string& name,
                             std::uint64_t from, std::size_t limit);
report::MailStore report_of(const storage::Report& store);
report::MailScrub report_of(const mail::ScrubFigures& scrub);
report::MailDamage report_of(const mail::DamageFigures& damage);
report::MailMove report_of(const mail::MoveProgress& move);
report::MailCounters report_of(const mail::MailCounters& counters);

}  // namespace starbus::busd
