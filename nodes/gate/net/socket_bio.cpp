#include "nodes/gate/net/socket_bio.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstdint>

namespace starbus::nodes::gate::net {
namespace {

int descriptor_of(BIO* bio) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
}

bool is_only_later(int error) {
  return error == EAGAIN || error == EINTR;
}

int write_bio(BIO* bio, const char* data, int size) {
  BIO_clear_retry_flags(bio);
  const auto count = ::send(descriptor_of(bio), data, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (count < 0 && is_only_later(errno)) BIO_set_retry_write(bio);
  return static_cast<int>(count);
}

int read_bio(BIO* bio, char* data, int size) {
  BIO_clear_retry_flags(bio);
  const auto count = ::recv(descriptor_of(bio), data, static_cast<std::size_t>(size), 0);
  if (count < 0 && is_only_later(errno)) BIO_set_retry_read(bio);
  if (count == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  return static_cast<int>(count);
}

long control_bio(BIO* bio, int command, long /*number*/, void* /*pointer*/) {
  if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO_METHOD* make_method() {
  BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "gate socket");
  if (method == nullptr) return nullptr;
  BIO_meth_set_write(method, write_bio);
  BIO_meth_set_read(method, read_bio);
  BIO_meth_set_ctrl(method, control_bio);
  return method;
}

}  // namespace

BIO* socket_bio(int descriptor) {
  static BIO_METHOD* const kMethod = make_method();  // for the life of the process
  if (kMethod == nullptr) return nullptr;
  BIO* bio = BIO_new(kMethod);
  if (bio == nullptr) return nullptr;
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)));
  BIO_set_init(bio, 1);
  return bio;
}

}  // namespace starbus::nodes::gate::net
