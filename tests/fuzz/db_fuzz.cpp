/// Documents and rows of the document store, as others and disks bring them; what was read is
/// written and read again, and an index key is made of it.
#include "nodes/db/document.hpp"
#include "nodes/db/index_key.hpp"
#include "nodes/db/limits.hpp"
#include "nodes/db/rows.hpp"
#include "nodes/db/update.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace starbus::nodes::db {
namespace {

using bus::require;

void try_document(std::string_view bytes) {
  const auto document = decode_document(bytes);
  if (!document) return;
  const auto written = encode_document(*document);
  require(written.has_value());
  require(encode_document(decode_document(*written).value()).value() == *written);
  const IndexShape shape({{"a", false}, {"b.0", true}});
  require(shape.key_of(*document).size() <= 2 * (2 * kIndexText + 3));
}

/// A path, a zero, and a document.
void try_update(std::string_view bytes, Operator what) {
  const std::size_t end = bytes.find('\0');
  if (end == bytes.npos) return;
  auto document = decode_document(bytes.substr(end + 1));
  if (!document) return;
  const Change change{what, std::string(bytes.substr(0, end)), 1};
  const bool in_order = check_changes({change}).has_value();
  const bool applied = apply_changes({change}, *document).has_value();
  require(in_order || !applied);
  require(check_document(*document).has_value());
}

void try_rows(std::string_view bytes) {
  if (const auto row = decode_meta(bytes)) (void)encode(*row);
  if (const auto row = decode_index(bytes)) {
    require(encode(IndexRow(*row)).size() == bytes.size());
    (void)IndexShape(row->fields);
  }
  if (const auto row = decode_answer(bytes)) require(encode(*row) == bytes);
  if (const auto row = decode_turn(bytes)) require(encode(*row) == bytes);
  if (const auto count = decode_count(bytes)) require(encode_count(*count) == bytes);
  if (const auto name = read_index_key(bytes)) {
    require(index_key(name->collection, name->name).substr(1) == bytes.substr(1));
  }
}

}  // namespace
}  // namespace starbus::nodes::db

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus::nodes::db;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const unsigned kind = data[0] % 8U;
  if (kind == 0) try_document(bytes);
  if (kind == 1) try_rows(bytes);
  if (kind > 1) try_update(bytes, static_cast<Operator>(kind - 2));
  return 0;
}
