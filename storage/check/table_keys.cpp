#include "storage/check/table_keys.hpp"

#include <algorithm>
#include <string>

#include "base/little_endian.hpp"
#include "storage/internal_keys.hpp"

namespace starbus::storage {
namespace {

struct Parts {
  std::string_view key;
  std::uint64_t trailer = 0;
};

Parts parts_of(std::string_view bytes) {
  const std::size_t trailer = std::min(bytes.size(), kTableKeyTrailer);
  const std::size_t key = bytes.size() - trailer;
  return {bytes.substr(0, key), load_little(bytes.substr(key))};
}

class TableOrder final : public leveldb::Comparator {
 public:
  int Compare(const leveldb::Slice& left, const leveldb::Slice& right) const override {
    const Parts a = parts_of(to_view(left));
    const Parts b = parts_of(to_view(right));
    if (const int keys = a.key.compare(b.key); keys != 0) return keys;
    if (a.trailer == b.trailer) return 0;
    return a.trailer > b.trailer ? -1 : 1;
  }
  const char* Name() const override { return "starbus.TableOrder"; }
  void FindShortestSeparator(std::string*, const leveldb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

}  // namespace

std::optional<TableKey> read_table_key(std::string_view bytes) {
  constexpr std::uint64_t kErased = 0;
  constexpr std::uint64_t kPut = 1;
  if (bytes.size() <= kTableKeyTrailer) return std::nullopt;
  const Parts parts = parts_of(bytes);
  const std::uint64_t type = parts.trailer & 0xff;
  if (type != kErased && type != kPut) return std::nullopt;
  return TableKey{parts.key, type == kPut};
}

std::string user_key(std::string_view bytes) {
  return std::string(parts_of(bytes).key);
}

const leveldb::Comparator& table_order() {
  static const TableOrder kOrder;
  return kOrder;
}

}  // namespace starbus::storage
