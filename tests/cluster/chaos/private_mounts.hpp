/// A small disk for a folder, mounted where only this process and its children see it, so that
/// nothing is left behind however the test ends.
#pragma once

#include <filesystem>
#include <string>

namespace starbus::cluster_test {

/// Gives this process mounts of its own. Empty, or why the system does not permit it.
std::string enter_private_mounts();

class SmallDisk {
 public:
  /// What the folder holds moves there. `files`: so many at most; 0: any number. Throws
  /// std::runtime_error.
  SmallDisk(std::filesystem::path folder, std::size_t bytes, std::size_t files = 0);
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  /// Not one byte more goes in, until there is room again.
  void fill() const;
  /// So many bytes still go in.
  void fill_but(std::size_t bytes) const;
  /// Not one file more can be made, although there is room in those that are there.
  void use_all_files() const;
  void make_room() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace starbus::cluster_test
