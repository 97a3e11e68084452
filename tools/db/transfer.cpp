/// Databases as text: a line of JSON for each index and document. The last line counts them, so
/// that a file which was cut is not taken for a whole one. Documents with bytes, which JSON does
/// not have, are CBOR in base64.
#include <istream>
#include <ostream>

#include "mail/repair/base64.hpp"
#include "nodes/db/limits.hpp"
#include "tools/db/commands.hpp"
#include "tools/db/parse.hpp"

namespace starbus::db_tool {
namespace {

constexpr const char* kMark = "starbus-db-export";
constexpr std::uint64_t kVersion = 1;

bool has_bytes(const db::Json& value) {
  if (value.is_binary()) return true;
  if (!value.is_structured()) return false;
  for (const db::Json& inner : value) {
    if (has_bytes(inner)) return true;
  }
  return false;
}

db::Json line_of(const std::string& collection, const db::Found& found) {
  db::Json line = {{"collection", collection}, {"id", found.id}};
  if (has_bytes(found.document)) {
    const auto cbor = db::encode_document(found.document).value();  // as it was read
    line["cbor"] = mail::to_base64(cbor);
  } else {
    line["document"] = found.document;
  }
  return line;
}

db::Json line_of(const std::string& collection, const db::IndexInfo& index) {
  db::Json fields = db::Json::array();
  for (const db::IndexField& field : index.fields) {
    fields.push_back({{"path", field.path}, {"descending", field.descending}});
  }
  return {{"collection", collection}, {"index", index.name}, {"fields", fields}};
}

db::Result<std::uint64_t> export_collection(Session& session, const std::string& name,
                                            std::ostream& out) {
  const auto indexes = session.ask<std::vector<db::IndexInfo>>(&db::Database::indexes, name);
  if (!indexes) return indexes.error();
  for (const db::IndexInfo& index : *indexes) out << line_of(name, index).dump() << "\n";
  std::uint64_t count = 0;
  std::optional<db::Error> damage;
  const db::Query query{.range = {.collection = name}, .limit = db::kPageDocuments};
  const auto read = for_each_page(session, query, [&](const db::Page& page) {
    for (const db::Found& found : page.found) out << line_of(name, found).dump() << "\n";
    count += page.found.size();
    if (!page.damage.empty()) damage = page.damage.front();
    return !damage && out.good();
  });
  if (!read) return read.error();
  if (damage) return *damage;
  return count;
}

/// Reads the lines, and writes them in requests of some size.
class Import {
 public:
  explicit Import(Session& session) : session_(session) {}

  db::Result<> line(const std::string& text) {
    const auto parsed = parse_json(text);
    if (!parsed) return parsed.error() == db::Errc::too_large ? parsed.error() : wrong();
    const db::Json& json = *parsed;
    if (!json.is_object() || ended_) return wrong();
    if (!begun_) {
      const auto mark = json.find(kMark);
      begun_ = mark != json.end() && mark->is_number_unsigned() && *mark == kVersion;
      return begun_ ? db::Result<>() : wrong();
    }
    if (json.contains("end")) return end(json);
    const auto& collection = json.find("collection");
    if (collection == json.end() || !collection->is_string()) return wrong();
    if (json.contains("index")) return declare(json, *collection);
    return put(json, *collection);
  }
  bool whole() const { return ended_; }
  std::uint64_t count() const { return count_; }

 private:
  static db::Error wrong() { return {db::Errc::bad_request, "malformed line of an export"}; }

  db::Result<> declare(const db::Json& json, const std::string& collection) {
    db::DeclareIndex request{collection, "", {}};
    if (!json["index"].is_string() || !json.value("fields", db::Json()).is_array()) return wrong();
    request.name = json["index"];
    for (const db::Json& field : json["fields"]) {
      if (!field.is_object() || !field.value("path", db::Json()).is_string()) return wrong();
      const db::Json descending = field.value("descending", db::Json());
      request.fields.push_back({field["path"], descending == true});
    }
    return session_.ask<void>(&db::Database::declare_index, std::move(request));
  }

  db::Result<> put(const db::Json& json, const std::string& collection) {
    const auto id = json.find("id");
    if (id == json.end() || !id->is_string()) return wrong();
    db::Put write{collection, *id, json.value("document", db::Json())};
    if (const auto cbor = json.find("cbor"); cbor != json.end()) {
      const auto bytes =
          cbor->is_string() ? mail::from_base64(cbor->get_ref<const std::string&>()) : std::nullopt;
      if (!bytes) return wrong();
      auto document = db::decode_document(*bytes);
      if (!document) return document.error();
      write.document = std::move(*document);
    }
    const auto weight = db::check_document(write.document);
    if (!weight) return weight.error();
    if (request_.writes.size() == db::kMaxWrites || weight_ + *weight > db::kMaxRequest / 2) {
      if (const auto flushed = flush(); !flushed) return flushed;
    }
    weight_ += *weight;
    ++count_;
    request_.writes.push_back(std::move(write));
    return {};
  }

  db::Result<> end(const db::Json& json) {
    ended_ = json["end"] == count_;
    if (!ended_) return db::Error(db::Errc::bad_request, "lines are missing");
    return flush();
  }

  db::Result<> flush() {
    if (request_.writes.empty()) return {};
    weight_ = 0;
    const auto written =
        session_.ask<db::Written>(&db::Database::write, std::exchange(request_, {}));
    return written ? db::Result<>() : db::Result<>(written.error());
  }

  Session& session_;
  db::WriteRequest request_;
  std::size_t weight_ = 0;
  std::uint64_t count_ = 0;
  bool begun_ = false;
  bool ended_ = false;
};

}  // namespace

int export_all(Session& session, const Streams& streams) {
  const auto collections = session.collections();
  if (!collections) return fail(streams, collections.error().to_string());
  streams.out << db::Json{{kMark, kVersion}}.dump() << "\n";
  std::uint64_t documents = 0;
  for (const db::CollectionInfo& collection : *collections) {
    const auto count = export_collection(session, collection.name, streams.out);
    if (!count) return fail(streams, collection.name + ": " + count.error().to_string());
    documents += *count;
  }
  streams.out << db::Json{{"end", documents}}.dump() << "\n" << std::flush;
  return streams.out.good() ? 0 : 1;  // main says why
}

int import_all(Session& session, const Streams& streams) {
  Import import(session);
  std::uint64_t number = 0;
  for (std::string text; std::getline(streams.in, text);) {
    ++number;
    if (const auto taken = import.line(text); !taken) {
      return fail(streams, "line " + std::to_string(number) + ": " + taken.error().to_string());
    }
  }
  if (!import.whole()) return fail(streams, "the export was cut: its last line is missing");
  streams.out << import.count() << " documents\n";
  return 0;
}

}  // namespace starbus::db_tool
