/// A file that several processes map at once: what one of them has written stays when it is killed,
/// so the dead can be asked what they did. Zero at first. Throws std::runtime_error.
#pragma once

#include <cstddef>
#include <filesystem>

namespace starbus::cluster_test {

class SharedFile {
 public:
  static SharedFile create(const std::filesystem::path& path, std::size_t size);
  static SharedFile open(const std::filesystem::path& path);
  ~SharedFile();
  SharedFile(SharedFile&& other) noexcept;
  SharedFile& operator=(SharedFile&&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  SharedFile(int fd, std::size_t size);

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace starbus::cluster_test
