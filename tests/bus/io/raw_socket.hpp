/// A plain blocking client: writes what no link would.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

#include "bus/io/endpoint.hpp"
#include "bus/io/socket.hpp"
#include "tests/bus/io/support.hpp"

namespace starbus::bus::io::test {

inline Fd raw_connect(const std::string& text) {
  const auto endpoint = *parse_endpoint(text);
  sockaddr_storage address{};
  socklen_t size = 0;
  if (endpoint.is_local()) {
    auto& local = reinterpret_cast<sockaddr_un&>(address);
    local.sun_family = AF_UNIX;
    std::memcpy(local.sun_path, endpoint.path.c_str(), endpoint.path.size() + 1);
    size = sizeof local;
  } else {
    auto& remote = reinterpret_cast<sockaddr_in&>(address);
    remote.sin_family = AF_INET;
    remote.sin_port = htons(endpoint.port);
    remote.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    size = sizeof remote;
  }
  Fd fd(::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), size), 0)
      << std::strerror(errno);
  return fd;
}

inline void raw_write(const Fd& fd, ByteView bytes) {
  EXPECT_EQ(::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(bytes.size()));
}

}  // namespace starbus::bus::io::test
