/// The commands of starbus-db-tool on an open database. Each prints its errors or findings, and
/// returns the exit code: 0 all is well, 1 not.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "tools/db/session.hpp"

namespace starbus::db_tool {

struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
};

struct FindOptions {
  std::string collection;
  std::string index;
  std::vector<std::string> paths;
  std::optional<std::string> from, to;  // JSON arrays, inclusive
  std::uint64_t limit = 100;
};

int list(Session& session, const Streams& streams);
int get(Session& session, const Streams& streams, const std::string& collection,
        const std::string& id);
int find(Session& session, const Streams& streams, const FindOptions& options);
int export_all(Session& session, const Streams& streams);
int import_all(Session& session, const Streams& streams);
/// Checks that all documents can be read, and that counters and indexes agree with them.
int check(Session& session, const Streams& streams);

/// "starbus-db-tool: bad_request: ..."; 1.
int fail(const Streams& streams, const std::string& what);

/// All documents of a range, a page at a time; false from `visit` ends it. The first error.
template <class Visit>
db::Result<> for_each_page(Session& session, db::Query query, Visit visit) {
  for (bool more = true; more;) {
    auto page = session.ask<db::Page>(&db::Database::query, query);
    if (!page) return page.error();
    more = visit(*page) && page->next.has_value();
    query.token = std::move(page->next);
  }
  return {};
}

}  // namespace starbus::db_tool
