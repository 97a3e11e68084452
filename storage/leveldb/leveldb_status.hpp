#pragma once

#include <leveldb/status.h>

#include <string_view>

#include "storage/error.hpp"

namespace starbus::storage {

/// True for ENOSPC and EDQUOT. LevelDB keeps of an errno only its text.
bool is_full(const leveldb::Status& status);

/// store_full, corrupt or io_error; the key, if one was read, goes into corrupt. Not for OK and
/// NotFound, which are not errors.
Error error_of(const leveldb::Status& status, std::string_view key = {});

/// True if another attempt with newly opened files may succeed: a disk that is full (store_full),
/// no descriptor for a file (EMFILE, ENFILE), a call that was interrupted (EINTR).
bool may_pass(const Error& error);

}  // namespace starbus::storage
