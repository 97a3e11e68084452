#include "busd/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/numbers.hpp"
#include "bus/core/wire/name.hpp"
#include "bus/core/wire/post_head.hpp"
#include "bus/core/wire/shard_list.hpp"
#include "bus/io/endpoint.hpp"
#include "bus/io/key_file.hpp"
#include "daemon/account_ids.hpp"
#include "daemon/admin/at_route.hpp"
#include "daemon/config/protocol_setting.hpp"
#include "mail/limits.hpp"

namespace starbus::busd {
namespace {

using daemon::ConfigReader;
using daemon::group_id;
using daemon::user_id;

constexpr const char* kSocketGroup = "starbus-bus";  // it owns the socket and nothing else

std::string machine_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0) return {};
  const std::string_view text(name);
  return std::string(text.substr(0, text.find('.')));
}

/// kSocketGroup if this program is in it, as under the shipped unit; or else its own group ("").
std::string default_socket_group() {
  const auto group = group_id(kSocketGroup);
  std::vector<gid_t> mine(static_cast<std::size_t>(std::max(0, ::getgroups(0, nullptr))));
  const int count = ::getgroups(static_cast<int>(mine.size()), mine.data());
  mine.resize(static_cast<std::size_t>(std::max(0, count)));
  return group && std::ranges::count(mine, *group) != 0 ? kSocketGroup : "";
}

template <class Find>
std::vector<std::uint32_t> read_ids(ConfigReader& table, std::string_view key, const Find& find) {
  std::vector<std::uint32_t> ids;
  for (const std::string& text : table.strings(key)) {
    if (const auto id = find(text)) {
      ids.push_back(*id);
    } else {
      table.problem(key, "'" + text +
                             "' is not known to this system: create it "
                             "(systemd-sysusers), or take it out");
    }
  }
  return ids;
}

std::vector<std::string> read_prefixes(ConfigReader& table, std::string_view key) {
  auto prefixes = table.strings(key);
  if (prefixes.size() > bus::kMaxAclPrefixes) table.problem(key, "more than 256 prefixes");
  for (const std::string& prefix : prefixes) {
    if (const auto checked = bus::check_prefix(prefix); !checked) {
      table.problem(key, checked.error().to_string());
    }
  }
  return prefixes;
}

void read_busd(ConfigReader table, Settings& settings) {
  settings.host = table.string("host", machine_name());
  if (const auto checked = bus::check_node_name(settings.host); !checked) {
    table.problem("host", checked.error().to_string());
  } else if (settings.host == daemon::kRootTarget) {
    table.problem("host", "'root' is reserved for busroot; choose another host name");
  }
  settings.listen = table.strings("listen", {"unix:///run/starbus/busd.sock"});
  if (settings.listen.empty()) table.problem("listen", "at least one endpoint is needed");
  for (const std::string& text : settings.listen) {
    const auto endpoint = bus::io::parse_endpoint(text);
    if (!endpoint) {
      table.problem("listen", endpoint.error().to_string());
    } else if (!endpoint->is_local()) {
      table.problem("listen",
                    "'" + text + "': processes of this host connect by unix:// or ipc://");
    }
  }
  const std::string mode = table.string("socket_mode", "0660");
  const auto parsed = parse_number<unsigned>(mode, 8);
  if (!parsed || *parsed > 0777) {
    table.problem("socket_mode", "'" + mode + "' is not an octal mode such as \"0660\"");
  }
  settings.socket_mode = parsed.value_or(0660);
  settings.socket_group = table.string("socket_group", default_socket_group());
  if (!settings.socket_group.empty() && !group_id(settings.socket_group)) {
    table.problem("socket_group", "'" + settings.socket_group + "' is not known to this system");
  }
  settings.max_processes =
      table.integer<std::size_t>("max_processes", bus::kMaxProcesses, 1, bus::kMaxProcesses);
  settings.lease =
      table.duration("lease", bus::kLease, bus::kShortestLease, std::chrono::minutes(10));
  settings.minor = daemon::read_protocol(table);
}

bool leaves_this_host(const bus::io::Endpoint& endpoint) {
  return !endpoint.is_local() && endpoint.host != "localhost" && endpoint.host != "::1" &&
         !endpoint.host.starts_with("127.");
}

