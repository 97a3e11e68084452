#include "tools/bustop/gates/gate_report.hpp"

#include <algorithm>
#include <optional>

#include "daemon/admin/admin_http.hpp"

namespace starbus::bustop {
namespace {

using daemon::percent_encode;
using nlohmann::json;

constexpr std::size_t kSessionHex = 32;
// A gate with as many sessions as it may have takes a tenth of these.
constexpr int kMostPages = 1'000;

/// Sessions of an account or a player at one gate.
bus::Result<std::vector<std::string>> sessions_of(const NodeLook& look, const std::string& gate,
                                                  const std::string& name) {
  std::vector<std::string> found;
  const auto walked =
      ask_pages(look, gate, "/clients?name=" + percent_encode(name), {}, [&](const json& page) {
        for (const json& row : rows_at(page, "clients")) found.push_back(text_at(row, "session"));
        return true;
      });
  if (!walked) return walked.error();
  return found;
}

bool is_session(const std::string& id) {
  return id.size() == kSessionHex && id.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

bus::Result<std::string> ask_pages(const NodeLook& look, const std::string& gate,
                                   const std::string& target, std::string after,
                                   const std::function<bool(const json&)>& take) {
  for (int pages = 0; pages < kMostPages; ++pages) {
    const auto page = look(gate, target + (after.empty() ? "" : "&after=" + after));
    if (!page) return page.error();
    const std::string next = text_at(*page, "next");
    if (!take(*page)) return next;
    if (next.empty() || next == after) return std::string();
    after = next;
  }
  return bus::Error(bus::Errc::bad_bytes, gate + ": its answers do not come to an end");
}

ClientList list_clients(const std::vector<std::string>& gates, const NodeLook& look,
                        const ClientsQuery& query) {
  ClientList list;
  const auto slash = query.after.find('/');
  const std::string first = query.after.substr(0, slash);
  std::string after = slash == std::string::npos ? "" : query.after.substr(slash + 1);
  for (const std::string& gate : gates) {
    if ((!query.gate.empty() && gate != query.gate) || gate < first) continue;
    if (query.limit != 0 && list.rows.size() == query.limit) {
      list.next = gate + "/";
      break;
    }
    const std::string from = gate == first ? std::exchange(after, {}) : std::string();
    bool whole = true;
    std::uint64_t sessions = 0;
    const auto walked = ask_pages(look, gate, "/clients?prefix=" + percent_encode(query.prefix),
                                  from, [&](const json& page) {
                                    sessions = number_at(page, "sessions");
                                    for (const json& row : rows_at(page, "clients")) {
                                      if (query.limit != 0 && list.rows.size() == query.limit)
                                        return whole = false;
                                      list.rows.emplace_back(gate, row);
                                    }
                                    return true;
                                  });
    list.sessions += sessions;
    if (!walked) list.notes.push_back(node_note(gate, walked.error()));
    if (!whole) {
      list.next = gate + "/" + text_at(list.rows.back().second, "session");
      break;
    }
  }
  return list;
}

ClientFound find_client(const std::vector<std::string>& gates, const NodeLook& look,
                        const std::string& id) {
  ClientFound found;
  for (const std::string& gate : gates) {
    std::vector<std::string> sessions = {id};
    if (!is_session(id)) {
      auto named = sessions_of(look, gate, id);
      if (!named) {
        found.notes.push_back(node_note(gate, named.error()));
        continue;
      }
      sessions = std::move(*named);
    }
    for (const std::string& session : sessions) {
      auto shown = look(gate, "/client?id=" + percent_encode(session));
      if (shown) {
        found.sessions.emplace_back(gate, std::move(*shown));
      } else if (shown.error() != bus::Errc::no_handler) {
        found.notes.push_back(node_note(gate, shown.error()));
      }
    }
    const auto parted = look(gate, "/partings?name=" + percent_encode(id));
    if (!parted) continue;  // noted above, as it does not answer
    for (const json& row : rows_at(*parted, "partings")) found.partings.emplace_back(gate, row);
  }
  std::ranges::stable_sort(found.partings, {},
                           [](const auto& row) { return number_at(row.second, "ago_ms"); });
  return found;
}

Audience audience_of(const std::vector<std::string>& gates, const NodeLook& look,
                     const std::string& group) {
  Audience audience;
  for (const std::string& gate : gates) {
    std::uint64_t clients = 0;
    const auto walked = ask_pages(look, gate, "/audience?group=" + percent_encode(group), {},
                                  [&](const json& page) {
                                    clients += number_at(page, "clients");
                                    return true;
                                  });
    if (!walked) {
      audience.notes.push_back(node_note(gate, walked.error()));
      continue;
    }
    ++audience.gates;
    audience.clients += clients;
  }
  return audience;
}

Heard heard_by(const std::vector<std::string>& gates, const NodeLook& look,
               const std::string& number) {
  Heard heard;
  for (const std::string& gate : gates) {
    const auto told = look(gate, "/announced?" + number);
    if (!told) {
      heard.notes.push_back(node_note(gate, told.error()));
      continue;
    }
    const std::string state = text_at(*told, "state");
    heard.handed += number_at(*told, "handed");
    heard.kept += number_at(*told, "kept");
    if (state == "done") {
      ++heard.gates;
    } else if (state == "speaking") {
      ++heard.speaking;
    } else if (state == "refused") {
      heard.notes.push_back(gate + ": refused it, as too many announcements wait; say it again");
    } else {
      heard.notes.push_back(gate + ": knows nothing of it; it may have begun again meanwhile");
    }
  }
  return heard;
}

}  // namespace starbus::bustop
