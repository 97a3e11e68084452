/// What a simulated process does with the logs of its world: it follows all of them with the real
/// MailReader and saves, with what each message does, its number in the game's database, where the
/// next life of this process finds it. Now and then it begins anew: from there, or as one who has
/// just joined and wants nothing old. One thread; one per life.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "tests/sim/users/mail_session.hpp"

namespace starbus::sim {

class World;

class LogUser {
 public:
  /// `say`: to the library of a process.
  using Say = std::function<void(const bus::Process& to, bus::ByteView record)>;
  LogUser(World& world, ProcessNode& node, Say say);

  /// Follows every log, unless it does already.
  void begin();
  void stores_changed();
  void on_mail(const bus::Process& from, const MailSaid& said);
  void on_lost(const bus::ChannelId& process);
  /// Logs go on once their stores are seen again.
  void lease_lost();
  void tick();
  /// Has it handled everything up to `last`, and would it hear of more?
  bool at_end(const std::string& log, std::uint64_t last) const;

  double diligence = 0.5;       // probability, per tick, that a message that is there is handled
  double restlessness = 0.002;  // per tick and log, that it begins anew
  double joining = 0.3;         // that it does so as one who has just joined

 private:
  struct Following {
    std::unique_ptr<bus::MailReader> reader;
    bool joins = false;       // from the end; until it has begun
    std::uint64_t since = 0;  // the end when it was asked for
  };
  void begin(const std::string& log);
  void read(const std::string& log, Following& following);

  World& world_;
  ProcessNode& node_;
  Say say_;
  std::map<std::string, Following> followed_;
  std::uint64_t next_token_;
};

}  // namespace starbus::sim
