/// The names of channels by text and by id, so that a text is hashed once and a failure, which
/// knows only the id, can name its channel. Two caches of kNamesKept names each, emptied when they
/// are full. One thread.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <string>

#include "bus/core/wire/name.hpp"

namespace starbus::bus {

class ChannelNames {
 public:
  static constexpr std::size_t kNamesKept = 131'072;

  /// bad_name.
  Result<Name> name_of(std::string_view text);
  Result<ChannelId> id_of(std::string_view text);
  /// A message was sent to this channel.
  void remember(const Name& name);
  /// Empty if it is not remembered.
  std::string text_of(const ChannelId& channel) const;

 private:
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  boost::unordered_flat_map<std::string, Name, TextHash, std::equal_to<>> by_text_;
  boost::unordered_flat_map<ChannelId, std::string> by_id_;
};

}  // namespace starbus::bus
