/// Ids that are unique over processes. Online ids are drawn from blocks of the cluster's manager:
/// nodes/manager/id_source.hpp.
///
/// Used by the loop's thread; does no I/O and owns nothing outside itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "entity/identity/limits.hpp"

namespace starbus::entity {

/// Unique in the cluster; 0: no id.
enum class OnlineId : std::uint64_t { none = 0 };

/// In base 16, as in names: "7f3a".
std::string text_of(OnlineId id);

/// Draws persistent ids: "NODE.START.COUNTER", the last two in base 16.
class PersistentIdSource {
 public:
  /// `node` is a name of the cluster that one process has at a time; `start` its start, in
  /// milliseconds since 1970.
  PersistentIdSource(std::string_view node, std::uint64_t start);
  std::string next();
  /// Made from an online id, which is unique already: "NODE.START.oID". Never one of
  /// next(), and kept nowhere: it is made when it is asked for.
  std::string of(OnlineId id) const;
  /// The online id that of() was called with; none if the text is not such an id of this process.
  std::optional<OnlineId> read(std::string_view id) const;

 private:
  std::string prefix_;
  std::uint64_t counter_ = 0;
};

}  // namespace starbus::entity
