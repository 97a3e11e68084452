#include "storage/format_row.hpp"

#include <memory>

#include "base/numbers.hpp"
#include "storage/envelope.hpp"
#include "storage/internal_keys.hpp"
#include "storage/leveldb/leveldb_status.hpp"

namespace starbus::storage {
namespace {

constexpr unsigned kFormat = 1;  // of the whole store; of single values: envelope.cpp

Result<bool> make_format(leveldb::DB& db, const std::string& folder) {
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  const std::unique_ptr<leveldb::Iterator> any(db.NewIterator(read));
  any->SeekToFirst();
  if (any->Valid()) return Error(Errc::corrupt, folder + ": not a store, or without its format");
  if (!any->status().ok()) return error_of(any->status());
  if (const auto written = write_format(db); !written) return written.error();
  return true;
}

}  // namespace

Result<bool> check_format(leveldb::DB& db, const std::string& folder) {
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  std::string sealed;
  const leveldb::Status status = db.Get(read, to_slice(kFormatKey), &sealed);
  if (status.IsNotFound()) return make_format(db, folder);
  if (!status.ok()) return error_of(status, kFormatKey);
  const auto text = unseal(kFormatKey, sealed);
  if (!text) return text.error();
  if (parse_number<unsigned>(*text) == kFormat) return false;
  return Error(Errc::newer_format, folder + " has storage format " + std::string(*text) +
                                       "; this version knows " + std::to_string(kFormat));
}

Result<> write_format(leveldb::DB& db) {
  std::string sealed;
  seal(kFormatKey, std::to_string(kFormat), sealed);
  leveldb::WriteOptions write;
  write.sync = true;
  const leveldb::Status status = db.Put(write, to_slice(kFormatKey), sealed);
  if (!status.ok()) return error_of(status);
  return {};
}

}  // namespace starbus::storage
