#include "bus/io/socket.hpp"

#include <grp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <memory>
#include <system_error>

namespace starbus::bus::io {
namespace {

constexpr std::size_t kMaxPeerGroups = 1024;
#ifdef SO_PEERPIDFD
constexpr int kPeerPidfd = SO_PEERPIDFD;
#else
constexpr int kPeerPidfd = 77;  // since Linux 6.5; older headers lack it
#endif

// Holds the link clock of both directions, so that a bundle never waits for the reader's next turn.
constexpr int kLocalBuffer = 1024 * 1024;

void set_option(int fd, int level, int name, int value) {
  // Best effort: a link without the option is slower, not wrong.
  static_cast<void>(::setsockopt(fd, level, name, &value, sizeof value));
}

sockaddr_un unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  assert(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

/// True if a process accepts at `path`, or if we may not know.
Result<bool> somebody_listens(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return false;
    return os_error(path, errno);
  }
  if (!S_ISSOCK(status.st_mode)) {
    return Error{Errc::io_error, path + ": exists and is not a socket"};
  }
  const Fd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!probe) return os_error("socket", errno);
  const auto address = unix_address(path);
  if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return true;
  }
  // A full backlog is EAGAIN: a listener, too. Only a refusal proves that there is none.
  return errno != ECONNREFUSED && errno != ENOENT;
}

Result<> grant_access(const std::string& path, const FileAccess& access) {
  if (!access.group.empty()) {
    group entry{};
    group* found = nullptr;
    std::array<char, 16384> names{};
    ::getgrnam_r(access.group.c_str(), &entry, names.data(), names.size(), &found);
    if (found == nullptr) return Error{Errc::bad_config, "no group \"" + access.group + "\""};
    if (::chown(path.c_str(), static_cast<uid_t>(-1), entry.gr_gid) != 0) {
      return os_error("chown " + path, errno);
    }
  }
  if (::chmod(path.c_str(), access.mode) != 0) return os_error("chmod " + path, errno);
  return {};
}

Result<ListenSocket> listen_local(const Endpoint& endpoint, const FileAccess& access) {
  const auto taken = somebody_listens(endpoint.path);
  if (!taken) return taken.error();
  if (*taken) return Error{Errc::io_error, endpoint.path + ": another process listens there"};
  ::unlink(endpoint.path.c_str());

  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return os_error("socket", errno);
  const auto address = unix_address(endpoint.path);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return os_error("bind " + endpoint.path, errno);
  }
  SocketFile file(endpoint.path);
  // Before listen(): until then every connect is refused, so the file is never too open.
  if (auto granted = grant_access(endpoint.path, access); !granted) return granted.error();
  if (::listen(fd.get(), SOMAXCONN) != 0) return os_error("listen " + endpoint.path, errno);
  return ListenSocket{std::move(fd), std::move(file), endpoint};
}

std::uint16_t bound_port(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  if (address.ss_family == AF_INET6) {
    return ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
  }
  return ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

Result<ListenSocket> listen_remote(const Endpoint& endpoint) {
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const char* host = endpoint.host == "*" ? nullptr : endpoint.host.c_str();
  const auto port = std::to_string(endpoint.port);
  if (const int failed = ::getaddrinfo(host, port.c_str(), &hints, &list); failed != 0) {
    return Error{Errc::bad_config, endpoint.to_string() + ": " + ::gai_strerror(failed)};
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  Fd fd(::socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return os_error("socket", errno);
  // Else a restarted daemon waits for the last connections of its predecessor to time out.
  set_option(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (::bind(fd.get(), list->ai_addr, list->ai_addrlen) != 0 ||
      ::listen(fd.get(), SOMAXCONN) != 0) {
    return os_error("bind " + endpoint.to_string(), errno);
  }
  Endpoint real = endpoint;
  real.port = bound_port(fd.get());
  return ListenSocket{std::move(fd), SocketFile{}, real};
}

/// The supplementary groups of the process at the other end when it connected; none if there are
/// more than kMaxPeerGroups.
std::vector<gid_t> groups_of(int fd) {
  std::vector<gid_t> groups(kMaxPeerGroups);
  auto size = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) != 0) return {};
  groups.resize(size / sizeof(gid_t));
  return groups;
}

}  // namespace

SocketFile::SocketFile(std::string path) : path_(std::move(path)) {
  struct stat status {};
  if (::lstat(path_.c_str(), &status) != 0) path_.clear();
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

SocketFile::SocketFile(SocketFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), device_(other.device_), inode_(other.inode_) {}

SocketFile& SocketFile::operator=(SocketFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(device_, other.device_);
  std::swap(inode_, other.inode_);
  return *this;
}

SocketFile::~SocketFile() {
  remove();
}

void SocketFile::remove() {
  struct stat status {};
  if (!path_.empty() && ::lstat(path_.c_str(), &status) == 0 && status.st_dev == device_ &&
      status.st_ino == inode_) {
    ::unlink(path_.c_str());
  }
  path_.clear();
}

Result<ListenSocket> listen_socket(const Endpoint& endpoint, const FileAccess& access) {
  return endpoint.is_local() ? listen_local(endpoint, access) : listen_remote(endpoint);
}

Peer peer_of(int fd) {
  Peer peer;
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return peer;
  if (address.ss_family == AF_UNIX) {
    ucred who{};
    socklen_t who_size = sizeof who;
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &who_size) == 0) {
      peer.pid = who.pid;
      peer.uid = who.uid;
      peer.gid = who.gid;
      peer.groups = groups_of(fd);
    }
    peer.address = "pid " + std::to_string(peer.pid);
    return peer;
  }
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (::getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host.data(), host.size(),
                    port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV) == 0) {
    const std::string_view text = host.data();
    peer.address =
        (text.find(':') == text.npos ? std::string(text) : "[" + std::string(text) + "]") + ":" +
        port.data();
  }
  return peer;
}

Result<int> open_peer_process(int fd) {
  int pidfd = -1;
  socklen_t size = sizeof pidfd;
  if (::getsockopt(fd, SOL_SOCKET, kPeerPidfd, &pidfd, &size) == 0) return pidfd;
  if (errno == ESRCH || errno == EINVAL) return Error{Errc::closed, "the process has ended"};
  return -1;
}

void tune(int fd) {
  int domain = AF_UNIX;
  socklen_t size = sizeof domain;
  static_cast<void>(::getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size));
  if (domain == AF_UNIX) {
    set_option(fd, SOL_SOCKET, SO_SNDBUF, kLocalBuffer);
    set_option(fd, SOL_SOCKET, SO_RCVBUF, kLocalBuffer);
    return;
  }
  // No buffer sizes here: the kernel sizes those of TCP to the path better than a constant does.
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
}

Error os_error(const std::string& what, int error) {
  return Error{Errc::io_error, what + ": " + std::system_category().message(error)};
}

}  // namespace starbus::bus::io
