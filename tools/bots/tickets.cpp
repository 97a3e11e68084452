#include "tools/bots/tickets.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "base/base64.hpp"
#include "base/file_descriptor.hpp"
#include "base/write_all.hpp"
#include "bus/core/error.hpp"
#include "clients/cpp/limits.hpp"

namespace starbus::bots {

Result<Tickets> read_tickets(const std::string& file) {
  std::ifstream in(file);
  if (!in) {
    return Error(bus::Errc::bad_config,
                 file + ": cannot be read; write it with --save-tickets in a run before");
  }
  Tickets all;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    const std::size_t space = line.find(' ');
    const auto bytes =
        space == std::string::npos ? std::nullopt : from_base64(line.substr(space + 1));
    if (!bytes || bytes->empty() || bytes->size() > game::kReentryBytes) {
      return Error(bus::Errc::bad_config, file + ":" + std::to_string(number) +
                                              ": no ticket; write the file with --save-tickets");
    }
    const game::ByteView view = game::bytes_of(*bytes);
    all[line.substr(0, space)].assign(view.begin(), view.end());
  }
  return all;
}

Result<> write_tickets(const std::string& file, const Tickets& tickets) {
  std::string text;
  for (const auto& [account, ticket] : tickets) {
    text += account + " " + to_base64(game::text_of(ticket)) + "\n";
  }
  const auto failed = [&](int why) {
    return Error(bus::Errc::io_error, file + ": " + std::strerror(why) + "; choose another file");
  };
  const std::string fresh = file + ".new";
  const FileDescriptor out(open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!out || fchmod(out.get(), 0600) != 0) return failed(errno);
  if (const auto why = write_all(out.get(), text)) return failed(why.value());
  if (std::rename(fresh.c_str(), file.c_str()) != 0) return failed(errno);
  return {};
}

}  // namespace starbus::bots
