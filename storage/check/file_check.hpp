#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "storage/database.hpp"
#include "storage/error.hpp"
#include "storage/store.hpp"

namespace starbus::storage {

/// As Store::check_files.
Result<> check_files(Database& database, const FileCheck& check);

}  // namespace starbus::storage
