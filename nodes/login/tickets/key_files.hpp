/// Small text files with keys: read with checks, written whole or not at all. For keys.cpp alone.
/// Plain functions; any thread. Failures are bad_key, with a text that names the cure and no key.
#pragma once

#include <string>

#include "nodes/login/error.hpp"

namespace starbus::nodes::login {

/// Others may not read or write a secret one.
enum class KeyFile : bool { shown, secret };

/// At most kKeyFileBytes.
Result<std::string> read_key_file(const std::string& path, KeyFile kind);
/// Under another name, synced and moved into its place.
Result<> write_key_file(const std::string& path, const std::string& text, KeyFile kind,
                        bool replace);

}  // namespace starbus::nodes::login
