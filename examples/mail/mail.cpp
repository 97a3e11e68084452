// Mail that is handled exactly once, whatever is killed when: post some, read it, kill -9 either.
//
//   mail post NAME TEXT    keeps TEXT for the owner of NAME, who need not be there
//   mail read NAME FILE    owns NAME and writes its mail to FILE, a line each, until Ctrl-C
//
// What a message does here is a line in FILE. The line begins with the message's number, so FILE is
// the saved cursor as well: effect and cursor reach the disk in one write, or neither does.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <system_error>

#include "bus/client/bus.hpp"

using boost::asio::awaitable;
using boost::asio::use_awaitable;
namespace bus = starbus::bus;

namespace {

class Diary {
 public:
  explicit Diary(const std::string& path) {
    std::ifstream old(path);
    std::streamoff whole = 0;  // a line that a crash has torn does not count, and is cut off
    for (std::string line; std::getline(old, line) && !old.eof(); whole = old.tellg()) {
      cursor_ = std::strtoull(line.c_str(), nullptr, 10);
      if (cursor_ == 0) throw std::runtime_error(path + " holds something else");
    }
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0640);
    check(file_ >= 0 && ::ftruncate(file_, whole) == 0);
  }
  ~Diary() { ::close(file_); }

  std::uint64_t cursor() const { return cursor_; }

  void write(const bus::Mail& mail) {
    std::string text(mail.damaged ? "(damaged)" : mail.text());
    std::replace(text.begin(), text.end(), '\n', ' ');
    const std::string line = std::to_string(mail.number) + " " + text + "\n";
    check(::write(file_, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
    check(::fdatasync(file_) == 0);
    cursor_ = mail.number;
    std::cout << line << std::flush;
  }

 private:
  static void check(bool good) {
    if (!good) throw std::system_error(errno, std::generic_category(), "the file");
  }

  int file_ = -1;
  std::uint64_t cursor_ = 0;
};

awaitable<void> post(bus::Bus& node, const std::string& name, const std::string& text) {
  std::cout << name << ": posts to its store" << std::endl;  // waits for it, if need be: 30 s
  auto number = co_await node.post(name, text, {}, use_awaitable);
  if (!number) throw bus::BadResult(number.error());
  std::cout << name << ": stored on a disk as number " << *number << std::endl;
  (void)co_await node.close(std::chrono::seconds(1), use_awaitable);  // nothing is under way
}

awaitable<void> read(bus::Bus& node, const std::string& name, const std::string& path) {
  Diary diary(path);
  bus::Handlers none;
  auto bound = co_await node.bind(name, none, use_awaitable);  // only the owner reads
  if (!bound) throw bus::BadResult(bound.error());
  bus::MailboxOptions options;
  options.after = diary.cursor();
  auto box = co_await node.open_mailbox(name, options, use_awaitable);
  if (!box) throw bus::BadResult(box.error());
  std::cout << name << ": reading after number " << diary.cursor() << std::endl;
  while (true) {
    auto mail = co_await box->next(use_awaitable);
    if (!mail) throw bus::BadResult(mail.error());
    diary.write(*mail);
    // Only lets the store erase it: a crash before this line repeats nothing.
    (void)co_await box->acknowledge(mail->number, use_awaitable);
  }
}

awaitable<void> run(bus::Bus& node, std::string what, std::string name, std::string argument) {
  std::cout << node.node() << " connects to busd" << std::endl;  // waits for it, if need be
  const auto loop = co_await boost::asio::this_coro::executor;
  boost::asio::steady_timer patience(loop, std::chrono::seconds(1));
  patience.async_wait([&node](boost::system::error_code met) {
    if (!met) std::cout << "waits for busd at " << node.endpoint() << std::endl;
  });
  if (auto up = co_await node.connect(use_awaitable); !up) throw bus::BadResult(up.error());
  patience.cancel();
  if (what == "post") co_await post(node, name, argument);
  if (what == "read") co_await read(node, name, argument);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string what = argc == 4 ? argv[1] : "";
  if (what != "post" && what != "read") {
    std::cerr << "usage: mail post NAME TEXT | mail read NAME FILE" << std::endl;
    return 2;
  }
  if (auto good = bus::check_channel_name(argv[2]); !good) throw bus::BadResult(good.error());
  boost::asio::io_context loop;
  bus::Bus node(loop, {.node = "mail-" + std::to_string(::getpid())});
  boost::asio::co_spawn(loop, run(node, what, argv[2], argv[3]), [](std::exception_ptr error) {
    if (error) std::rethrow_exception(error);
  });
  loop.run();
} catch (const std::exception& problem) {
  std::cerr << "mail: " << problem.what() << std::endl;
  return 1;
}
