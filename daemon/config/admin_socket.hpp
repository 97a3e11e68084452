#pragma once

#include <string>
#include <vector>

namespace starbus::daemon {

/// The admin socket of a busd of this host, unless its file or a tool's command line says
/// otherwise.
inline constexpr const char* kDefaultAdminUrl = "unix:///run/starbus/busd-admin.sock";

/// The path of the admin socket of the busd that listens there: beside its first socket of unix://,
/// `busd-admin.sock` for `busd.sock`. Empty if there is none, or the path would be too long.
std::string admin_socket_beside(const std::vector<std::string>& endpoints);

/// What tools ask if their command line names no daemon: $STARBUS_ADMIN, else the admin socket
/// beside $STARBUS_BUSD, else kDefaultAdminUrl. For the start of a program: it reads the
/// environment.
std::string admin_url_of_environment();

}  // namespace starbus::daemon
