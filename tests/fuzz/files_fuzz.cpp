/// The small files that the daemons read back, whatever a disk or a hand has done to them: busd's
/// journal of processes, busroot's term (stored and noted) and hosts, keys. The first byte says
/// which.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "bus/io/key_file.hpp"
#include "busd/process_journal.hpp"
#include "busroot/journal.hpp"
#include "daemon/persistent_counter.hpp"
#include "daemon/state_directory.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace starbus::bus {
namespace {

/// A folder in memory, if there is one: a file is written per input.
class Folder {
 public:
  Folder() {
    const bool memory = std::filesystem::exists("/dev/shm");
    path_ = memory ? "/dev/shm/starbus-fuzz-XXXXXX" : "/tmp/starbus-fuzz-XXXXXX";
    require(::mkdtemp(path_.data()) != nullptr);
    auto opened = daemon::StateDirectory::open(path_);
    require(opened.has_value());
    state_.emplace(std::move(*opened));
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  daemon::StateDirectory& state() { return *state_; }
  std::string put(const std::string& name, std::string_view text) const {
    const std::string path = path_ + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

 private:
  std::string path_;
  std::optional<daemon::StateDirectory> state_;
};

void try_processes(Folder& folder, std::string_view text) {
  static const std::string boot = daemon::boot_id() + '\n';
  folder.put("processes", boot + std::string(text));
  const auto journal = busd::ProcessJournal::open(folder.state());
  require(journal.has_value());
  // What it has written anew says the same.
  const auto again = busd::ProcessJournal::open(folder.state());
  require(again && again->living().size() == journal->living().size());
}

void try_term(Folder& folder, const std::string& file, std::string_view text) {
  static const std::string boot = daemon::boot_id();
  folder.put("term", "1");
  folder.put("term.noted", boot + " 1\n");
  folder.put(file, text);
  const auto term = busroot::next_term(folder.state());
  if (!term) return;
  const auto next = busroot::next_term(folder.state());
  require(!next || *next == *term + 1);
}

void try_hosts(Folder& folder, std::string_view text) {
  folder.put("hosts", text);
  const auto hosts = busroot::stored_hosts(folder.state());
  if (!hosts) return;
  require(busroot::store_hosts(folder.state(), *hosts).has_value());
  const auto again = busroot::stored_hosts(folder.state());
  require(again && *again == *hosts);
}

void try_key(const Folder& folder, std::string_view text) {
  const auto key = io::read_public_key_file(folder.put("a.pub", text));
  if (key) require(io::is_curve_key(*key));
}

}  // namespace
}  // namespace starbus::bus

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus;
  using namespace starbus::bus;
  static Folder folder;
  if (size == 0) return 0;
  const auto text = as_text(fuzz_input(data + 1, size - 1));
  if (data[0] == 'p') try_processes(folder, text);
  if (data[0] == 't') try_term(folder, "term", text);
  if (data[0] == 'n') try_term(folder, "term.noted", daemon::boot_id() + std::string(text));
  if (data[0] == 'h') try_hosts(folder, text);
  if (data[0] == 'k') try_key(folder, text);
  return 0;
}
