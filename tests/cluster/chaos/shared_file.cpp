#include "tests/cluster/chaos/shared_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

namespace starbus::cluster_test {

SharedFile SharedFile::create(const std::filesystem::path& path, std::size_t size) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || ::ftruncate(fd, static_cast<off_t>(size)) != 0) {
    throw std::runtime_error("cannot make " + path.string());
  }
  return {fd, size};
}

SharedFile SharedFile::open(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct stat facts {};
  if (fd < 0 || ::fstat(fd, &facts) != 0) {
    throw std::runtime_error("cannot open " + path.string());
  }
  return {fd, static_cast<std::size_t>(facts.st_size)};
}

SharedFile::SharedFile(int fd, std::size_t size) : size_(size) {
  void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  if (memory == MAP_FAILED) throw std::runtime_error("cannot map a shared file");
  data_ = static_cast<std::byte*>(memory);
}

SharedFile::SharedFile(SharedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}

SharedFile::~SharedFile() {
  if (data_) ::munmap(data_, size_);
}

}  // namespace starbus::cluster_test
