// starbus-test-player: posts numbered messages, or reads them, and may be killed anywhere.
//
//   post NAME FILE COUNT [STEP AT]   posts 1 to COUNT, each with a key; FILE says how far it is
//   read NAME FILE COUNT [STEP AT]   owns NAME; a line "NUMBER TEXT" in FILE is the effect of a
//                                    message and the saved cursor in one; ends behind COUNT
//
// STEP AT: kills itself (SIGKILL) at that message: post: before, posted (and not recorded); read:
// before (it is saved), saved (and not acknowledged), acknowledged.
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <boost/asio.hpp>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "bus/client/bus.hpp"

namespace {

using boost::asio::awaitable;
using boost::asio::use_awaitable;
namespace bus = starbus::bus;

struct Script {
  std::string what, name, file;
  std::uint64_t count = 0;
  std::string step;
  std::uint64_t at = 0;

  void die(const std::string& here, std::uint64_t number) const {
    if (step == here && at == number) (void)::raise(SIGKILL);
  }
};

/// Lines that reach the disk one by one; what a crash tore is cut off.
class Lines {
 public:
  explicit Lines(const std::string& path) {
    std::ifstream old(path);
    std::streamoff whole = 0;
    for (std::string line; std::getline(old, line) && !old.eof(); whole = old.tellg()) {
      last_ = std::strtoull(line.c_str(), nullptr, 10);
    }
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0640);
    if (file_ < 0 || ::ftruncate(file_, whole) != 0) throw std::runtime_error("the file");
  }
  /// The number at the head of the last line.
  std::uint64_t last() const { return last_; }
  void add(std::uint64_t number, const std::string& text) {
    const std::string line = std::to_string(number) + " " + text + "\n";
    const auto size = static_cast<ssize_t>(line.size());
    if (::write(file_, line.data(), line.size()) != size || ::fdatasync(file_) != 0) {
      throw std::runtime_error("the file");
    }
    last_ = number;
  }

 private:
  int file_ = -1;
  std::uint64_t last_ = 0;
};

awaitable<void> post(bus::Bus& node, const Script& script) {
  Lines done(script.file);
  for (std::uint64_t i = done.last() + 1; i <= script.count; ++i) {
    script.die("before", i);
    const std::string text = std::to_string(i);
    bus::PostOptions options;
    options.key = text;
    const auto number = co_await node.post(script.name, text, options, use_awaitable);
    if (!number) throw bus::BadResult(number.error());
    script.die("posted", i);
    done.add(i, std::to_string(*number));
  }
}

awaitable<void> read(bus::Bus& node, const Script& script) {
  Lines log(script.file);
  const bus::Handlers none;
  const auto bound = co_await node.bind(script.name, none, use_awaitable);
  if (!bound) throw bus::BadResult(bound.error());
  bus::MailboxOptions options;
  options.after = log.last();
  auto box = co_await node.open_mailbox(script.name, options, use_awaitable);
  if (!box) throw bus::BadResult(box.error());
  while (log.last() < script.count) {
    const auto mail = co_await box->next(use_awaitable);
    if (!mail) throw bus::BadResult(mail.error());
    script.die("before", mail->number);
    log.add(mail->number, std::string(mail->text()));
    script.die("saved", mail->number);
    const auto erased = co_await box->acknowledge(mail->number, use_awaitable);
    if (!erased) throw bus::BadResult(erased.error());
    script.die("acknowledged", mail->number);
  }
}

awaitable<void> run(bus::Bus& node, const Script& script) {
  const auto up = co_await node.connect(use_awaitable);
  if (!up) throw bus::BadResult(up.error());
  if (script.what == "post") co_await post(node, script);
  if (script.what == "read") co_await read(node, script);
  (void)co_await node.close(std::chrono::seconds(5), use_awaitable);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 5 && argc != 7) throw std::runtime_error("see the head of its source");
  Script script{argv[1], argv[2], argv[3], std::strtoull(argv[4], nullptr, 10), {}, 0};
  if (argc == 7) {
    script.step = argv[5];
    script.at = std::strtoull(argv[6], nullptr, 10);
  }
  boost::asio::io_context loop;
  bus::Bus node(loop, {.node = script.what + "-" + std::to_string(::getpid())});
  boost::asio::co_spawn(loop, run(node, script), [](std::exception_ptr error) {
    if (error) std::rethrow_exception(error);
  });
  loop.run();
} catch (const std::exception& problem) {
  std::cerr << "starbus-test-player: " << problem.what() << std::endl;
  return 1;
}
