#include "tests/attack/attacker.hpp"

#include <grp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <atomic>
#include <boost/asio/post.hpp>
#include <cstring>
#include <thread>
#include <utility>

#include "bus/core/wire/bundle.hpp"
#include "bus/core/wire/name.hpp"
#include "bus/core/wire/version.hpp"
#include "bus/io/clock.hpp"
#include "bus/io/stream_link.hpp"
#include "tests/bus/core/wire/wire_records.hpp"

namespace starbus::attack {
namespace {

using bus::Bytes;
using bus::ByteView;
using namespace std::chrono_literals;

constexpr std::size_t kRowsAtOnce = 500;
constexpr std::size_t kHeardAtMost = 100'000;

std::uint64_t next_session() {
  static std::atomic<std::uint64_t> last{0xbad0'0000};
  return ++last;
}

bus::io::Fd connect_to(const std::string& endpoint) {
  const auto parsed = bus::io::parse_endpoint(endpoint);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, parsed->path.c_str(), sizeof address.sun_path - 1);
  bus::io::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0)
      << endpoint << ": " << std::strerror(errno);
  return fd;
}

}  // namespace

void as_user(std::uint32_t uid, std::uint32_t gid, const std::function<void()>& function) {
  std::thread([&] {
    // The bare system calls: those of the C library change all threads.
    ASSERT_EQ(::syscall(SYS_setgroups, 0, nullptr), 0);
    ASSERT_EQ(::syscall(SYS_setresgid, gid, gid, gid), 0);
    ASSERT_EQ(::syscall(SYS_setresuid, uid, uid, uid), 0);
    function();
  }).join();
}

Attacker::Attacker(boost::asio::io_context& loop, const std::string& endpoint, std::uint32_t uid)
    : loop_(loop), timer_(loop), session_(next_session()) {
  bus::io::Fd fd;
  if (uid == ::geteuid()) {
    fd = connect_to(endpoint);
  } else {
    as_user(uid, uid, [&] { fd = connect_to(endpoint); });
  }
  link_ = std::make_shared<bus::io::StreamLink>(loop, std::move(fd));
  link_->start(*this);
  beat();
}

Attacker::Attacker(boost::asio::io_context& loop, std::shared_ptr<bus::io::Link> link)
    : loop_(loop), link_(std::move(link)), timer_(loop), session_(next_session()) {
  link_->start(*this);
  beat();
}

Attacker::~Attacker() {
  link_->close();
}

void Attacker::enter_as_node(const std::string& host, const std::string& node,
                             const std::vector<bus::Row>& rows, std::uint64_t incarnation) {
  self_ = {bus::host_id(host), bus::slot_id(node), incarnation};
  bus::Hello hello;
  hello.minor = bus::kVersionMinor;
  hello.name = node;
  hello.role = "node";
  hello.incarnation = incarnation;
  enter(hello, rows);
  bind("process/" + host + "." + node);
}

void Attacker::enter(const bus::Hello& hello, const std::vector<bus::Row>& rows) {
  say(hello);
  say_table(self_, rows);
  say(bus::TableEnd{});
}

void Attacker::bind(const std::string& name) {
  say(bus::Bind{self_, ++attempts_, name});
}

bus::Lineage Attacker::granted(const std::string& name) const {
  const auto found = granted_.find(name);
  return found == granted_.end() ? bus::Lineage{} : found->second;
}

void Attacker::enter_as_host(const std::string& host, const std::vector<bus::Row>& rows) {
  self_ = {bus::host_id(host), bus::slot_id("n"), 1};
  bus::Hello hello;
  hello.minor = bus::kVersionMinor;
  hello.party = bus::PartyKind::busd;
  hello.name = host;
  hello.incarnation = 1;
  say(hello);
  say(bus::ProcessUp{self_, "n", "node", 1});
  say_table(self_, rows);
  say(bus::TableEnd{});
}

void Attacker::say_table(const bus::Process& process, const std::vector<bus::Row>& rows) {
  for (std::size_t at = 0; at < rows.size(); at += kRowsAtOnce) {
    bus::Table table{process, {}};
    for (std::size_t i = at; i < std::min(rows.size(), at + kRowsAtOnce); ++i) {
      table.rows.push_back(rows[i]);
    }
    say(table);
  }
}

void Attacker::say_record(ByteView record) {
  if (unsent_.size() + record.size() > bus::kBundleTarget) flush();
  unsent_.insert(unsent_.end(), record.begin(), record.end());
  if (std::exchange(flush_posted_, true)) return;
  boost::asio::post(loop_, [this, alive = std::weak_ptr<int>(alive_)] {
    if (!alive.expired()) flush();
  });
}

void Attacker::say_message(const std::string& channel, ByteView body, std::uint64_t seq,
                           bus::Lineage lineage, bool system) {
  Bytes items;
  bus::Writer writer(items);
  writer.put(static_cast<std::uint32_t>(body.size()) | (system ? bus::kSystem : 0U));
  writer.put(0U);
  writer.bytes(body);
  bus::Run run;
  run.lane = bus::Lane::call;
  run.count = 1;
  run.origin = self_;
  run.channel = bus::channel_id(channel);
  run.lineage = lineage;
  run.prev = seq - 1;
  run.seq = seq;
  run.items = items;
  Bytes record;
  encode_run(run, record);
  say_record(record);
}

void Attacker::flush() {
  flush_posted_ = false;
  if (unsent_.empty() || closed_) return;
  Bytes bundle(bus::kBundleHeaderSize);
  bundle.insert(bundle.end(), unsent_.begin(), unsent_.end());
  unsent_.clear();
  bus::seal_bundle(bundle, session_, ++bundles_, consumed_);
  link_->send(std::move(bundle));
}

void Attacker::beat() {
  timer_.expires_after(500ms);
  timer_.async_wait([this, alive = std::weak_ptr<int>(alive_)](const auto& error) {
    if (error || alive.expired()) return;
    if (bundles_ != 0) {
      say(bus::Heartbeat{static_cast<std::uint64_t>(bus::io::boot_now().count())});
    }
    beat();
  });
}

void Attacker::on_bundle(bus::io::Link&, ByteView bundle) {
  if (deaf_) return;
  consumed_ += bundle.size();
  for (bus::WireRecord& record : bus::cut_records(bundle.subspan(bus::kBundleHeaderSize))) {
    if (record.kind == bus::Kind::welcome) welcome_ = *bus::decode<bus::Welcome>(record.payload);
    if (record.kind == bus::Kind::reset) reset_ = *bus::decode<bus::Reset>(record.payload);
    if (record.kind == bus::Kind::attached) {
      const auto attached = *bus::decode<bus::Attached>(record.payload);
      granted_[attached.name] = attached.lineage;
      say(bus::Active{self_, bus::channel_id(attached.name), attached.epoch});
    }
    if (record.kind == bus::Kind::heartbeat || heard_.size() == kHeardAtMost) continue;
    heard_.emplace_back(record.kind, std::move(record.payload));
  }
}

std::vector<std::string> Attacker::messages() const {
  std::vector<std::string> bodies;
  for (const auto& [kind, payload] : heard_) {
    if (kind != bus::Kind::data) continue;
    const auto run = bus::decode_run(payload);
    if (!run) continue;
    bus::RunReader reader(*run);
    while (const auto item = reader.next()) bodies.emplace_back(bus::as_text(item->body));
  }
  return bodies;
}

bus::Row row(const std::string& name, bus::Epoch epoch, bus::RowState state, bus::Ticket ticket) {
  return {name, epoch, epoch, state, ticket};
}

}  // namespace starbus::attack
