/// Documents about the mail store (docs/admin-api.md). Pure functions; functions with a snapshot
/// block for disk reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "daemon/admin/admin_http.hpp"
#include "mail/mail.hpp"
#include "mail/node.hpp"
#include "mail/repair/inspect.hpp"
#include "mail/repair/patrol.hpp"
#include "mail/shards/taker.hpp"

namespace starbus::bus::busd {

/// With the HTTP status of the error.
daemon::Response mail_refusal(const storage::Error& error);
daemon::Response boxes_answer(const storage::Snapshot& snapshot, const mail::BoxQuery& query);
daemon::Response peek_answer(const storage::Snapshot& snapshot, const std::string& name,
                             std::uint64_t from, std::size_t limit);
nlohmann::json mail_store_json(const storage::Report& report);
nlohmann::json mail_patrol_json(const mail::PatrolFigures& patrol);
nlohmann::json mail_damage_json(const mail::DamageFigures& damage);
nlohmann::json mail_move_json(const mail::MoveProgress& move);
nlohmann::json mail_counters_json(const mail::MailCounters& counters);

}  // namespace starbus::bus::busd
