#include "tests/cluster/chaos/private_mounts.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace starbus::cluster_test {
namespace {

constexpr const char* kFiller = "filler";
constexpr const char* kFillers = "fillers";

/// Without privileges, mounts of one's own need users of one's own: this user is root there.
bool enter_private_users() {
  const std::string user = std::to_string(::getuid());
  const std::string group = std::to_string(::getgid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
  std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
  return ::geteuid() == 0;
}

}  // namespace

std::string enter_private_mounts() {
  if (::unshare(CLONE_NEWNS) != 0 && !enter_private_users()) {
    return std::string("no mounts of its own: ") + std::strerror(errno);
  }
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return std::string("mounts cannot be made private: ") + std::strerror(errno);
  }
  return {};
}

SmallDisk::SmallDisk(std::filesystem::path folder, std::size_t bytes, std::size_t files)
    : folder_(std::move(folder)) {
  const std::filesystem::path aside = folder_.string() + ".aside";
  // A socket cannot be copied; its daemon makes it again when it starts.
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    if (entry.is_socket()) std::filesystem::remove(entry.path());
  }
  std::filesystem::copy(folder_, aside, std::filesystem::copy_options::recursive);
  std::string options = "mode=0750,size=" + std::to_string(bytes);
  if (files != 0) options += ",nr_inodes=" + std::to_string(files);
  if (::mount("tmpfs", folder_.c_str(), "tmpfs", 0, options.c_str()) != 0) {
    throw std::runtime_error("no tmpfs on " + folder_.string() + ": " + std::strerror(errno));
  }
  std::filesystem::copy(aside, folder_, std::filesystem::copy_options::recursive);
  std::filesystem::remove_all(aside);
}

SmallDisk::~SmallDisk() {
  ::umount2(folder_.c_str(), MNT_DETACH);
}

void SmallDisk::fill() const {
  const int file = ::open((folder_ / kFiller).c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  const std::string part(1024, 'x');
  while (::write(file, part.data(), part.size()) > 0) {
  }
  ::close(file);
}

void SmallDisk::fill_but(std::size_t bytes) const {
  const std::uintmax_t free = std::filesystem::space(folder_).available;
  if (free < bytes) throw std::runtime_error("less is free than is to be left");
  const int file = ::open((folder_ / kFiller).c_str(), O_WRONLY | O_CREAT, 0600);
  const int error = ::posix_fallocate(file, 0, static_cast<off_t>(free - bytes));
  ::close(file);
  if (error != 0) throw std::runtime_error(std::string("not filled: ") + std::strerror(error));
}

void SmallDisk::use_all_files() const {
  std::filesystem::create_directory(folder_ / kFillers);
  for (int i = 0;; ++i) {
    const auto path = folder_ / kFillers / std::to_string(i);
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
    if (file < 0) return;
    ::close(file);
  }
}

void SmallDisk::make_room() const {
  std::filesystem::remove(folder_ / kFiller);
  std::filesystem::remove_all(folder_ / kFillers);
}

}  // namespace starbus::cluster_test
