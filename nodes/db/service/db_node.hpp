/// The role `db`: a node that keeps the documents of one database. docs/guide/db.md, "The node".
///
/// It owns `db/NAME` while it is ready, and is an instance of `service/db`. The database works on a
/// thread of its own (Engine); the loop takes requests and sends answers (Intake). It becomes ready
/// when the store is open and is the one that the cluster knows; it drains when all that it took is
/// answered; a disk error that stops writing ends it, so that the next start finds out what the
/// disk has.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "nodes/db/service/engine.hpp"
#include "nodes/db/service/intake.hpp"
#include "nodes/db/service/settings.hpp"
#include "nodes/db/service/store_identity.hpp"
#include "nodes/runtime/node.hpp"

namespace starbus::nodes::db {

class DbNode final : public App {
 public:
  /// `env`: the file system of the store, not owned; null: the real one.
  explicit DbNode(storage::DiskEnv* env = nullptr) : env_(env) {}

  void configure(daemon::ConfigReader& reader) override;
  bus::Result<> start(Node& node) override;
  bus::Result<> reload() override;
  std::string status() const override;

 private:
  void make_engine();
  void open(Done done);
  void check_identity(Done done);
  void add_admin();

  storage::DiskEnv* const env_;
  DbSettings fresh_;  // as configure() read them
  DbSettings settings_;
  Node* node_ = nullptr;
  std::optional<IdentityCheck> identity_;
  std::unique_ptr<Intake> intake_;
  std::unique_ptr<Engine> engine_;  // ends first: its thread answers to the intake
};

}  // namespace starbus::nodes::db
