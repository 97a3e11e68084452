#pragma once

#include "nodes/login/desk/desk.hpp"
#include "nodes/login/passwords/accounts.hpp"
#include "nodes/login/service/login_service.hpp"
#include "nodes/runtime/node.hpp"

namespace starbus::nodes::login {

/// Adds what operators see and do: starbus_login_* to the metrics of the process; /login, /ban and
/// /lift to its admin server (docs/operate/login.md). `accounts` may be null. All outlive both. The
/// loop's thread.
void add_login_admin(Node& node, Desk& desk, LoginService& service, Accounts* accounts);

}  // namespace starbus::nodes::login
