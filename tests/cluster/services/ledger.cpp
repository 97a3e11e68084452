#include "tests/cluster/services/ledger.hpp"

#include <unistd.h>

#include <fstream>
#include <utility>

#include "entity/archive/archive.hpp"

namespace starbus::cluster_test {

Tally::Tally(service::Instance& instance, nodes::Node& node, std::filesystem::path folder,
             std::string fault)
    : instance_(instance),
      node_(node),
      file_(std::move(folder) / ("tally-" + std::to_string(instance.id().number))),
      fault_(std::move(fault)),
      publisher_(node.rpc(), instance.epoch(), [this] { return entity::encode(counts_).value(); }) {
  attach(publisher_).value();
}

void Tally::start(nodes::Done done) {
  if (fault_ == "crash") _exit(1);
  if (fault_ == "hang") return;
  if (fault_ == "fail") return done(bus::Error(bus::Errc::io_error, "as it was told"));
  std::ifstream file(file_);
  std::uint64_t epoch = 0;
  file >> epoch;
  std::string key;
  for (std::int64_t number = 0; file >> number >> key;) counts_[key] = number;
  write() ? done({}) : done(bus::Errc::superseded);
}

void Tally::stop(nodes::Done done) {
  write() ? done({}) : done(bus::Errc::superseded);
}

/// False: a later life has written.
bool Tally::write() const {
  std::uint64_t latest = 0;
  std::ifstream(file_) >> latest;
  if (latest > instance_.epoch().value) return false;
  const std::string fresh = file_.string() + "." + node_.name();
  std::ofstream file(fresh);
  file << instance_.epoch().value << '\n';
  for (const auto& [key, number] : counts_) file << number << ' ' << key << '\n';
  file.close();
  std::filesystem::rename(fresh, file_);
  return true;
}

service::Result<std::int64_t> Tally::add(rpc::Caller&, std::string key, std::int64_t number) {
  if (auto mine = instance_.check(key); !mine) return mine.error();
  const std::int64_t total = counts_[key] += number;
  if (!write()) return service::Error(service::Errc::busy, "fenced");
  publisher_.publish(entity::encode(key, total).value());
  return total;
}

std::string Tally::where(rpc::Caller&) {
  return node_.process();
}

bool TallyCopy::restore(bus::ByteView snapshot) {
  auto read = entity::decode<std::map<std::string, std::int64_t>>(snapshot);
  if (!read) return false;
  counts = *std::move(read);
  return true;
}

bool TallyCopy::apply(bus::ByteView delta) {
  const auto read = entity::decode_all<std::string, std::int64_t>(delta);
  if (!read) return false;
  counts[std::get<0>(*read)] = std::get<1>(*read);
  return true;
}

TestHost::TestHost() {
  service::TypeOptions options;
  options.start_deadline = std::chrono::seconds(1);
  add<Tally>("tally", options, [this](service::Instance& instance, nodes::Node& node) {
    const bool kills = instance.id().number == killer_;
    return std::make_unique<Tally>(instance, node, folder_, kills ? "crash" : start_);
  });
  add<Echo>("echo", {}, [](service::Instance& instance, nodes::Node& node) {
    return std::make_unique<Echo>(instance, node);
  });
}

void TestHost::configure(daemon::ConfigReader& reader) {
  ServiceApp::configure(reader);
  folder_ = reader.string("folder", "/tmp");
  start_ = reader.choice("start", "well", {"well", "fail", "hang"});
  killer_ = reader.integer<std::uint32_t>("killer", 0, 0, 4096);
}

}  // namespace starbus::cluster_test
