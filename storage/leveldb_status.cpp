#include "storage/leveldb_status.hpp"

#include <cerrno>
#include <string>
#include <system_error>

namespace starbus::storage {

bool is_full(const leveldb::Status& status) {
  if (!status.IsIOError()) return false;
  const std::string text = status.ToString();
  return text.ends_with(std::generic_category().message(ENOSPC)) ||
         text.ends_with(std::generic_category().message(EDQUOT));
}

Error error_of(const leveldb::Status& status, std::string_view key) {
  std::string text = status.ToString();
  if (!key.empty()) text = printable(key) + ": " + text;
  if (is_full(status)) return {Errc::store_full, std::move(text)};
  if (status.IsIOError()) return {Errc::io_error, std::move(text)};
  return {Errc::corrupt, std::move(text), std::string(key)};
}

}  // namespace starbus::storage
