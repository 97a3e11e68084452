/// What a simulated process does with the mail of the names that it owns: it reads with the real
/// MailReader, handles each message together with its cursor in one step (the oracle refuses a
/// handler of an earlier epoch, as a fenced database would), and acknowledges now and then. One
/// thread; one per life.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "tests/sim/users/mail_session.hpp"

namespace starbus::sim {

class World;

class MailUser {
 public:
  /// `say`: to the library of a process.
  using Say = std::function<void(const bus::Process& to, bus::ByteView record)>;
  MailUser(World& world, ProcessNode& node, Say say);

  void owned(const std::string& mailbox, bus::Epoch epoch);
  void disowned(const std::string& mailbox);
  void disowned_all();
  void stores_changed();
  void on_mail(const bus::Process& from, const MailSaid& said);
  void on_lost(const bus::ChannelId& process);
  void tick();
  /// Is there a session for this mailbox?
  bool reads(const std::string& mailbox) const;

  double diligence = 0.5;  // probability, per tick, that a message that is there is handled
  /// Takes what has come, does nothing with it, and acknowledges it: a reader whose database has
  /// refused it, and that does not mind.
  bool careless = false;

 private:
  struct Box {
    std::unique_ptr<bus::MailReader> reader;
    bus::Epoch epoch;
  };
  void read(const std::string& mailbox, Box& box);
  void check(const std::string& mailbox, const Box& box) const;

  World& world_;
  ProcessNode& node_;
  Say say_;
  std::map<std::string, Box> boxes_;
  std::uint64_t next_token_;
};

}  // namespace starbus::sim
