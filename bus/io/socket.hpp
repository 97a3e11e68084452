/// The operating system's side of links: owned descriptors, listening sockets, facts about the
/// peer.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "base/file_descriptor.hpp"
#include "bus/core/error.hpp"
#include "bus/io/endpoint.hpp"
#include "bus/io/link.hpp"

namespace starbus::bus::io {

using Fd = FileDescriptor;

/// Owns the file of a bound unix socket: removes it at destruction, but only while the path still
/// means that very file, so that a successor's socket survives its predecessor. Belongs to one
/// thread.
class SocketFile {
 public:
  SocketFile() = default;
  /// Takes over the file that exists at `path` now.
  explicit SocketFile(std::string path);
  SocketFile(SocketFile&& other) noexcept;
  SocketFile& operator=(SocketFile&& other) noexcept;
  ~SocketFile();
  void remove();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

/// A socket that listens, and its file where it has one.
struct ListenSocket {
  Fd fd;
  SocketFile file;
  Endpoint endpoint;  // with the real port
};

/// Mode and group of a socket file; group empty: leave.
struct FileAccess {
  unsigned mode = 0660;
  std::string group;
};

/// Non-blocking, close-on-exec, listening. A socket file without a listener is replaced; one that
/// answers is io_error, as is everything else that the operating system refuses.
Result<ListenSocket> listen_socket(const Endpoint& endpoint, const FileAccess& access);

/// The peer of a connected socket, as the kernel reports it.
Peer peer_of(int fd);

/// As Link::open_process, of a connected unix socket.
Result<int> open_peer_process(int fd);

/// Options for a connected stream socket: no delay, keep-alive, buffers.
void tune(int fd);

/// "connect: Connection refused".
Error os_error(const std::string& what, int error);

}  // namespace starbus::bus::io
