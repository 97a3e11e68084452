#include "tools/bustop/gates/gate_view.hpp"

#include "tools/terminal/text.hpp"

namespace starbus::bustop {
namespace {

using nlohmann::json;

/// "-" for what is missing.
std::string shown(const json& from, const char* key) {
  const std::string text = text_at(from, key);
  return text.empty() ? "-" : text;
}

bool is_there(const json& row) {
  return row.is_object() && row.contains("transport");
}

std::string round_trip(const json& row) {
  const bool known =
      row.is_object() && row.contains("round_trip_ms") && row["round_trip_ms"].is_number();
  return known ? human_milliseconds(static_cast<double>(number_at(row, "round_trip_ms"))) : "-";
}

Tone tone_of(const std::string& state) {
  if (state == "bound") return Tone::good;
  return state == "ended" || state == "stub" ? Tone::faint : Tone::warning;
}

std::string bytes_at(const json& from, const char* key) {
  return human_bytes(static_cast<double>(number_at(from, key)));
}
std::string time_at(const json& from, const char* key) {
  return human_milliseconds(static_cast<double>(number_at(from, key)));
}

std::string notes_of(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += "note: " + printable(note) + "\n";
  return text;
}

std::string groups_of(const json& session) {
  std::string text;
  if (!session.contains("groups") || !session["groups"].is_array()) return "-";
  for (const json& group : session["groups"]) {
    if (!group.is_string()) continue;
    text += (text.empty() ? "" : ", ") + printable(group.get<std::string>());
  }
  return text.empty() ? "-" : text;
}

std::string traffic_of(const json& session, const Look& look) {
  Table table({{"KIND"}, {"NUMBER", Table::Align::right}, {"BYTES", Table::Align::right}});
  const json traffic = session.contains("traffic") ? session["traffic"] : json::object();
  for (const auto& [kind, count] : traffic.items()) {
    table.add({kind, std::to_string(number_at(count, "number")), bytes_at(count, "bytes")});
  }
  table.add({"frames of the gate", "-", bytes_at(session, "control_bytes")});
  return table.text(look);
}

std::string session_text(const std::string& gate, const json& session, const Look& look) {
  const auto field = [&](const char* key) { return printable(shown(session, key)); };
  const auto number = [&](const char* key) { return std::to_string(number_at(session, key)); };
  std::string text = "session  " + field("session") + ", " +
                     toned(look, tone_of(text_at(session, "state")), field("state")) + "\n";
  text += "account  " + field("account") + ", login " + number("login") + "\n";
  text +=
      "plays    " + field("subject") + ", bind " + field("bind") + ", run " + field("run") + "\n";
  text += "gate     " + printable(gate) + ", turn " + number("turn") + ", here for " +
          time_at(session, "opened_ms") + "\n";
  if (session.contains("gate")) text += "went to  " + field("gate") + "\n";
  if (is_there(session)) {
    text += "client   " + field("address") + ", " + field("transport") + ", " + field("program") +
            ", for " + time_at(session, "connected_ms") + ", round trip " + round_trip(session) +
            "\n";
  } else {
    text += "client   away\n";
  }
  text += "queue    " + bytes_at(session, "queued") + " to be written; " +
          number("window_packets") + " packets, " + bytes_at(session, "window_bytes") +
          " not acknowledged, the next is " + number("next_packet") + "\n";
  text +=
      "asked    " + number("requests_seen") + " requests, " + number("requests_open") + " open\n";
  text += "groups   " + groups_of(session) + "\n";
  if (number_at(session, "lost_ms") != 0) {
    text += "lost     nobody answers as its subject for " + time_at(session, "lost_ms") + "\n";
  }
  if (session.contains("parted")) {
    text += "parted   " + time_at(session["parted"], "ago_ms") +
            " ago: " + printable(shown(session["parted"], "why")) + "\n";
  }
  return text + traffic_of(session, look);
}

OrderedJson with_gate(const std::string& gate, const json& row) {
  OrderedJson whole = {{"at", gate}};
  for (const auto& [key, value] : row.items()) whole[key] = value;
  return whole;
}

std::string name_of_group(const std::string& group) {
  return group.empty() ? "all clients" : "group " + printable(group);
}

}  // namespace

std::string render_clients(const ClientList& list, const ClientsQuery& query, const Look& look) {
  Table table({{"ACCOUNT", Table::Align::left, true},
               {"PLAYS"},
               {"GATE"},
               {"ADDRESS"},
               {"STATE"},
               {"FOR", Table::Align::right},
               {"RTT", Table::Align::right},
               {"QUEUED", Table::Align::right},
               {"OVER"},
               {"SESSION"}});
  for (const auto& [gate, row] : list.rows) {
    const bool there = is_there(row);
    const std::string state = shown(row, "state");
    table.add({shown(row, "account"),
               shown(row, "subject"),
               gate,
               shown(row, "address"),
               {state, tone_of(state)},
               there ? time_at(row, "connected_ms") : "-",
               round_trip(row),
               there ? bytes_at(row, "queued") : "-",
               shown(row, "transport"),
               shown(row, "session")});
  }
  std::string text = list.rows.empty() ? "" : table.text(look);
  text += count_of(list.rows.size(), "client");
  if (!query.prefix.empty()) text += " that begin with " + printable(query.prefix);
  text += ", of " + count_of(list.sessions, "session") + " of the gates asked\n";
  if (!list.next.empty()) text += "more: --after " + printable(list.next) + "\n";
  return text + notes_of(list.notes);
}

std::string render_client(const ClientFound& found, const Look& look) {
  std::string text;
  for (const auto& [gate, session] : found.sessions) {
    if (!text.empty()) text += "\n";
    text += session_text(gate, session, look);
  }
  if (!found.partings.empty()) {
    if (!text.empty()) text += "\n";
    Table table(
        {{"AGO", Table::Align::right}, {"GATE"}, {"ENDED"}, {"WHY"}, {"PLAYED"}, {"ADDRESS"}});
    for (const auto& [gate, row] : found.partings) {
      table.add({time_at(row, "ago_ms"), gate, flag_at(row, "over") ? "session" : "connection",
                 shown(row, "why"), shown(row, "subject"), shown(row, "address")});
    }
    text += table.text(look);
  }
  return text + notes_of(found.notes);
}

std::string render_audience(const Audience& audience, const std::string& group) {
  return name_of_group(group) + ": would be heard by " + count_of(audience.clients, "client") +
         " of " + count_of(audience.gates, "gate") + "\n" + notes_of(audience.notes);
}

std::string render_announced(const Announced& announced, const Heard& heard, const Look& look) {
  std::string text = "taken by " + count_of(announced.taken, "gate") + ", handed to " +
                     count_of(heard.handed, "client");
  if (heard.kept != 0) text += ", kept for " + std::to_string(heard.kept) + " that are away";
  text += "\n";
  if (heard.speaking != 0) {
    text += toned(look, Tone::warning,
                  count_of(heard.speaking, "gate") + " have not come to the end yet") +
            "\n";
  }
  for (const std::string& failed : announced.failed) {
    text += toned(look, Tone::bad, "not taken: " + printable(failed)) + "\n";
  }
  return text + notes_of(heard.notes);
}

OrderedJson json_of_clients(const ClientList& list) {
  OrderedJson rows = OrderedJson::array();
  for (const auto& [gate, row] : list.rows) rows.push_back(with_gate(gate, row));
  return {{"clients", std::move(rows)},
          {"sessions", list.sessions},
          {"next", list.next.empty() ? OrderedJson() : OrderedJson(list.next)},
          {"notes", list.notes}};
}

OrderedJson json_of_client(const ClientFound& found) {
  OrderedJson sessions = OrderedJson::array();
  OrderedJson partings = OrderedJson::array();
  for (const auto& [gate, row] : found.sessions) sessions.push_back(with_gate(gate, row));
  for (const auto& [gate, row] : found.partings) partings.push_back(with_gate(gate, row));
  return {
      {"sessions", std::move(sessions)}, {"partings", std::move(partings)}, {"notes", found.notes}};
}

OrderedJson json_of_audience(const Audience& audience, const std::string& group) {
  return {{"group", group},
          {"gates", audience.gates},
          {"clients", audience.clients},
          {"notes", audience.notes}};
}

OrderedJson json_of_announced(const Announced& announced, const Heard& heard) {
  return {{"taken", announced.taken},   {"not_taken", announced.failed}, {"said", heard.gates},
          {"speaking", heard.speaking}, {"handed", heard.handed},        {"kept", heard.kept},
          {"notes", heard.notes}};
}

}  // namespace starbus::bustop
