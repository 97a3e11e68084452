/// One session with a busd over a plain unix socket, of a program that says what it likes: no
/// windows, no manners, and it reads only if it wants to. Never waits. Used by one thread; owns the
/// socket. What fails ends the session; the owner opens it again if it cares.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bus/core/bytes.hpp"
#include "bus/core/wire/record.hpp"

namespace starbus::cluster_test {

class RawSession {
 public:
  RawSession(std::string path, std::string node) : path_(std::move(path)), node_(std::move(node)) {}
  ~RawSession() { close(); }
  RawSession(const RawSession&) = delete;
  RawSession& operator=(const RawSession&) = delete;

  /// Connects and says hello, with a complete table of no rows. Each time another incarnation.
  void open();
  void close();
  bool is_open() const { return fd_ >= 0; }
  const std::string& node() const { return node_; }
  /// Who busd says that it is; nullopt before WELCOME was read.
  const std::optional<bus::Process>& self() const { return self_; }

  /// All that was said has left: there is room for more.
  bool has_room() const { return is_open() && out_.size() == sent_; }
  /// Queues a record for the next bundle.
  template <class Record>
  void say(const Record& record) {
    bus::encode(record, records_);
  }
  bus::Bytes& records() { return records_; }  // the same, for records that are made by hand
  /// Sends what the socket takes, as one bundle if nothing is left of the last one.
  void flush();

  /// Takes what came, and reports it as consumed in the next bundle. Grants are kept.
  void read();
  std::vector<bus::Attached> take_grants() { return std::exchange(grants_, {}); }

 private:
  void take_bundle(bus::ByteView bundle);

  const std::string path_;
  const std::string node_;
  int fd_ = -1;
  std::uint64_t incarnation_ = 0;
  std::uint64_t session_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t consumed_ = 0;
  bus::Bytes records_;
  bus::Bytes out_;
  std::size_t sent_ = 0;
  bus::Bytes in_;
  std::optional<bus::Process> self_;
  std::vector<bus::Attached> grants_;
};

}  // namespace starbus::cluster_test
