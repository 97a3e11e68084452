#include "busroot/journal.hpp"

#include <sstream>

#include "base/numbers.hpp"
#include "bus/core/wire/ids.hpp"
#include "bus/core/wire/name.hpp"
#include "daemon/persistent_counter.hpp"

namespace starbus::busroot {
namespace {

constexpr const char* kTermFile = "term";
constexpr const char* kHostsFile = "hosts";
constexpr const char* kBoundsFile = "granted";
constexpr std::uint64_t kTermEnd = std::uint64_t{1} << 24;  // an epoch has 24 bits for it
// More starts than one boot sees; a million boots use all terms.
constexpr std::uint64_t kReservedTerms = 16;

Error malformed(const daemon::StateDirectory& state, const char* file, const std::string& what) {
  return {bus::Errc::io_error, (state.path() / file).string() + ": " + what};
}

}  // namespace

Result<std::uint64_t> next_term(daemon::StateDirectory& state) {
  return daemon::PersistentCounter(state, kTermFile, kTermEnd).next(1, kReservedTerms);
}

Result<std::vector<std::string>> stored_hosts(const daemon::StateDirectory& state) {
  const auto text = state.read(kHostsFile);
  if (!text) return text.error();
  std::vector<std::string> hosts;
  if (!*text) return hosts;
  std::istringstream lines(**text);
  for (std::string line; std::getline(lines, line);) {
    if (!bus::check_node_name(line))
      return malformed(state, kHostsFile, "contains an invalid host name");
    hosts.push_back(std::move(line));
  }
  return hosts;
}

Result<> store_hosts(daemon::StateDirectory& state, const std::vector<std::string>& hosts) {
  std::string text;
  for (const std::string& host : hosts) text.append(host).append("\n");
  return state.write(kHostsFile, text);
}

Result<std::vector<bus::GrantBound>> stored_bounds(const daemon::StateDirectory& state) {
  const auto text = state.read(kBoundsFile);
  if (!text) return text.error();
  std::vector<bus::GrantBound> bounds;
  if (!*text) return bounds;
  std::istringstream lines(**text);
  for (std::string line; std::getline(lines, line);) {
    const std::string_view words = line;
    const std::size_t space = words.find(' ');
    const auto term = parse_number<std::uint64_t>(words.substr(0, space));
    const auto most =
        space == words.npos ? std::nullopt : parse_number<std::uint64_t>(words.substr(space + 1));
    if (!term || !most) return malformed(state, kBoundsFile, "contains a line without two numbers");
    bounds.push_back({*term, *most});
  }
  return bounds;
}

Result<> store_bounds(daemon::StateDirectory& state, const std::vector<bus::GrantBound>& bounds) {
  std::string text;
  for (const bus::GrantBound& bound : bounds) {
    text += std::to_string(bound.term) + ' ' + std::to_string(bound.most) + '\n';
  }
  return state.write(kBoundsFile, text);
}

}  // namespace starbus::busroot
