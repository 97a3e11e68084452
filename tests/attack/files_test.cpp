/// The attacker: another user of the host, even one in the group of the daemons, as every node may
/// be. It wants the files: to read mail and keys, and to hold the locks that a daemon needs.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "bus/io/key_file.hpp"
#include "bus/io/link.hpp"
#include "daemon/state_directory.hpp"
#include "storage/store.hpp"
#include "tests/attack/attacker.hpp"
#include "tests/daemon/support.hpp"

namespace starbus::attack {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kOther = 2'001;

class OthersFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can try what other users of the host try";
    ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
    former_ = ::umask(0);  // as careless as can be
  }
  void TearDown() override { ::umask(former_); }

  /// All files and folders below it.
  static std::vector<std::string> all_below(const fs::path& folder) {
    std::vector<std::string> all = {folder.string()};
    for (const auto& entry : fs::recursive_directory_iterator(folder)) all.push_back(entry.path());
    return all;
  }
  /// Those that a member of the group of the daemon may open, and so read or lock.
  static std::vector<std::string> open_to_group(const std::vector<std::string>& paths) {
    std::vector<std::string> open;
    as_user(kOther, ::getegid(), [&] {
      for (const std::string& path : paths) {
        const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (fd < 0) continue;
        open.push_back(path);
        ::close(fd);
      }
    });
    return open;
  }

  daemon::test::TempFolder folder_;

 private:
  mode_t former_ = 0;
};

/// It would wait in flock(2) for the daemon to end, and never let go.
TEST_F(OthersFiles, StateAndItsLockAreOutOfReach) {
  auto state = daemon::StateDirectory::open(folder_.path() / "state");
  ASSERT_TRUE(state);
  ASSERT_TRUE(state->write("term", "7"));
  const auto paths = all_below(folder_.path() / "state");
  ASSERT_GE(paths.size(), 3U);
  EXPECT_EQ(open_to_group(paths), std::vector<std::string>{});
}

/// A state folder that an earlier version left open to its group.
TEST_F(OthersFiles, StateOfAnEarlierVersionIsClosedToThem) {
  const fs::path path = folder_.path() / "state";
  ASSERT_TRUE(fs::create_directory(path));
  ASSERT_EQ(::chmod(path.c_str(), 0755), 0);
  std::ofstream(path / "term") << "7";
  daemon::test::LogCapture log;
  ASSERT_TRUE(daemon::StateDirectory::open(path));
  EXPECT_EQ(open_to_group(all_below(path)), std::vector<std::string>{});
}

/// `[mail] directory` may lie in a folder that everybody may enter.
TEST_F(OthersFiles, MailIsOutOfReachWhereverItsFolderLies) {
  const fs::path path = folder_.path() / "mail";
  auto store = storage::open_store({.folder = path, .headroom = 1});
  ASSERT_TRUE(store);
  storage::Batch batch;
  batch.put("key", "the body of a message");
  ASSERT_TRUE((*store)->commit(std::move(batch), [](const storage::Result<>&) {}));
  (*store)->close();
  const auto paths = all_below(path);
  ASSERT_GE(paths.size(), 3U);
  EXPECT_EQ(open_to_group(paths), std::vector<std::string>{});
}

/// busd's socket has mode 0660 unless it is configured otherwise.
TEST_F(OthersFiles, AUserOutsideTheGroupOfTheSocketCannotConnect) {
  boost::asio::io_context loop;
  const std::string path = (folder_.path() / "busd.sock").string();
  const auto listener = bus::io::listen(loop, "unix://" + path, {}, [](const auto&) {});
  ASSERT_TRUE(listener);
  int error = 0;
  as_user(kOther, kOther, [&] {
    const bus::io::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    error = ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0
                ? 0
                : errno;
  });
  EXPECT_EQ(error, EACCES);
}

/// It puts a key of its own in the place of the daemon's: it would know all that is encrypted.
TEST_F(OthersFiles, ASecretKeyOfAnotherUserIsNotUsed) {
  constexpr std::uint32_t kDaemon = 2'002;
  const bus::io::CurveKeys keys = *bus::io::generate_curve_keys();
  const std::string path = (folder_.path() / "host.key").string();
  ASSERT_TRUE(bus::io::write_secret_key_file(path, keys.secret_key));
  EXPECT_EQ(open_to_group({path}), std::vector<std::string>{});
  const auto used = [&] {
    bool read = false;
    as_user(kDaemon, kDaemon, [&] { read = bool(bus::io::read_secret_key_file(path)); });
    return read;
  };
  for (const mode_t mode : {0600U, 0604U, 0640U, 0666U}) {
    ASSERT_EQ(::chown(path.c_str(), kOther, kDaemon), 0);
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    EXPECT_FALSE(used()) << std::oct << mode;
  }
  ASSERT_EQ(::chown(path.c_str(), kDaemon, kDaemon), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  EXPECT_TRUE(used());
}

}  // namespace
}  // namespace starbus::attack
