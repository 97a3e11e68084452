#include "tools/db/commands.hpp"

#include <map>
#include <ostream>

#include "nodes/db/limits.hpp"
#include "tools/db/parse.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::db_tool {
namespace {

std::string text_of(const db::Json& json) {
  return json.dump(-1, ' ', false, db::Json::error_handler_t::replace);
}

/// A bound from a JSON array; no value: it is none.
std::optional<db::Bound> read_bound(const std::string& text) {
  const auto json = parse_json(text);
  if (!json || !json->is_array()) return std::nullopt;
  return db::Bound{json->get<std::vector<db::Json>>()};
}

struct Findings {
  const Streams& streams;
  std::uint64_t count = 0;

  void add(const std::string& what) {
    ++count;
    streams.out << what << "\n";
  }
};

/// How often each id comes in a range; what cannot be read is a finding.
db::Result<std::map<std::string, std::uint64_t>> ids_of(Session& session, const db::Range& range,
                                                        Findings& findings) {
  std::map<std::string, std::uint64_t> ids;
  const auto read =
      for_each_page(session, {.range = range, .limit = db::kPageDocuments}, [&](db::Page& page) {
        for (const db::Found& found : page.found) ++ids[found.id];
        for (const db::Error& damage : page.damage) findings.add(damage.to_string());
        return true;
      });
  if (!read) return read.error();
  return ids;
}

db::Result<> check_collection(Session& session, const db::CollectionInfo& collection,
                              Findings& findings) {
  const auto ids = ids_of(session, {.collection = collection.name}, findings);
  if (!ids) return ids.error();
  if (ids->size() != collection.documents) {
    findings.add(collection.name + ": its counter says " + std::to_string(collection.documents) +
                 ", it has " + std::to_string(ids->size()) + " documents that can be read");
  }
  const auto indexes =
      session.ask<std::vector<db::IndexInfo>>(&db::Database::indexes, collection.name);
  if (!indexes) return indexes.error();
  for (const db::IndexInfo& index : *indexes) {
    if (!index.complete) continue;
    const auto rows =
        ids_of(session, {.collection = collection.name, .index = index.name}, findings);
    if (!rows) return rows.error();
    if (*rows != *ids) findings.add(collection.name + ": the index " + index.name + " differs");
  }
  return {};
}

}  // namespace

int fail(const Streams& streams, const std::string& what) {
  streams.err << "starbus-db-tool: " << what << "\n";
  return 1;
}

int list(Session& session, const Streams& streams) {
  const auto collections = session.collections();
  if (!collections) return fail(streams, collections.error().to_string());
  for (const db::CollectionInfo& collection : *collections) {
    streams.out << collection.name << "  " << bustop::count_of(collection.documents, "document");
    const auto indexes =
        session.ask<std::vector<db::IndexInfo>>(&db::Database::indexes, collection.name);
    if (!indexes) return fail(streams, indexes.error().to_string());
    for (const db::IndexInfo& index : *indexes) {
      streams.out << "  " << index.name << "(";
      for (const db::IndexField& field : index.fields) {
        streams.out << (&field == &index.fields.front() ? "" : ", ")
                    << (field.descending ? "-" : "") << field.path;
      }
      streams.out << ")" << (index.complete ? "" : " being built");
    }
    streams.out << "\n";
  }
  return 0;
}

int get(Session& session, const Streams& streams, const std::string& collection,
        const std::string& id) {
  const auto found =
      session.ask<std::optional<db::Json>>(&db::Database::find, db::Find{collection, id});
  if (!found) return fail(streams, found.error().to_string());
  if (!*found) return fail(streams, collection + "/" + id + ": no such document");
  streams.out << text_of(**found) << "\n";
  return 0;
}

int find(Session& session, const Streams& streams, const FindOptions& options) {
  db::Query query{.range = {.collection = options.collection, .index = options.index},
                  .paths = options.paths};
  for (const auto& [text, bound] :
       {std::pair(options.from, &query.range.from), std::pair(options.to, &query.range.to)}) {
    if (!text) continue;
    *bound = read_bound(*text);
    if (!*bound) return fail(streams, *text + " is not a JSON array");
  }
  std::uint64_t left = options.limit;
  int code = 0;
  const auto read = for_each_page(session, query, [&](const db::Page& page) {
    for (const db::Found& found : page.found) {
      if (left == 0) return false;
      --left;
      streams.out << found.id << "  " << text_of(found.document) << "\n";
    }
    for (const db::Error& damage : page.damage) code = fail(streams, damage.to_string());
    return left > 0;
  });
  return read ? code : fail(streams, read.error().to_string());
}

int check(Session& session, const Streams& streams) {
  const auto collections = session.collections();
  if (!collections) return fail(streams, collections.error().to_string());
  Findings findings{streams};
  std::uint64_t documents = 0;
  for (const db::CollectionInfo& collection : *collections) {
    const auto checked = check_collection(session, collection, findings);
    if (!checked) return fail(streams, collection.name + ": " + checked.error().to_string());
    documents += collection.documents;
  }
  streams.out << bustop::count_of(collections->size(), "collection") << ", "
              << bustop::count_of(documents, "document") << ", "
              << bustop::count_of(findings.count, "finding") << "\n";
  return findings.count == 0 ? 0 : 1;
}

}  // namespace starbus::db_tool
