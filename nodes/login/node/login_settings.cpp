#include "nodes/login/node/login_settings.hpp"

#include <utility>

#include "bus/core/wire/name.hpp"
#include "nodes/gate/wire/limits.hpp"

namespace starbus::nodes::login {
namespace {

using daemon::ConfigReader;

/// "name: value" and "name = value" rows.
std::vector<std::pair<std::string, std::string>> read_pairs(ConfigReader& reader, const char* key,
                                                            const char* sign) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& row : reader.strings(key)) {
    const std::size_t at = row.find(sign);
    if (at == std::string::npos || at == 0) {
      reader.problem(key, "'" + row + "': write \"name" + sign + "value\"");
      continue;
    }
    pairs.emplace_back(row.substr(0, at), row.substr(at + std::string_view(sign).size()));
  }
  return pairs;
}

ServerSettings read_server(ConfigReader reader) {
  ServerSettings server;
  server.method = reader.required_string("method");
  if (server.method.size() > gate::kMethodBytes) reader.problem("method", "more than 32 bytes");
  HttpMapping& mapping = server.mapping;
  mapping.url = reader.required_string("url");
  mapping.get = reader.boolean("get", false);
  mapping.headers = read_pairs(reader, "headers", ": ");
  mapping.body = reader.string("body", "");
  mapping.body_type = reader.string("body_type", mapping.body_type);
  mapping.account = reader.required_string("account");
  mapping.prefix = reader.string("prefix", "");
  mapping.required = read_pairs(reader, "required", " = ");
  server.authorities = reader.string("authorities", "");
  if (const auto checked = check_mapping(mapping); !checked) {
    reader.problem("url", checked.error().to_string());
  }
  return server;
}

void check_load(ConfigReader& login, const LoadOptions& load) {
  if (load.roles.size() > kLoadRoles) {
    login.problem("load_roles", "more than " + std::to_string(kLoadRoles) + " roles");
  }
  for (const std::string& role : load.roles) {
    if (!bus::check_node_name(role)) login.problem("load_roles", "'" + role + "' is no role");
  }
  if (load.full >= load.none) {
    login.problem("load_full", "must be below load_none, which is " + std::to_string(load.none));
  }
}

}  // namespace

LoginSettings read_login_settings(ConfigReader& reader) {
  ConfigReader login = reader.table("login");
  LoginSettings settings;
  settings.key = login.required_string("key");
  settings.keys = login.strings("keys");
  settings.reentry_life = login.duration("reentry_life", settings.reentry_life);
  settings.passwords = login.boolean("passwords", settings.passwords);
  settings.create = login.boolean("create", settings.create);
  settings.database = login.string("database", settings.database);
  for (ConfigReader& server : login.tables("server")) {
    settings.servers.push_back(read_server(server));
  }
  AdmissionOptions& admission = settings.admission;
  admission.places.per_second =
      login.integer<std::uint32_t>("per_second", admission.places.per_second, 1, 100'000);
  LoadOptions& load = admission.places.load;
  load.roles = login.strings("load_roles");
  load.full = login.integer<std::uint32_t>("load_full", load.full, 1, 998);
  load.none = login.integer<std::uint32_t>("load_none", load.none, 2, 999);
  load.weight = login.integer<std::uint32_t>("load_weight", load.weight, 1, 1'000);
  check_load(login, load);
  admission.queue_places =
      login.integer<std::size_t>("queue", admission.queue_places, 0, kQueuePlaces);
  admission.rates.per_minute =
      login.integer<unsigned>("address_per_minute", admission.rates.per_minute, 1, 1'000'000);
  admission.rates.burst =
      login.integer<unsigned>("address_burst", admission.rates.burst, 1, 1'000'000);
  if (settings.create && !settings.passwords) {
    login.problem("create", "needs passwords = true");
  }
  return settings;
}

}  // namespace starbus::nodes::login