void read_keys(ConfigReader& table, Settings& settings) {
  settings.server_keys = table.strings("server_keys");
  if (settings.server_keys.empty() || settings.server_keys.size() > 2) {
    table.problem("server_keys", "needs one key of busroot, or two while it changes");
  }
  for (const std::string& key : settings.server_keys) {
    if (!bus::io::is_curve_key(key))
      table.problem("server_keys", "not a public key of 40 characters");
  }
  const std::string file = table.required_string("secret_key_file");
  if (file.empty()) return;
  auto keys = bus::io::read_secret_key_file(file);
  if (keys) {
    settings.keys = std::move(*keys);
  } else {
    table.problem("secret_key_file", keys.error().to_string());
  }
}

void read_busroot(ConfigReader table, Settings& settings) {
  const bool curve = table.boolean("curve", true);
  const bool insecure = table.boolean("insecure", false);
  settings.endpoints = table.strings("endpoints");
  if (settings.endpoints.empty()) table.problem("endpoints", "at least one endpoint is needed");
  for (const std::string& text : settings.endpoints) {
    const auto endpoint = bus::io::parse_endpoint(text);
    if (!endpoint) {
      table.problem("endpoints", endpoint.error().to_string());
    } else if (curve && endpoint->scheme != bus::io::Scheme::tcp) {
      table.problem("endpoints", "'" + text + "': only tcp:// can be encrypted (curve = true)");
    } else if (!curve && !insecure && leaves_this_host(*endpoint)) {
      table.problem("endpoints", "'" + text +
                                     "' leaves this host without encryption; set curve, "
                                     "or insecure = true if you accept that");
    }
  }
  if (curve) {
    read_keys(table, settings);
  } else {  // keys may stay in the file while encryption is off
    (void)table.strings("server_keys");
    (void)table.string("secret_key_file", "");
  }
}

std::vector<std::string> read_nodes(ConfigReader& table) {
  auto patterns = table.strings("nodes", {"*"});
  for (const std::string& pattern : patterns) {
    const std::string fixed =
        pattern.ends_with('*') ? pattern.substr(0, pattern.size() - 1) : pattern;
    if (pattern != "*" && !bus::check_node_name(fixed)) {
      table.problem("nodes", "'" + pattern + "' is not a node name, or the beginning of one and *");
    }
  }
  return patterns;
}

bus::Trust read_trust(ConfigReader& table) {
  const bool server = table.choice("trust", "client", {"client", "server"}) == "server";
  return server ? bus::Trust::server : bus::Trust::client;
}

bus::Role read_role(ConfigReader table) {
  bus::Role role;
  role.name = table.required_string("name");
  if (const auto checked = bus::check_node_name(role.name); !checked && !role.name.empty()) {
    table.problem("name", "a role name has 1..100 characters of a-z A-Z 0-9 _ -");
  }
  role.users = read_ids(table, "users", user_id);
  role.groups = read_ids(table, "groups", group_id);
  role.bind = read_prefixes(table, "bind");
  role.send = read_prefixes(table, "send");
  role.watch = role.bind;
  role.watch.insert(role.watch.end(), role.send.begin(), role.send.end());
  if (table.has("watch")) role.watch = read_prefixes(table, "watch");
  role.nodes = read_nodes(table);
  role.trust = read_trust(table);
  constexpr auto kMostNames = static_cast<std::uint32_t>(bus::kMaxNamesPerProcess);
  role.max_names = table.integer<std::uint32_t>("max_names", kMostNames, 1, kMostNames);
  role.max_sessions =
      table.integer<std::uint32_t>("max_sessions", bus::kMaxProcesses, 1, bus::kMaxProcesses);
  role.messages_per_second =
      table.integer<std::uint64_t>("messages_per_second", 0, 0, ConfigReader::kNoMaximum);
  role.bytes_per_second = table.size("bytes_per_second", 0);
  return role;
}

void read_log(ConfigReader& table, std::vector<mail::LogQuota>& logs) {
  mail::LogQuota quota;
  quota.prefix = table.string("prefix", "");
  quota.messages =
      table.integer<std::uint64_t>("messages", quota.messages, 0, ConfigReader::kNoMaximum);
  quota.bytes = table.size("bytes", quota.bytes);
  quota.age_ms = static_cast<std::uint64_t>(table.duration("age", {}).count());
  if (std::ranges::count(logs, quota.prefix, &mail::LogQuota::prefix) != 0) {
    table.problem("prefix", "two [[mail.log]] have the prefix '" + quota.prefix + "'");
  }
  logs.push_back(std::move(quota));
}

