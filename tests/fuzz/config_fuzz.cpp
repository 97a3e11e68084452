/// The configuration files, from TOML text to checked settings. The first byte says whose.
#include "busd/settings.hpp"
#include "busroot/settings.hpp"
#include "daemon/admin/admin_server.hpp"
#include "daemon/logging.hpp"
#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus;
  using namespace starbus::bus;
  if (size == 0) return 0;
  const auto text = as_text(fuzz_input(data + 1, size - 1));
  // The settings name key files: nothing but these inputs may be opened.
  if (text.find("_file") != std::string_view::npos) return 0;
  auto reader = daemon::ConfigReader::parse(text, "fuzz.toml");
  if (!reader) {
    require(reader.error() == Errc::bad_config && !reader.error().detail.empty());
    return 0;
  }
  (void)daemon::read_log_config(reader->table("log"));
  daemon::ConfigReader admin = reader->table("admin");
  (void)daemon::read_admin_config(admin, "127.0.0.1:0");
  (void)daemon::AdminAccess::read(admin);
  if (data[0] == 'r') {
    const auto settings = busroot::read_settings(*reader);
    if (reader->finish()) require(!settings.name.empty());
  } else {
    const auto settings = busd::read_settings(*reader);
    if (reader->finish()) (void)settings.targets();
  }
  return 0;
}
