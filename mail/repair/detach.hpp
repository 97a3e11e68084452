#pragma once

#include <filesystem>
#include <utility>

#include "storage/error.hpp"

namespace starbus::mail {

/// Holds the folder of a store that its busd has closed for another program (starbus-mail). While
/// that program has the file DETACHED in the folder locked, busd does not open the store again. The
/// lock ends with the program, however that ends. One thread.
class Detach {
 public:
  /// in_use: another program holds it; io_error.
  static storage::Result<Detach> take(const std::filesystem::path& folder);
  Detach(Detach&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  Detach& operator=(Detach&&) = delete;
  ~Detach();

 private:
  explicit Detach(int file) : file_(file) {}
  int file_;
};

/// Whether a program holds the folder now.
bool is_detached(const std::filesystem::path& folder);

}  // namespace starbus::mail