void read_mail(ConfigReader table, Settings& settings) {
  for (const std::string& text : table.strings("shards")) {
    const auto shards = bus::parse_shards(text);
    if (!shards) {
      table.problem("shards",
                    "'" + text + "' is not a shard number from 0 to 255 or a range such as 0-127");
      continue;
    }
    for (const std::uint8_t shard : *shards) {
      if (std::ranges::find(settings.mail_shards, shard) != settings.mail_shards.end()) {
        table.problem("shards", "shard " + std::to_string(shard) + " is listed twice");
        break;
      }
      settings.mail_shards.push_back(shard);
    }
  }
  settings.mail_folder = table.string("directory", "");
  if (!settings.mail_folder.empty() && !std::filesystem::path(settings.mail_folder).is_absolute()) {
    table.problem("directory",
                  "'directory' must be an absolute path, so that every start of busd uses the "
                  "same store; it is '" +
                      settings.mail_folder + "'");
  }
  settings.mail_quota.box_messages = table.integer<std::uint64_t>(
      "box_messages", settings.mail_quota.box_messages, 1, ConfigReader::kNoMaximum);
  settings.mail_quota.box_bytes = table.size("box_bytes", settings.mail_quota.box_bytes, 1);
  settings.mail_quota.total_bytes = table.size("total_bytes", mail::kTotalBytes);
  settings.mail_scrub.rate = table.size("check_rate", settings.mail_scrub.rate);
  settings.mail_scrub.rest = table.duration("check_pause", settings.mail_scrub.rest);
  settings.mail_quota.total_messages =
      table.integer<std::uint64_t>("total_messages", 0, 0, ConfigReader::kNoMaximum);
  settings.mail_quota.total_boxes =
      table.integer<std::uint64_t>("total_boxes", mail::kTotalBoxes, 0, ConfigReader::kNoMaximum);
  settings.mail_quota.age_ms = static_cast<std::uint64_t>(table.duration("age", {}).count());
  for (ConfigReader& log : table.tables("log")) read_log(log, settings.mail_quota.logs);
}

/// Whether a role lets the whole group of the socket do everything.
bool is_open_to_group(const bus::Role& role, const std::string& socket_group) {
  const auto everything = [](const std::vector<std::string>& prefixes) {
    return std::ranges::count(prefixes, "") != 0;
  };
  const auto group = group_id(socket_group.empty() ? kSocketGroup : socket_group);
  const bool all = role.users.empty() && role.groups.empty();
  return (all || (group && std::ranges::count(role.groups, *group) != 0)) &&
         (everything(role.bind) || everything(role.send) || role.trust == bus::Trust::server);
}

}  // namespace

std::vector<bus::io::Reconnect::Target> Settings::targets() const {
  std::vector<bus::io::Reconnect::Target> targets;
  for (const std::string& endpoint : endpoints) {
    if (keys.secret_key.empty()) {
      targets.push_back({endpoint, {}});
      continue;
    }
    for (const std::string& server_key : server_keys) {
      bus::io::ConnectOptions options;
      options.keys = keys;
      options.server_key = server_key;
      targets.push_back({endpoint, options});
    }
  }
  return targets;
}

Settings read_settings(ConfigReader& reader) {
  Settings settings;
  read_busd(reader.table("busd"), settings);
  read_busroot(reader.table("busroot"), settings);
  for (ConfigReader& table : reader.tables("role")) {
    bus::Role role = read_role(table);
    if (std::ranges::count(settings.roles, role.name, &bus::Role::name) != 0) {
      table.problem("name", "two roles have the name '" + role.name + "'");
    }
    if (is_open_to_group(role, settings.socket_group)) {
      table.warn("name", "role '" + role.name +
                             "': every member of the socket's group has it, and it may bind or "
                             "send everything, or is trusted as a server; list users instead");
    }
    settings.roles.push_back(std::move(role));
  }
  const bool by_zmq = std::ranges::any_of(
      settings.listen, [](const std::string& text) { return text.starts_with("ipc://"); });
  if (by_zmq && !settings.roles.empty()) {
    reader.warn("role", "ipc:// endpoints cannot tell users apart reliably: listen on unix://");
  }
  settings.keeps_mail = reader.has("mail");
  read_mail(reader.table("mail"), settings);
  return settings;
}

}  // namespace starbus::busd
