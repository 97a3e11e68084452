#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "mail/rows.hpp"

namespace starbus::bus::busd::mail {

/// What the files of a store still have of the row of a mailbox.
struct FoundBox {
  BoxRow row;
  bool verified = false;  // its checksum is right: a row as it was written once, perhaps not lately
};

/// Looks for rows of mailboxes in the files of a store, damaged ones included, byte by byte: the
/// row itself, or earlier ones that LevelDB has not removed yet. A name is taken for right if its
/// hash is the id; one flipped bit in a row is found and turned back. Of several the one with the
/// highest number is kept.
class BoxSearch {
 public:
  using Wanted = std::function<bool(const ChannelId&)>;
  static constexpr std::size_t kMostFound = 1'000'000;  // what lies in damaged blocks is less

  /// Rows in which a wrong bit is looked for: damage is rare, and bodies may look like rows.
  static constexpr std::size_t kMostCorrections = 10'000;

  explicit BoxSearch(Wanted wanted) : wanted_(std::move(wanted)) {}

  /// Reads the files of the folder, and of lost/ in it; those that cannot be read are left out.
  void read_folder(const std::filesystem::path& folder);
  /// Likewise: nothing, if it cannot be read.
  void read_file(const std::filesystem::path& file);
  /// `bytes` may be any part of a file.
  void read(std::string_view bytes);

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

}  // namespace starbus::bus::busd::mail
