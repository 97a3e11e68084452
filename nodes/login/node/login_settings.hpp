#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "daemon/config/config.hpp"
#include "nodes/login/core/admission.hpp"
#include "nodes/login/tickets/limits.hpp"
#include "nodes/login/verify/http_mapping.hpp"

namespace starbus::nodes::login {

/// A server that knows players: `[[login.server]]`.
struct ServerSettings {
  std::string method{};  // as clients name it
  HttpMapping mapping{};
  std::string authorities{};  // a PEM file; empty: the system's
};

/// `[login]`.
struct LoginSettings {
  std::string key{};                // file of the private key: starbus-keygen login
  std::vector<std::string> keys{};  // files of public keys that are believed beside its own
  std::chrono::milliseconds reentry_life = kReentryLife;
  bool passwords = true;  // the method "password", with accounts in the database
  bool create = false;    // the method "create": players make accounts themselves
  std::string database = "main";
  std::vector<ServerSettings> servers{};
  AdmissionOptions admission{};
};

/// Reads the table `[login]`. Problems are noted at the reader.
LoginSettings read_login_settings(daemon::ConfigReader& reader);

}  // namespace starbus::nodes::login
