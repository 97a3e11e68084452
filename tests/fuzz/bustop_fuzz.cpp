/// What bustop reads from daemons, which may be of another version, or none at all.
#include "tests/fuzz/fuzz_target.hpp"
#include "tools/bustop/mail_view.hpp"
#include "tools/bustop/parse.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus::bus;
  using namespace starbus::bustop;
  const std::string_view text = as_text(fuzz_input(data, size));
  (void)parse_status(text);
  (void)parse_links(text);
  (void)parse_host_topology(text);
  (void)parse_root_topology(text);
  (void)parse_names(text);
  (void)parse_route(text);
  (void)parse_failures(text);
  (void)parse_tail_line(text);
  (void)parse_mail_boxes(text);
  (void)parse_mail_peek(text);
  (void)parse_mail_stats(text);
  return 0;
}
