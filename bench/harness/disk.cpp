#include "bench/harness/disk.hpp"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

#include "bench/harness/clock.hpp"

namespace starbus::bench {
namespace {

Failure failure(const std::string& what) {
  return fail(what + ": " + std::strerror(errno));
}

// A line: ID PARENT MAJOR:MINOR ROOT MOUNTPOINT OPTIONS [FIELD...] - TYPE SOURCE OPTIONS
std::string type_of(dev_t device) {
  const std::string wanted = std::to_string(major(device)) + ":" + std::to_string(minor(device));
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string id;
    std::string parent;
    std::string numbers;
    words >> id >> parent >> numbers;
    const auto end = line.find(" - ");
    if (numbers != wanted || end == std::string::npos) continue;
    return line.substr(end + 3, line.find(' ', end + 3) - end - 3);
  }
  return "unknown";
}

}  // namespace

Result<std::string> file_system_of(const std::string& folder) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return failure(folder);
  std::string type = type_of(status.st_dev);
  if (type == "tmpfs" || type == "ramfs" || type == "devtmpfs") {
    return fail(folder + " is in memory (" + type +
                "), where an fsync is nothing: give --folder on a disk");
  }
  return type;
}

Result<Histogram> measure_fsync(const std::string& folder, std::size_t bytes, int times) {
  const std::string path = folder + "/fsync";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return failure(path);
  std::string block(bytes, '\0');
  std::minstd_rand random(1);
  for (char& c : block) c = static_cast<char>(random());
  Histogram histogram;
  bool good = true;
  for (int i = 0; i < times && good; ++i) {
    const std::int64_t begin = now_ns();
    good =
        ::write(file, block.data(), bytes) == static_cast<ssize_t>(bytes) && ::fdatasync(file) == 0;
    histogram.record(now_ns() - begin);
  }
  const Failure reason = failure(path);
  ::close(file);
  ::unlink(path.c_str());
  if (!good) return reason;
  return histogram;
}

Result<void> make_synchronous(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return failure(folder);
  int flags = 0;
  const bool good = ::ioctl(file, FS_IOC_GETFLAGS, &flags) == 0 &&
                    (flags |= FS_SYNC_FL, ::ioctl(file, FS_IOC_SETFLAGS, &flags) == 0);
  const Failure reason = failure("synchronous writes in " + folder);
  ::close(file);
  if (!good) return reason;
  return {};
}

}  // namespace starbus::bench
