#include "tests/cluster/intruder/node/raw_session.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "bus/core/limits.hpp"
#include "bus/core/wire/bundle.hpp"
#include "bus/core/wire/data.hpp"
#include "bus/core/wire/version.hpp"

namespace starbus::cluster_test {
namespace {

std::uint64_t draw() {
  static std::uint64_t last = 0;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return last = std::max(last + 1, static_cast<std::uint64_t>(now.count()));
}

}  // namespace

void RawSession::open() {
  close();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path_.c_str(), sizeof address.sun_path - 1);
  fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd_ < 0) return;
  if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return close();
  }
  bus::Hello hello;
  hello.minor = bus::kVersionMinor;
  hello.name = node_;
  hello.role = "node";
  hello.incarnation = incarnation_ = session_ = draw();
  hello.attempt = 1;
  say(hello);
  say(bus::TableEnd{});
  flush();
}

void RawSession::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  number_ = consumed_ = 0;
  sent_ = 0;
  for (bus::Bytes* bytes : {&records_, &out_, &in_}) bytes->clear();
  self_.reset();
  grants_.clear();
}

void RawSession::flush() {
  if (!is_open()) return;
  if (sent_ == out_.size() && !records_.empty()) {
    out_.assign(bus::kBundleHeaderSize, std::byte{});
    out_.insert(out_.end(), records_.begin(), records_.end());
    records_.clear();
    sent_ = 0;
    bus::seal_bundle(out_, session_, ++number_, consumed_);
  }
  if (sent_ == out_.size()) return;
  const ssize_t size = ::send(fd_, out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);
  if (size > 0) sent_ += static_cast<std::size_t>(size);
  if (size < 0 && errno != EAGAIN && errno != EINTR) close();
}

void RawSession::read() {
  if (!is_open()) return;
  static std::array<std::byte, bus::kMaxBundle> part;
  const ssize_t size = ::recv(fd_, part.data(), part.size(), 0);
  if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) return close();
  if (size < 0) return;
  in_.insert(in_.end(), part.begin(), part.begin() + size);
  std::size_t begin = 0;
  while (in_.size() - begin >= bus::kBundleHeaderSize) {
    const bus::ByteView rest = bus::ByteView(in_).subspan(begin);
    const auto length = bus::peek_bundle_length(rest);
    if (!length) return close();
    if (rest.size() < *length) break;
    consumed_ += *length;
    take_bundle(rest.first(*length));
    begin += *length;
  }
  in_.erase(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(begin));
}

/// Records that were cut into chunks are of no interest here.
void RawSession::take_bundle(bus::ByteView bundle) {
  bus::ByteView rest = bundle.subspan(bus::kBundleHeaderSize);
  while (rest.size() > sizeof(std::uint32_t)) {
    std::uint32_t length = 0;
    std::memcpy(&length, rest.data(), sizeof length);
    if (length == 0 || length > rest.size() - sizeof length) return;
    const auto kind = static_cast<bus::Kind>(rest[sizeof length]);
    const bus::ByteView payload = rest.subspan(sizeof length + 1, length - 1);
    if (kind == bus::Kind::welcome) {
      if (const auto welcome = bus::decode<bus::Welcome>(payload)) self_ = welcome->you;
    } else if (kind == bus::Kind::attached) {
      if (auto grant = bus::decode<bus::Attached>(payload)) grants_.push_back(std::move(*grant));
    }
    rest = rest.subspan(sizeof length + length);
  }
}

}  // namespace starbus::cluster_test
