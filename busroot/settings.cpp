#include "busroot/settings.hpp"

#include <set>
#include <string_view>

#include "base/numbers.hpp"
#include "bus/core/wire/name.hpp"
#include "bus/core/wire/shard_list.hpp"
#include "bus/io/endpoint.hpp"
#include "bus/io/key_file.hpp"
#include "daemon/admin/at_route.hpp"
#include "daemon/config/protocol_setting.hpp"

namespace starbus::busroot {
namespace {

using daemon::ConfigReader;

bool beyond_this_machine(const bus::io::Endpoint& endpoint) {
  return !endpoint.is_local() && endpoint.host != "localhost" && endpoint.host != "::1" &&
         !endpoint.host.starts_with("127.");
}

void read_session_ports(ConfigReader& table, Settings& settings) {
  const std::string text = table.string("session_ports", "");
  if (text.empty()) return;
  const std::size_t dash = text.find('-');
  const auto first = parse_number<std::uint16_t>(text.substr(0, dash));
  const auto last =
      dash == text.npos ? std::nullopt : parse_number<std::uint16_t>(text.substr(dash + 1));
  if (!first || !last || *first == 0 || *first > *last) {
    table.problem("session_ports", "not a range of ports such as \"7700-7999\"");
    return;
  }
  settings.first_session_port = *first;
  settings.last_session_port = *last;
}

void read_busroot(ConfigReader table, Settings& settings) {
  settings.name = table.string("name", "busroot");
  if (const auto checked = bus::check_node_name(settings.name); !checked) {
    table.problem("name", checked.error().to_string());
  }
  settings.listen = table.strings("listen", {"tcp://0.0.0.0:7600"});
  if (settings.listen.empty()) table.problem("listen", "at least one endpoint is needed");
  for (const std::string& text : settings.listen) {
    if (const auto endpoint = bus::io::parse_endpoint(text); !endpoint) {
      table.problem("listen", endpoint.error().to_string());
    }
  }
  read_session_ports(table, settings);
  settings.lease =
      table.duration("lease", bus::kLease, bus::kShortestLease, std::chrono::minutes(10));
  settings.minor = daemon::read_protocol(table);
}

/// Reports problems of the endpoints at the key that can fix them.
void check_endpoints(ConfigReader& security, const Settings& settings, bool insecure) {
  for (const std::string& text : settings.listen) {
    const auto endpoint = bus::io::parse_endpoint(text);
    if (!endpoint) continue;  // reported at busroot.listen
    if (settings.curve && endpoint->scheme != bus::io::Scheme::tcp) {
      security.problem("curve", "'" + text + "': only tcp:// can be encrypted");
    } else if (!settings.curve && !insecure && beyond_this_machine(*endpoint)) {
      security.problem("curve", "'" + text +
                                    "' is open to other machines without encryption; set curve, "
                                    "or insecure = true if you accept that");
    }
  }
}

bus::HostRights read_rights(ConfigReader& table) {
  using Rights = bus::HostRights;
  Rights rights;
  rights.bind = table.strings("bind", rights.bind);
  rights.send = table.strings("send", rights.send);
  const std::vector<std::string> any = {"0-255"};
  const std::vector<std::string> stores = table.strings("stores", any);
  if (stores != any) rights.stores.emplace();
  for (const std::string& text : stores) {
    const auto shards = bus::parse_shards(text);
    if (!shards) {
      table.problem("stores",
                    "'" + text + "' is not a shard number from 0 to 255 or a range such as 0-127");
    } else if (rights.stores) {
      rights.stores->insert(shards->begin(), shards->end());
    }
  }
  const std::string admin = table.choice("admin", "read", {"none", "observe", "read"});
  rights.admin = admin == "read"   ? Rights::Admin::read
                 : admin == "none" ? Rights::Admin::none
                                   : Rights::Admin::observe;
  rights.max_names =
      table.integer("max_names", rights.max_names, std::size_t{1}, std::size_t{100'000'000});
  rights.max_processes =
      table.integer("max_processes", rights.max_processes, std::size_t{1}, bus::kMaxProcesses);
  return rights;
}

void read_host(ConfigReader table, Settings& settings, std::set<std::string>& seen) {
  const std::string name = table.required_string("name");
  if (const auto checked = bus::check_node_name(name); !checked && !name.empty()) {
    table.problem("name", checked.error().to_string());
  } else if (name == daemon::kRootTarget) {
    table.problem("name", "'root' is reserved for busroot; choose another host name");
  }
  const std::vector<std::string> keys = table.strings("keys");
  if (settings.curve && keys.empty()) table.problem("keys", "needs at least one key of the host");
  if (keys.size() > AllowList::kMaxKeys) {
    table.problem("keys", "at most two: the present key and its successor");
  }
  for (const std::string& key : keys) {
    if (!bus::io::is_curve_key(key)) table.problem("keys", "not a public key of 40 characters");
    if (!seen.insert(key).second) table.problem("keys", "another host has this key");
  }
  settings.rights[name] = read_rights(table);
  if (!settings.hosts.emplace(name, keys).second) {
    table.problem("name", "two hosts have the name '" + name + "'");
  }
}

void read_security(ConfigReader table, Settings& settings) {
  settings.curve = table.boolean("curve", true);
  check_endpoints(table, settings, table.boolean("insecure", false));
  std::set<std::string> seen;
  for (ConfigReader& host : table.tables("hosts")) read_host(host, settings, seen);
  const std::string file = settings.curve ? table.required_string("secret_key_file")
                                          : table.string("secret_key_file", "");
  if (!settings.curve || file.empty()) return;
  auto keys = bus::io::read_secret_key_file(file);
  if (keys) {
    settings.keys = std::move(*keys);
  } else {
    table.problem("secret_key_file", keys.error().to_string());
  }
}

}  // namespace

Settings read_settings(ConfigReader& reader) {
  Settings settings;
  read_busroot(reader.table("busroot"), settings);
  read_security(reader.table("security"), settings);
  return settings;
}

}  // namespace starbus::busroot
