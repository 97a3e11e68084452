/// What the tests of services run as processes of their own: hosts of "tally", a type with
/// partitions that counts by key and keeps its counts in a file, and of "echo", which has no state.
///
///   folder = "/tmp/x"        # for the counts: one for all hosts, as a shared disk
///   start = "fail"           # or "hang": what "tally" does here
///   killer = 2               # partition 2 of "tally" ends its process when it starts
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "nodes/replica/mirror.hpp"
#include "nodes/replica/publisher.hpp"
#include "nodes/service/service_app.hpp"

namespace starbus::cluster_test {

namespace rpc = entity::rpc;
namespace service = nodes::service;

/// Counts by key. Each life writes its epoch beside the counts, and refuses to write behind a later
/// one: what a database with fencing tokens does.
class Tally final : public service::Service, public rpc::Callable<Tally> {
 public:
  Tally(service::Instance& instance, nodes::Node& node, std::filesystem::path folder,
        std::string fault);
  ~Tally() override { close_rpc(); }

  void start(nodes::Done done) override;
  void stop(nodes::Done done) override;

  service::Result<std::int64_t> add(rpc::Caller& from, std::string key, std::int64_t number);
  std::string where(rpc::Caller& from);
  static constexpr auto kRpc = rpc::methods("test_tally", rpc::method<&Tally::add>("add"),
                                            rpc::method<&Tally::where>("where"));

 private:
  bool write() const;

  service::Instance& instance_;
  nodes::Node& node_;
  const std::filesystem::path file_;
  const std::string fault_;
  std::map<std::string, std::int64_t> counts_;
  nodes::replica::Publisher publisher_;
};

/// A mirror's copy of the counts of one Tally.
class TallyCopy final : public nodes::replica::Replica {
 public:
  bool restore(bus::ByteView snapshot) override;
  bool apply(bus::ByteView delta) override;
  std::map<std::string, std::int64_t> counts;
};

class Echo final : public service::Service, public rpc::Callable<Echo> {
 public:
  Echo(service::Instance&, nodes::Node& node) : node_(node) {}
  ~Echo() override { close_rpc(); }
  std::string where(rpc::Caller&) { return node_.process(); }
  static constexpr auto kRpc = rpc::methods("test_echo", rpc::method<&Echo::where>("where"));

 private:
  nodes::Node& node_;
};

class TestHost final : public service::ServiceApp {
 public:
  TestHost();
  void configure(daemon::ConfigReader& reader) override;

 private:
  std::filesystem::path folder_;
  std::string start_;
  std::uint32_t killer_ = 0;
};

}  // namespace starbus::cluster_test
