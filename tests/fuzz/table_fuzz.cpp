/// A table of a store whose index is lost, and what LevelDB says of its tables.
#include <string>

#include "storage/check/file_names.hpp"
#include "storage/check/live_tables.hpp"
#include "storage/check/table_blocks.hpp"
#include "storage/check/table_keys.hpp"
#include "storage/envelope.hpp"
#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus::storage;
  using starbus::bus::require;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  visit_blocks(text, [&](const TableRow& row) {
    const auto key = read_table_key(row.key);
    require(key.has_value());
    require(!key->put || unseal(key->key, row.value).has_value());
    // From the input, and nowhere else.
    require(row.value.data() >= text.data());
    require(row.value.data() + row.value.size() <= text.data() + text.size());
  });
  for (const LiveTable& table : read_live_tables(text)) {
    require(file_number(table_file_name(table.number)) == table.number);
    require(table.first.size() + table.last.size() < size);
  }
  return 0;
}
