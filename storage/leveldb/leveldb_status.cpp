#include "storage/leveldb/leveldb_status.hpp"

#include <algorithm>
#include <cerrno>
#include <initializer_list>
#include <string>
#include <system_error>

namespace starbus::storage {

namespace {

bool ends_with_one_of(std::string_view text, std::initializer_list<int> errors) {
  return std::ranges::any_of(
      errors, [&](int error) { return text.ends_with(std::generic_category().message(error)); });
}

}  // namespace

bool is_full(const leveldb::Status& status) {
  return status.IsIOError() && ends_with_one_of(status.ToString(), {ENOSPC, EDQUOT});
}

bool may_pass(const Error& error) {
  if (error == Errc::store_full) return true;
  return error == Errc::io_error && ends_with_one_of(error.detail, {EMFILE, ENFILE, EINTR});
}

Error error_of(const leveldb::Status& status, std::string_view key) {
  std::string text = status.ToString();
  if (!key.empty()) text = printable(key) + ": " + text;
  if (is_full(status)) return {Errc::store_full, std::move(text)};
  if (status.IsIOError()) return {Errc::io_error, std::move(text)};
  return {Errc::corrupt, std::move(text), std::string(key)};
}

}  // namespace starbus::storage
