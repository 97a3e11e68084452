/// Opens readers of mailboxes and logs, and reads a page of a log through one. The readers
/// themselves are in MailReaders. One thread.
#pragma once

#include "bus/client/mail_readers.hpp"
#include "bus/client/mailbox.hpp"
#include "bus/client/parts/bus_context.hpp"

namespace starbus::bus {

class MailOpener {
 public:
  MailOpener(BusContext& context, MailReaders& readers) : context_(context), readers_(readers) {}

  /// See Bus::open_mailbox, Bus::follow and Bus::read.
  void open_mailbox(const std::string& name, const MailboxOptions& options, Done<Mailbox> done);
  void follow(const std::string& log, const LogOptions& options, Done<LogReader> done);
  void read(const std::string& log, std::uint64_t from, std::size_t max,
            std::chrono::milliseconds deadline, Done<LogPage> done);

 private:
  struct PageReading;

  Result<> may_read(const std::string& name, PostTarget target);
  template <class Handle>
  void open(MailReader::Settings settings, std::chrono::milliseconds deadline, Done<Handle> done);
  static void read_on(const std::shared_ptr<PageReading>& reading);

  BusContext& context_;
  MailReaders& readers_;
};

}  // namespace starbus::bus
