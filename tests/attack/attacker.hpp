/// The hands of an attacker: a peer of busd or busroot that speaks the protocol without the
/// library, and says what no library would.
///
/// It keeps no window, reads only what it wants to, and connects as any user if the test runs as
/// root. Belongs to the thread of its loop, which outlives it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/core/wire/data.hpp"
#include "bus/core/wire/record.hpp"
#include "bus/core/wire/record_names.hpp"
#include "bus/core/wire/record_session.hpp"
#include "bus/io/link.hpp"
#include "bus/io/socket.hpp"

namespace starbus::attack {

/// Runs on a thread that is this user in this group and no other one; the rest of the process stays
/// what it is. Only root can become another user.
void as_user(std::uint32_t uid, std::uint32_t gid, const std::function<void()>& function);

class Attacker final : bus::io::LinkHandler {
 public:
  /// Connects at once to a "unix://" endpoint, as a user that may open it. No hello is said.
  Attacker(boost::asio::io_context& loop, const std::string& endpoint,
           std::uint32_t uid = ::geteuid());
  /// On a link that is open: as a host, with a key that is accepted.
  Attacker(boost::asio::io_context& loop, std::shared_ptr<bus::io::Link> link);
  ~Attacker();

  /// A node of `host`, with the rows that it claims. Binds its process/HOST.NODE, as a library
  /// does.
  void enter_as_node(const std::string& host, const std::string& node,
                     const std::vector<bus::Row>& rows = {}, std::uint64_t incarnation = 1);
  /// A busd with one process, "HOST.n", and the rows that this process claims.
  void enter_as_host(const std::string& host, const std::vector<bus::Row>& rows = {});
  /// The same with a hello of its own.
  void enter(const bus::Hello& hello, const std::vector<bus::Row>& rows = {});
  /// Asks for a name, and takes it when it is granted.
  void bind(const std::string& name);
  /// The lineage of a name that was granted to it; 0: none was.
  bus::Lineage granted(const std::string& name) const;
  /// That node, or that process.
  const bus::Process& self() const { return self_; }

  template <class Record>
  void say(const Record& record) {
    bus::Bytes bytes;
    encode(record, bytes);
    say_record(bytes);
  }
  /// A whole record, header included, well-formed or not.
  void say_record(bus::ByteView record);
  /// One message to a channel; with `system` for the library of its owner.
  void say_message(const std::string& channel, bus::ByteView body, std::uint64_t seq = 1,
                   bus::Lineage lineage = {}, bool system = false);
  /// A record that goes from end to end, to the library of the owner of this lineage.
  template <class Record>
  void say_to_library(const std::string& channel, const Record& record, std::uint64_t seq,
                      bus::Lineage lineage) {
    bus::Bytes bytes;
    encode(record, bytes);
    say_message(channel, bytes, seq, lineage, true);
  }
  /// From now on it speaks, its heartbeats too, and takes nothing.
  void deafen() { deaf_ = true; }

  bool welcome() const { return welcome_.has_value(); }
  /// Whether busd calls it a server.
  bool trusted() const { return welcome_ && welcome_->trust == bus::Trust::server; }
  bool closed() const { return closed_; }
  /// The reason that it was ended with; ok while it is not.
  bus::Errc reset() const { return reset_ ? reset_->reason : bus::Errc::ok; }
  /// All records of this kind that came, decoded.
  template <class Record>
  std::vector<Record> heard() const {
    std::vector<Record> all;
    for (const auto& [kind, payload] : heard_) {
      if (kind != Record::kKind) continue;
      if (auto record = bus::decode<Record>(payload)) all.push_back(std::move(*record));
    }
    return all;
  }
  /// Bodies of messages that came.
  std::vector<std::string> messages() const;

 private:
  void on_bundle(bus::io::Link& link, bus::ByteView bundle) override;
  void on_batch_end(bus::io::Link&) override {}
  void on_closed(bus::io::Link&, const bus::Error&) override { closed_ = true; }
  void say_table(const bus::Process& process, const std::vector<bus::Row>& rows);
  void flush();
  void beat();

  boost::asio::io_context& loop_;
  std::shared_ptr<bus::io::Link> link_;
  boost::asio::steady_timer timer_;
  const std::uint64_t session_;
  std::uint64_t bundles_ = 0;
  std::uint64_t consumed_ = 0;
  bus::Bytes unsent_;
  bool flush_posted_ = false;
  bool deaf_ = false;
  bool closed_ = false;
  bus::Process self_;
  std::uint64_t attempts_ = 0;  // to bind
  std::map<std::string, bus::Lineage> granted_;
  std::optional<bus::Welcome> welcome_;
  std::optional<bus::Reset> reset_;
  std::vector<std::pair<bus::Kind, bus::Bytes>> heard_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

/// A row of a table; the epoch is the attacker's word.
bus::Row row(const std::string& name, bus::Epoch epoch, bus::RowState state = bus::RowState::active,
             bus::Ticket ticket = {});
/// The highest number that a term has.
inline constexpr std::uint64_t kHighest = (std::uint64_t{1} << 40) - 1;

}  // namespace starbus::attack
