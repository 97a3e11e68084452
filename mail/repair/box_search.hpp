#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "mail/limits.hpp"
#include "mail/rows.hpp"
#include "mail/types.hpp"

namespace starbus::mail {

/// The row of a mailbox as found in the files of a store.
/// A row of a mailbox that was found in the bytes of a file.
struct FoundBox {
  BoxRow row;
  bool verified = false;  // its checksum is right: a row as it was written once, perhaps not lately
};

/// Searches the files of a store, also damaged ones, byte by byte for rows of mailboxes: present
/// rows, or earlier ones that LevelDB has not removed yet. Accepts a name if its hash is the id,
/// and corrects one flipped bit in a row. Keeps the row with the highest number of each mailbox.
/// One thread.
class BoxSearch {
 public:
  using Wanted = std::function<bool(const ChannelId&)>;

  explicit BoxSearch(Wanted wanted) : wanted_(std::move(wanted)) {}

  /// Reads the files of the folder, and of lost/ in it; those that cannot be read are left out.
  void read_folder(const std::filesystem::path& folder);
  /// Likewise: nothing, if it cannot be read.
  void read_file(const std::filesystem::path& file);
  /// `bytes` may be any part of a file.
  void read(std::string_view bytes);

  /// Null if no row of it was found.
  const FoundBox* find(const ChannelId& id) const;
  const boost::unordered_flat_map<ChannelId, FoundBox>& found() const { return found_; }

 private:
  void try_at(std::string_view bytes, std::size_t at);
  bool correct(std::string sealed);
  void keep(FoundBox box);

  Wanted wanted_;
  boost::unordered_flat_map<ChannelId, FoundBox> found_;
  std::size_t corrections_ = 0;
};

}  // namespace starbus::mail
