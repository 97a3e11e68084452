#include "busroot/journal.hpp"

#include <charconv>
#include <sstream>
#include <string_view>

#include "bus/core/ids.hpp"
#include "bus/core/name.hpp"

namespace starbus::bus::busroot {
namespace {

constexpr const char* kTermFile = "term";
constexpr const char* kHostsFile = "hosts";
constexpr std::uint64_t kLastTerm = (std::uint64_t{1} << 24) - 1;  // what an epoch has room for

Error broken(const daemon::StateDirectory& state, const char* file, const std::string& what) {
  return {Errc::io_error, (state.path() / file).string() + ": " + what};
}

}  // namespace

Result<std::uint64_t> next_term(daemon::StateDirectory& state) {
  const auto text = state.read(kTermFile);
  if (!text) return text.error();
  std::uint64_t last = 0;
  if (*text) {
    std::string_view digits = **text;
    if (digits.ends_with('\n')) digits.remove_suffix(1);
    const char* const end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, last);
    if (parsed.ec != std::errc() || parsed.ptr != end || last >= kLastTerm) {
      return broken(state, kTermFile, "does not hold a term");
    }
  }
  if (auto stored = state.write(kTermFile, std::to_string(last + 1) + "\n"); !stored) {
    return stored.error();
  }
  return last + 1;
}

Result<std::vector<std::string>> stored_hosts(const daemon::StateDirectory& state) {
  const auto text = state.read(kHostsFile);
  if (!text) return text.error();
  std::vector<std::string> hosts;
  if (!*text) return hosts;
  std::istringstream lines(**text);
  for (std::string line; std::getline(lines, line);) {
    if (!check_node_name(line)) return broken(state, kHostsFile, "holds what is no host name");
    hosts.push_back(std::move(line));
  }
  return hosts;
}

Result<> store_hosts(daemon::StateDirectory& state, const std::vector<std::string>& hosts) {
  std::string text;
  for (const std::string& host : hosts) text.append(host).append("\n");
  return state.write(kHostsFile, text);
}

}  // namespace starbus::bus::busroot
