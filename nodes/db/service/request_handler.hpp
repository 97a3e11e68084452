#pragma once

#include <array>
#include <functional>
#include <set>
#include <string>

#include "nodes/db/remote/wire.hpp"

namespace starbus::nodes::db {

/// The server side of a database: reads requests, lets the database work, in their order, and
/// writes the answers. Belongs to the database's thread, and outlives it; owns neither the database
/// nor requests. Whatever the bytes are, each request is answered once, unless the database ends.
class RequestHandler {
 public:
  /// On the database's thread.
  using Reply = std::function<void(bus::Bytes)>;
  struct Scope {
    std::string database;
    std::set<std::string> collections{};  // that are here; empty: all
  };
  struct Counters {
    std::uint64_t requests = 0;
    std::array<std::uint64_t, 64> refused{};  // by the number of the Errc
  };

  RequestHandler(Database& database, Scope scope) : database_(database), scope_(std::move(scope)) {}

  /// Carries a request out. `reply` is called once, now or later, with the bytes of the answer.
  void handle(bus::ByteView body, const Reply& reply);

  const Counters& counters() const { return counters_; }

 private:
  Result<> check(const Request& request) const;
  Result<> run(Arguments arguments, const Reply& reply);
  template <class T>
  Database::Done<T> answering(const Reply& reply);
  void refuse(const Error& error, const Reply& reply);

  Database& database_;
  const Scope scope_;
  Counters counters_;
};

}  // namespace starbus::nodes::db
