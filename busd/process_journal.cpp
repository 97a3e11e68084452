#include "busd/process_journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <sstream>

#include "bus/core/limits.hpp"
#include "bus/core/wire/name.hpp"
#include "busd/process_start.hpp"
#include "daemon/persistent_counter.hpp"

namespace starbus::busd {
namespace {

constexpr const char* kFile = "processes";
constexpr std::size_t kSlack = 4096;  // lines of ended processes before the file is written again

std::string line_of(const bus::JournaledProcess& process, std::uint64_t started) {
  return "+ " + process.node + ' ' + std::to_string(process.incarnation) + ' ' +
         std::to_string(process.pid) + ' ' + std::to_string(started) + ' ' + process.role + ' ' +
         std::to_string(process.uid) + '\n';
}

}  // namespace

Result<ProcessJournal> ProcessJournal::open(daemon::StateDirectory& state) {
  ProcessJournal journal(state);
  const auto text = state.read(kFile);
  if (!text) return text.error();
  if (*text) {
    std::istringstream lines(**text);
    std::string line;
    if (std::getline(lines, line) && line == daemon::boot_id()) {
      while (std::getline(lines, line)) journal.take(line);
    }
  }
  if (auto begun = journal.rewrite(); !begun) return begun.error();
  return journal;
}

/// Only the last line can be cut short by a crash; its process was not announced yet.
void ProcessJournal::take(std::string_view line) {
  std::istringstream fields{std::string(line)};
  std::string sign;
  bus::JournaledProcess process;
  fields >> sign >> process.node >> process.incarnation;
  if (!fields || !bus::check_node_name(process.node)) return;
  const Key key{process.node, process.incarnation};
  std::erase_if(living_, [&](const bus::JournaledProcess& known) {
    return known.node == process.node && known.incarnation == process.incarnation;
  });
  lines_.erase(key);
  std::uint64_t started = 0;
  if (sign != "+" || !(fields >> process.pid >> started)) return;
  fields >> process.role;
  if (!(fields >> process.uid)) process.uid = bus::User::kNobody;  // of an earlier version
  if (process.pid < 0 || living_.size() >= bus::kMaxProcesses) return;
  // Without a pid only the lease tells that a process has ended.
  if (process.pid != 0 && (started == 0 || start_ticks(process.pid) != started)) return;
  living_.push_back(process);
  lines_.emplace(key, line_of(process, started));
}

Result<> ProcessJournal::rewrite() {
  torn_ = true;  // until the file is complete
  std::string text = daemon::boot_id() + '\n';
  for (const auto& [key, line] : lines_) text += line;
  // The file is valid in this boot only: no need to wait for the disk.
  if (auto written = state_->note(kFile, text); !written) return written;
  written_ = lines_.size();
  const std::string path = (state_->path() / kFile).string();
  file_ = FileDescriptor(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (file_.get() < 0) return Error{bus::Errc::io_error, path + ": " + std::strerror(errno)};
  torn_ = false;
  return {};
}

Result<> ProcessJournal::add(const bus::JournaledProcess& process, bool lives) {
  thread_.check();
  const Key key{process.node, process.incarnation};
  std::string line;
  if (lives) {
    line = line_of(process, process.pid == 0 ? 0 : start_ticks(process.pid));
    lines_.insert_or_assign(key, line);
  } else {
    lines_.erase(key);
    line = "- " + process.node + ' ' + std::to_string(process.incarnation) + '\n';
  }
  // A whole line after half a line would be unreadable, too.
  if (torn_ || ++written_ > 2 * lines_.size() + kSlack) return rewrite();
  const ssize_t size = ::write(file_.get(), line.data(), line.size());
  if (size == static_cast<ssize_t>(line.size())) return {};
  torn_ = true;
  // A disk that fills up within the line takes what it can, without an error.
  const int reason = size < 0 ? errno : ENOSPC;
  return Error{bus::Errc::io_error,
               (state_->path() / kFile).string() + ": " + std::strerror(reason)};
}

Result<> ProcessJournal::repair() {
  return torn_ ? rewrite() : Result<>();
}

}  // namespace starbus::busd
