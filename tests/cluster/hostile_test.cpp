// Bytes that are not the protocol: that connection ends, the log says why, and nobody else notices.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "bus/core/wire/bundle.hpp"
#include "bus/core/wire/record_admin.hpp"
#include "bus/core/wire/record_moves.hpp"
#include "bus/core/wire/version.hpp"
#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

using bus::Bytes;

/// A plain socket that says what it likes.
class Intruder {
 public:
  static Intruder to_unix(const std::filesystem::path& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    return Intruder(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  static Intruder to_port(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return Intruder(AF_INET, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  Intruder(Intruder&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~Intruder() {
    if (fd_ >= 0) ::close(fd_);
  }

  void say(bus::ByteView bytes) const {
    EXPECT_EQ(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  void hang_up() const { ::shutdown(fd_, SHUT_WR); }
  /// Whether the other side has ended the connection.
  bool ended() const {
    char part[4096];
    ssize_t size = 0;
    while ((size = ::recv(fd_, part, sizeof part, MSG_DONTWAIT)) > 0) {
    }
    return size == 0 || (errno != EAGAIN && errno != EINTR);
  }

 private:
  Intruder(int family, const sockaddr* address, socklen_t size)
      : fd_(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    EXPECT_EQ(::connect(fd_, address, size), 0) << std::strerror(errno);
  }
  int fd_;
};

using Connect = std::function<Intruder()>;

Bytes garbage(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  bytes[0] = std::byte{'G'};  // for certain not the protocol's first byte
  return bytes;
}

Bytes bundle_of(const Bytes& records) {
  Bytes bundle(bus::kBundleHeaderSize);
  bundle.insert(bundle.end(), records.begin(), records.end());
  bus::seal_bundle(bundle, 4711, 1, 0);
  return bundle;
}

Bytes hello_named(const std::string& name, bus::PartyKind party) {
  bus::Hello hello;
  hello.minor = bus::kVersionMinor;
  hello.party = party;
  hello.name = name;
  hello.role = "node";
  hello.incarnation = 1;
  Bytes records;
  bus::encode(hello, records);
  return records;
}

/// What a hostile peer may say, by name.
std::vector<std::pair<std::string, Bytes>> attacks(bus::PartyKind party) {
  Bytes truncated = hello_named("honest", party);
  truncated.resize(truncated.size() - 9);
  const auto rest = static_cast<std::uint32_t>(truncated.size() - sizeof(std::uint32_t));
  std::memcpy(truncated.data(), &rest, sizeof rest);  // a whole record, of half a hello
  Bytes oversized = bundle_of({});
  const std::uint32_t length = 0xffff'ff00;
  std::memcpy(oversized.data() + 4, &length, sizeof length);
  const Bytes noise = garbage(255, 3);
  const std::string name(reinterpret_cast<const char*>(noise.data()), noise.size());
  return {{"garbage", garbage(5000, 1)},
          {"nonsense records", bundle_of(garbage(3000, 2))},
          {"truncated hello", bundle_of(truncated)},
          {"garbage name", bundle_of(hello_named(name, party))},
          {"oversized length", oversized}};
}

const std::vector<std::string> silently = {};

class HostileTest : public ClusterTest {
 protected:
  /// Calls across the star, one after the other, until told to stop.
  Task honest_traffic() {
    Bus callee(loop, cluster->node("b", "callee"));
    Bus caller(loop, cluster->node("a", "caller"));
    CO_OK(co_await callee.connect(use_awaitable));
    CO_OK(co_await caller.connect(use_awaitable));
    const auto echo = [](bus::Call& call) { (void)call.reply(call.body()); };
    const bus::Handlers handlers{.on_call = echo};
    CO_OK(co_await callee.bind("entity/1", handlers, use_awaitable));
    while (!enough) {
      CO_OK(co_await caller.call("entity/1", "hello", {}, use_awaitable));
      ++calls;
    }
    EXPECT_EQ(caller.counters().connects, 1U);
    EXPECT_EQ(callee.counters().connects, 1U);
    honest_ended = true;
  }

  /// The connection ends, one more line of the log holds one of `reasons`, and calls go on.
  Task attack(const Daemon& daemon, Connect connect, Bytes bytes,
              std::vector<std::string> reasons) {
    const auto reported = [&] {
      std::size_t lines = 0;
      for (const std::string& reason : reasons) lines += daemon.log_lines_with(reason);
      return lines;
    };
    const std::size_t before = reported();
    const std::uint64_t calls_before = calls;
    const Intruder intruder = connect();
    intruder.say(bytes);
    EXPECT_TRUE(co_await until(5s, [&] { return intruder.ended(); })) << "it was not ended";
    if (!reasons.empty()) {
      EXPECT_TRUE(co_await until(3s, [&] { return reported() > before; })) << "not in the log";
    }
    EXPECT_TRUE(co_await until(5s, [&] { return calls > calls_before + 5; })) << "traffic stopped";
  }

  /// Peers that the daemon has counted as hostile or turned away. Its log says each reason too, but
  /// no more than a few lines alike in ten seconds.
  static std::uint64_t turned_away(const Daemon& daemon) {
    const auto counters = daemon.json("/status").at("counters");
    return counters.at("hostile_bytes").get<std::uint64_t>() +
           counters.at("sessions_refused").get<std::uint64_t>() +
           counters.at("sessions_ended").get<std::uint64_t>();
  }

  Task attack_all(const Daemon& daemon, bus::PartyKind party, Connect connect) {
    spawn([this] { return honest_traffic(); });
    CO_TRUE(co_await until(10s, [&] { return calls > 0; }));
    for (const auto& [name, bytes] : attacks(party)) {
      SCOPED_TRACE(name);
      const std::uint64_t before = turned_away(daemon);
      co_await attack(daemon, connect, bytes, {});
      EXPECT_TRUE(co_await until(3s, [&] { return turned_away(daemon) > before; }))
          << "not counted";
    }
    EXPECT_GT(daemon.log_lines_with("bad_bytes"), 0U);
    enough = true;
    EXPECT_TRUE(co_await until(5s, [&] { return honest_ended; }));
    EXPECT_TRUE(daemon.serves());
  }

  std::unique_ptr<Cluster> cluster;
  std::uint64_t calls = 0;
  bool enough = false;
  bool honest_ended = false;
};

TEST_F(HostileTest, OnTheSocketOfBusd) {
  cluster = std::make_unique<Cluster>();
  run([this] {
    return attack_all(cluster->busd("a"), bus::PartyKind::process,
                      [this] { return Intruder::to_unix(cluster->socket("a")); });
  });
}

TEST_F(HostileTest, OnTheStreamSocketOfBusroot) {
  cluster = std::make_unique<Cluster>();
  run([this] {
    return attack_all(cluster->root(), bus::PartyKind::busd,
                      [this] { return Intruder::to_port(cluster->root_port()); });
  });
}

TEST_F(HostileTest, OnAZeroMqListener) {
  cluster = std::make_unique<Cluster>(ClusterOptions{.curve = true});
  run([this]() -> Task {
    spawn([this] { return honest_traffic(); });
    CO_TRUE(co_await until(10s, [&] { return calls > 0; }));
    const Connect connect = [this] { return Intruder::to_port(cluster->root_port()); };
    Bytes zmtp(64);  // a greeting of ZMTP 3 with a mechanism that does not exist
    zmtp[0] = std::byte{0xff};
    zmtp[9] = std::byte{0x7f};
    zmtp[10] = std::byte{3};
    std::memcpy(zmtp.data() + 12, "NONSENSE", 8);
    const std::vector<std::string> reasons = {"unauthorized"};
    co_await attack(cluster->root(), connect, zmtp, reasons);
    // Of what is no ZMTP at all ZeroMQ says nothing but that the connection ended.
    for (const auto& bytes : {garbage(5000, 1), bundle_of(garbage(3000, 2))}) {
      co_await attack(cluster->root(), connect, bytes, silently);
    }
    enough = true;
    EXPECT_TRUE(co_await until(5s, [&] { return honest_ended; }));
    EXPECT_TRUE(cluster->root().serves());
  });
}

TEST_F(HostileTest, OnTheAdminPorts) {
  cluster = std::make_unique<Cluster>();
  run([this]() -> Task {
    spawn([this] { return honest_traffic(); });
    CO_TRUE(co_await until(10s, [&] { return calls > 0; }));
    const std::string endless = "GET /" + std::string(200'000, 'x');
    const auto view = bus::as_bytes(endless);
    for (const std::string name : {"root", "a"}) {
      SCOPED_TRACE(name);
      const std::string admin = cluster->daemon(name).port();
      const int port = std::stoi(admin.substr(admin.rfind(':') + 1));
      const Connect connect = [port] { return Intruder::to_port(port); };
      const Bytes header(view.begin(), view.end());
      for (const auto& bytes : {garbage(5000, 1), bundle_of(garbage(3000, 2)), header}) {
        co_await attack(cluster->daemon(name), connect, bytes, silently);
      }
      EXPECT_TRUE(cluster->daemon(name).serves());
    }
    enough = true;
    EXPECT_TRUE(co_await until(5s, [&] { return honest_ended; }));
  });
}

}  // namespace
}  // namespace starbus::cluster_test
