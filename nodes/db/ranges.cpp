#include "nodes/db/ranges.hpp"

#include <algorithm>

#include "nodes/db/limits.hpp"
#include "nodes/db/names.hpp"

namespace starbus::nodes::db {
namespace {

/// Keys of the store: [from, to).
struct Span {
  std::string from, to;
  std::size_t prefix = 0;  // of documents: what stands before the id
  bool by_id = false;
};

Result<std::string> id_of(const Bound& bound) {
  if (bound.values.size() != 1 || !bound.values.front().is_string()) {
    return Error(Errc::bad_request, "bound: without an index it is one id");
  }
  auto id = bound.values.front().get<std::string>();
  if (const auto checked = check_id(id); !checked) return checked.error();
  return id;
}

Result<Span> span_of_ids(const Range& range) {
  const std::string prefix = document_prefix(range.collection);
  Span span{prefix, behind(prefix), prefix.size(), true};
  const auto just_behind = [](std::string key) { return key += '\0'; };
  if (range.from) {
    const auto id = id_of(*range.from);
    if (!id) return id.error();
    span.from = range.from->inclusive ? prefix + *id : just_behind(prefix + *id);
  }
  if (range.to) {
    const auto id = id_of(*range.to);
    if (!id) return id.error();
    span.to = range.to->inclusive ? just_behind(prefix + *id) : prefix + *id;
  }
  return span;
}

Result<Span> span_of_index(const Range& range, const IndexState& index) {
  const std::string prefix = entry_prefix(index.number);
  Span span{prefix, behind(prefix), 0, false};
  if (range.from) {
    const auto key = index.shape->key_of(range.from->values);
    if (!key) return key.error();
    span.from = range.from->inclusive ? prefix + *key : behind(prefix + *key);
  }
  if (range.to) {
    const auto key = index.shape->key_of(range.to->values);
    if (!key) return key.error();
    span.to = range.to->inclusive ? behind(prefix + *key) : prefix + *key;
  }
  return span;
}

Result<Span> span_of(const Catalogue& catalogue, const Range& range,
                     const std::optional<std::string>& token) {
  if (const auto name = check_name(range.collection); !name) return name.error();
  Result<Span> span = Error(Errc::not_found, "no index " + range.index);
  if (range.index.empty()) {
    span = span_of_ids(range);
  } else if (const Collection* const owner = catalogue.find(range.collection)) {
    const auto index = owner->indexes.find(range.index);
    if (index == owner->indexes.end()) return span;
    if (!index->second.complete) return Error(Errc::index_building, range.index);
    span = span_of_index(range, index->second);
  }
  if (!span || !token) return span;
  if (token->size() > kMaxToken || *token < span->from || *token >= span->to) {
    return Error(Errc::bad_request, "token belongs to another range");
  }
  span->from = *token;
  return span;
}

/// A page being filled.
class Collect {
 public:
  Collect(const storage::Snapshot& snapshot, std::string collection, std::vector<Path> paths)
      : snapshot_(snapshot), collection_(std::move(collection)), paths_(std::move(paths)) {}

  /// False: it does not fit any more.
  bool add(std::string id, std::string_view cbor) {
    if (!page_.found.empty() && bytes_ + cbor.size() > kPageBytes) return false;
    bytes_ += cbor.size();
    const auto document = decode_document(cbor);
    if (document) {
      page_.found.push_back({std::move(id), project(*document, paths_)});
    } else {
      damaged(id, document.error().to_string());
    }
    return true;
  }
  /// Adds a document that the index names; errors are of the whole query.
  Result<bool> add(const std::string& id) {
    const auto stored = snapshot_.get(document_key(collection_, id));
    if (stored && stored->has_value()) return add(id, **stored);
    if (!stored && stored.error() != storage::Errc::corrupt) return error_of(stored.error());
    damaged(id, stored ? "an index has it, and it is not there" : stored.error().to_string());
    return true;
  }
  void add_damage(const std::vector<storage::Error>& damage) {
    for (const storage::Error& error : damage) page_.damage.push_back(error_of(error));
  }
  Page& page() { return page_; }

 private:
  void damaged(const std::string& id, const std::string& what) {
    page_.damage.emplace_back(Errc::corrupt, collection_ + "/" + id + ": " + what);
  }

  const storage::Snapshot& snapshot_;
  const std::string collection_;
  const std::vector<Path> paths_;
  Page page_;
  std::size_t bytes_ = 0;
};

}  // namespace

Result<Page> read_page(const storage::Snapshot& snapshot, const Catalogue& catalogue,
                       const Query& query) {
  auto paths = check_paths(query.paths);
  if (!paths) return paths.error();
  const auto span = span_of(catalogue, query.range, query.token);
  if (!span) return span.error();
  if (span->from >= span->to) return Page();
  const std::uint64_t limit = std::clamp<std::uint64_t>(query.limit, 1, kPageDocuments);
  auto rows = snapshot.scan(span->from, span->to, {limit, kPageBytes});
  if (!rows) return error_of(rows.error());
  Collect collect(snapshot, query.range.collection, std::move(*paths));
  collect.add_damage(rows->damage);
  collect.page().next = std::move(rows->next);
  for (storage::Record& row : rows->records) {
    const Result<bool> fits =
        span->by_id ? collect.add(row.key.substr(span->prefix), row.value) : collect.add(row.value);
    if (!fits) return fits.error();
    if (*fits) continue;
    collect.page().next = std::move(row.key);
    break;
  }
  return std::move(collect.page());
}

Result<Counted> count_rows(const storage::Snapshot& snapshot, const Catalogue& catalogue,
                           const Count& request) {
  const auto span = span_of(catalogue, request.range, request.token);
  if (!span) return span.error();
  Counted counted;
  const Range& range = request.range;
  if (range.index.empty() && !range.from && !range.to && !request.token) {
    const Collection* const owner = catalogue.find(range.collection);
    counted.count = owner == nullptr ? 0 : owner->documents;
    return counted;
  }
  counted.next = span->from;
  // A page may end sooner, by its bytes; so pages are counted, too.
  for (std::uint64_t left = kCountRows / storage::kPageRecords; left > 0 && counted.next; --left) {
    if (*counted.next >= span->to) return Counted{counted.count, std::nullopt};
    auto rows = snapshot.scan(*counted.next, span->to);
    if (!rows) return error_of(rows.error());
    if (!rows->damage.empty()) return error_of(rows->damage.front());
    counted.count += rows->records.size();
    counted.next = std::move(rows->next);
  }
  return counted;
}

}  // namespace starbus::nodes::db
