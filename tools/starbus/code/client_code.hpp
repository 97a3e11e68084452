/// `starbus client-code`: reads schemas from files, and writes the code of one language.
/// One file, NAME.hpp or NAME.ts, which is renamed into its place; one that would not change is not
/// touched. Plain functions; one thread. Errors are values.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/starbus/code/schema.hpp"

namespace starbus::starter {

enum class CodeLanguage { typescript, cpp };

struct CodeOrder {
  CodeLanguage language = CodeLanguage::typescript;
  std::filesystem::path folder{};  // is made if it is not there
  std::string name = "stubs";
  std::vector<std::filesystem::path> schemas{};
};

/// The text that client_code() writes, of schemas with the names of their files.
CodeResult<std::string> code_of(const CodeOrder& order,
                                const std::vector<std::pair<std::string, std::string>>& schemas);
/// Returns the path of the file.
CodeResult<std::filesystem::path> client_code(const CodeOrder& order);

}  // namespace starbus::starter
