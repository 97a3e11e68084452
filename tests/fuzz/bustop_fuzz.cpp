/// What bustop reads from daemons of any version, or from a program that is not a daemon.
#include <cstdlib>

#include "daemon/report/document.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tools/bustop/gates/gate_view.hpp"
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

/// What a gate answers, whatever it was asked.
void show_gate(std::string_view text) {
  using namespace starbus::bustop;
  const auto answer = nlohmann::json::parse(text, nullptr, false);
  if (answer.is_discarded()) return;
  int left = 8;  // a gate that says `next` for ever ends by the patience of its asker
  const NodeLook look = [&](const std::string&,
                            const std::string&) -> starbus::bus::Result<nlohmann::json> {
    if (left-- > 0) return answer;
    return starbus::bus::Error(starbus::bus::Errc::deadline);
  };
  const ClientList list = list_clients({"a.g1"}, look, {.limit = 5});
  (void)render_clients(list, {}, {});
  (void)json_of_clients(list);
  left = 8;
  const ClientFound found = find_client({"a.g1"}, look, std::string(32, 'a'));
  (void)render_client(found, {});
  (void)json_of_client(found);
  left = 8;
  (void)audience_of({"a.g1"}, look, "g");
  (void)heard_by({"a.g1"}, look, "n");
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
  show_gate(text);
  return 0;
}
