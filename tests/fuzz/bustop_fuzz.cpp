/// What bustop reads from daemons of any version, or from a program that is not a daemon.
#include <cstdlib>

#include "daemon/report/document.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tools/bustop/trace.hpp"
#include "tools/cluster/mail_view.hpp"

namespace {

/// What was read once survives being written and read again.
template <class Document>
void check(std::string_view text) {
  const auto document = starbus::report::from_json<Document>(text);
  if (!document) return;
  const std::string again = starbus::report::to_json(*document).dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (!starbus::report::from_json<Document>(again)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus::report;
  const std::string_view text = starbus::bus::as_text(starbus::bus::fuzz_input(data, size));
  check<DaemonStatus>(text);
  check<FailuresPage>(text);
  check<HostTopology>(text);
  check<LinksPage>(text);
  check<MailBackup>(text);
  check<MailBoxes>(text);
  check<MailMove>(text);
  check<MailStatistics>(text);
  check<NamesPage>(text);
  check<RootTopology>(text);
  check<RouteInfo>(text);
  check<TailLine>(text);
  (void)starbus::bustop::parse_mail_peek(text);
  (void)starbus::bustop::parse_trace(text);
  return 0;
}
