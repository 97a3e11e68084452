// Processes of the harness, and a client for their admin servers.
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <stdexcept>
#include <thread>

#include "tests/cluster/cluster_harness.hpp"

namespace starbus::cluster_test {

using namespace std::chrono_literals;

bool wait_for(std::chrono::milliseconds limit, const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(10ms);
  }
  return true;
}

Child::Child(const std::vector<std::string>& command, const std::filesystem::path& log) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ > 0) return;
  // Only what is safe between fork and exec.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  const int input = ::open("/dev/null", O_RDONLY);
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::close_range(3, ~0U, 0);  // sockets of the test must end with the test's own end of them
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

Child::~Child() {
  kill();
}

void Child::signal(int number) const {
  if (!status_) ::kill(pid_, number);
}

std::optional<int> Child::ended() {
  int status = 0;
  if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  return status_;
}

std::optional<int> Child::wait(std::chrono::milliseconds limit) {
  wait_for(limit, [&] { return ended().has_value(); });
  return status_;
}

void Child::kill() {
  if (ended()) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

namespace {

sockaddr_in loopback_address(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// "unix:///PATH" or "127.0.0.1:PORT"; -1 if nobody listens.
int connect_to(const std::string& address) {
  constexpr std::string_view kUnix = "unix://";
  const auto connected = [](int family, const auto& to) {
    const int fd = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) return fd;
    ::close(fd);
    return -1;
  };
  if (address.starts_with(kUnix)) {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    address.copy(to.sun_path, sizeof to.sun_path - 1, kUnix.size());
    return connected(AF_UNIX, to);
  }
  const auto colon = address.rfind(':');
  if (colon == std::string::npos) return -1;
  return connected(AF_INET, loopback_address(std::atoi(address.c_str() + colon + 1)));
}

HttpAnswer ask(const std::string& method, const std::string& address, const std::string& target) {
  const int fd = connect_to(address);
  if (fd < 0) return {};
  const timeval limit{5, 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  const std::string request = method + " " + target +
                              " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
                              "Connection: close\r\n\r\n";
  std::string text;
  if (::send(fd, request.data(), request.size(), MSG_NOSIGNAL) ==
      static_cast<ssize_t>(request.size())) {
    char part[16'384];
    ssize_t size = 0;
    while ((size = ::recv(fd, part, sizeof part, 0)) > 0) {
      text.append(part, static_cast<std::size_t>(size));
    }
  }
  ::close(fd);
  HttpAnswer answer;
  const auto body = text.find("\r\n\r\n");
  if (body == std::string::npos || !text.starts_with("HTTP/1.1 ")) return answer;
  answer.status = std::atoi(text.c_str() + std::strlen("HTTP/1.1 "));
  answer.body = text.substr(body + 4);
  return answer;
}

}  // namespace

int free_port() {
  std::random_device random;
  for (;;) {
    const int port = 20'000 + static_cast<int>(random() % 12'000);
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback_address(port);
    const bool free = ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(fd);
    if (free) return port;
  }
}

HttpAnswer http_get(const std::string& address, const std::string& target) {
  return ask("GET", address, target);
}

HttpAnswer http_post(const std::string& address, const std::string& target) {
  return ask("POST", address, target);
}

}  // namespace starbus::cluster_test
