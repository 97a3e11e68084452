/// What gates tell operators, and how it is gathered from all of them. Values of this header come
/// from peers: code that prints them uses text.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bus/core/error.hpp"
#include "tools/bustop/node_answers.hpp"

namespace starbus::bustop {

/// Asks page by page, until there are no more or `take` returns false: the `next` of the last page
/// then. Errors: those of `look`; bad_bytes: there are too many pages.
bus::Result<std::string> ask_pages(const NodeLook& look, const std::string& gate,
                                   const std::string& target, std::string after,
                                   const std::function<bool(const nlohmann::json&)>& take);

struct ClientsQuery {
  std::string prefix;       // of an account or a player, with its kind or without
  std::string after;        // "HOST.NODE/SESSION": after this one; empty: from the first
  std::string gate;         // of this gate only; empty: of all
  std::size_t limit = 100;  // 0: all
};
/// Rows in the order of gates, then of sessions.
struct ClientList {
  std::vector<std::pair<std::string, nlohmann::json>> rows;  // with their gate
  std::string next;                // where the next list goes on; empty: this is the end
  std::uint64_t sessions = 0;      // of the gates that were asked
  std::vector<std::string> notes;  // gates that did not answer
};
ClientList list_clients(const std::vector<std::string>& gates, const NodeLook& look,
                        const ClientsQuery& query);

/// All that is known of one session, account or player.
struct ClientFound {
  std::vector<std::pair<std::string, nlohmann::json>> sessions;  // with their gate
  std::vector<std::pair<std::string, nlohmann::json>> partings;  // newest first
  std::vector<std::string> notes;
};
ClientFound find_client(const std::vector<std::string>& gates, const NodeLook& look,
                        const std::string& id);

/// Who would hear an announcement.
struct Audience {
  std::size_t gates = 0;  // that answered
  std::uint64_t clients = 0;
  std::vector<std::string> notes;
};
Audience audience_of(const std::vector<std::string>& gates, const NodeLook& look,
                     const std::string& group);

/// Who has heard one.
struct Heard {
  std::size_t gates = 0;     // that have said it to their clients
  std::size_t speaking = 0;  // that have not come to the end
  std::uint64_t handed = 0;
  std::uint64_t kept = 0;
  std::vector<std::string> notes;  // gates that refused it, or know nothing of it
};
/// `number`: the query of an announcement: "host=1&slot=2&incarnation=3&number=4".
Heard heard_by(const std::vector<std::string>& gates, const NodeLook& look,
               const std::string& number);

}  // namespace starbus::bustop
