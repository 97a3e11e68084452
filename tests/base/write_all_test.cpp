// Descriptors that close themselves, and texts that are written whole.
#include "base/write_all.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <thread>
#include <utility>

#include "base/file_descriptor.hpp"

namespace starbus {
namespace {

bool is_open(int descriptor) {
  return ::fcntl(descriptor, F_GETFD) >= 0;
}

TEST(FileDescriptor, ClosesOnce) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  {
    FileDescriptor read(pipe[0]);
    const FileDescriptor moved(std::move(read));
    EXPECT_EQ(moved.get(), pipe[0]);
    EXPECT_TRUE(is_open(pipe[0]));
  }
  EXPECT_FALSE(is_open(pipe[0]));
  {
    FileDescriptor write(pipe[1]);
    EXPECT_EQ(write.release(), pipe[1]);
    EXPECT_FALSE(write);
  }
  EXPECT_TRUE(is_open(pipe[1])) << "it was given away";
  ::close(pipe[1]);
}

TEST(WriteAll, WritesWhatDoesNotFitAtOnce) {
  std::array<int, 2> pair{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
  const FileDescriptor reader(pair[0]);
  FileDescriptor writer(pair[1]);
  const std::string sent(4'000'000, 'x');
  std::string received;
  std::thread thread([&] {
    std::array<char, 65'536> part{};
    for (ssize_t size = 0; (size = ::read(reader.get(), part.data(), part.size())) > 0;) {
      received.append(part.data(), static_cast<std::size_t>(size));
    }
  });
  EXPECT_FALSE(write_all(writer.get(), sent));
  writer = FileDescriptor();
  thread.join();
  EXPECT_TRUE(received == sent) << received.size();
}

TEST(WriteAll, TellsWhyItCannot) {
  const FileDescriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(full);
  EXPECT_EQ(write_all(full.get(), "x"), std::errc::no_space_on_device);
  EXPECT_FALSE(write_all(full.get(), "")) << "nothing fits";
  EXPECT_EQ(write_all(-1, "x"), std::errc::bad_file_descriptor);
}

}  // namespace
}  // namespace starbus
