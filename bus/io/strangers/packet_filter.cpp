#include "bus/io/strangers/packet_filter.hpp"

#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace starbus::bus::io {
namespace {

constexpr std::uint32_t kHeard = 0xffff'ffff;  // bytes of the packet that are kept
constexpr std::uint32_t kDropped = 0;

// Offsets from the beginning of the IP header. The low half of a negative number is what the kernel
// expects.
constexpr std::uint32_t network(int offset) {
  return static_cast<std::uint32_t>(SKF_NET_OFF + offset);
}
constexpr int kVersion = 0;  // in the upper four bits
constexpr int kSourceOf4 = 12;
constexpr int kSourceOf6 = 8;

sock_filter statement(int code, std::uint32_t value) {
  return {static_cast<std::uint16_t>(code), 0, 0, value};
}
/// Goes on with the next statement if what was loaded is `value`, else skips so many.
sock_filter unless(std::uint32_t value, std::uint8_t skip) {
  return {BPF_JMP | BPF_JEQ | BPF_K, 0, skip, value};
}
sock_filter load_word(int offset) {
  return statement(BPF_LD | BPF_W | BPF_ABS, network(offset));
}
sock_filter verdict(std::uint32_t bytes) {
  return statement(BPF_RET | BPF_K, bytes);
}

std::vector<sock_filter> program_of(std::span<const Source> sources) {
  std::vector<sock_filter> v4{load_word(kSourceOf4)};
  std::vector<sock_filter> v6;
  for (const Source& source : sources) {
    if (!source.v6) {
      v4.insert(v4.end(), {unless(source.words[0], 1), verdict(kDropped)});
    } else {
      v6.insert(v6.end(),
                {load_word(kSourceOf6), unless(source.words[0], 3), load_word(kSourceOf6 + 4),
                 unless(source.words[1], 1), verdict(kDropped)});
    }
  }
  v4.push_back(verdict(kHeard));
  v6.push_back(verdict(kHeard));
  std::vector<sock_filter> program{
      statement(BPF_LD | BPF_B | BPF_ABS, network(kVersion)),
      statement(BPF_ALU | BPF_AND | BPF_K, 0xf0), unless(0x60, 1),
      statement(BPF_JMP | BPF_JA, static_cast<std::uint32_t>(v4.size()))};
  program.insert(program.end(), v4.begin(), v4.end());
  program.insert(program.end(), v6.begin(), v6.end());
  return program;
}

bool attach(int fd, std::vector<sock_filter> program) {
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return ::setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0;
}

std::uint32_t word_at(const std::uint8_t* bytes) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return ntohl(word);
}

Source source_of(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    return {false, {ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr), 0}};
  }
  const in6_addr& six = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  // An IPv4 peer of a socket for both; its packets are IPv4.
  if (IN6_IS_ADDR_V4MAPPED(&six)) return {false, {word_at(six.s6_addr + 12), 0}};
  return {true, {word_at(six.s6_addr), word_at(six.s6_addr + 4)}};
}

bool is_internet(const sockaddr_storage& address) {
  return address.ss_family == AF_INET || address.ss_family == AF_INET6;
}

std::uint16_t port_of(const sockaddr_storage& address) {
  return ntohs(address.ss_family == AF_INET
                   ? reinterpret_cast<const sockaddr_in&>(address).sin_port
                   : reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
}

}  // namespace

std::optional<Source> source_of(int fd, std::uint16_t port) {
  sockaddr_storage own{};
  sockaddr_storage peer{};
  socklen_t own_size = sizeof own;
  socklen_t peer_size = sizeof peer;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &own_size) != 0 ||
      ::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &peer_size) != 0) {
    return std::nullopt;
  }
  if (!is_internet(own) || !is_internet(peer) || port_of(own) != port) return std::nullopt;
  return source_of(peer);
}

bool shut_out(int fd, std::span<const Source> sources) {
  if (!sources.empty()) return attach(fd, program_of(sources));
  const int none = 0;
  return ::setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &none, sizeof none) == 0 ||
         errno == ENOENT;  // there was none
}

bool hear_nobody(int fd) {
  return attach(fd, {verdict(kDropped)});
}

}  // namespace starbus::bus::io
