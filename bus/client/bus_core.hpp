/// Part of bus.hpp, which forwards to it: the operations of a Bus, each completed by a Done.
///
/// Message, Responder, WatchHandle and the mail streams refer to it weakly, so that they may
/// outlive the Bus. Its parts are in parts/bus_parts.hpp, which no user includes. One thread, that
/// which constructs it and runs the io_context; every operation checks that.
#pragma once

#include <memory>
#include <span>

#include "bus/client/bus_types.hpp"
#include "bus/client/done.hpp"
#include "bus/client/mailbox.hpp"

namespace boost::asio {
class io_context;
}

namespace starbus::bus {

class BusParts;
class HandedSends;
class WatchHandle;
struct Destination;
struct Envelope;
struct HandedMessage;
enum class PostTarget : std::uint8_t;

class BusCore final : public std::enable_shared_from_this<BusCore> {
 public:
  /// Throws std::invalid_argument if the node's name is invalid.
  static std::shared_ptr<BusCore> make(boost::asio::io_context& loop, Options options);
  ~BusCore();

  /// As in Bus, with a completion.
  void connect(Done<> done);
  void flush(std::chrono::milliseconds deadline, Done<> done);
  void room(const std::string& to, Lane lane, Done<> done);
  void close(std::chrono::milliseconds deadline, Done<> done);
  /// Ends everything: pending operations complete with the reason. Idempotent.
  void shut(const Error& reason);

  /// As in Bus.
  void bind(std::string name, Handlers handlers, Done<Bound> done);
  void unbind(const std::string& name, Done<> done);
  void move(const std::string& name, const std::string& target, std::function<Bytes()> freeze,
            Done<> done);
  void on_arrival(std::string prefix, ArrivalHandlers handlers);
  Epoch epoch(std::string_view name) const;

  /// `done` may be null: then nothing acknowledges the message.
  Result<> send(const Name& to, ByteView body, const SendOptions& options, Done<> done = nullptr);
  Result<> send(std::string_view to, ByteView body, const SendOptions& options,
                Done<> done = nullptr);
  /// As send; a refusal completes too.
  void send_acknowledged(const std::string& to, ByteView body, const SendOptions& options,
                         Done<> done);
  Result<> multicast(std::span<const std::string> to, ByteView body, const SendOptions& options);
  Result<> announce(std::string_view group, ByteView body, const SendOptions& options);
  void call(const std::string& to, ByteView body, const CallOptions& options, Done<Bytes> done);
  /// Answers a call: for Responder.
  Result<> reply(const Destination& to, Lane lane, const Envelope& envelope, ByteView body);

  /// As in Bus.
  void post(const std::string& mailbox, ByteView body, const PostOptions& options,
            Done<std::uint64_t> done);
  void append(const std::string& log, ByteView body, const PostOptions& options,
              Done<std::uint64_t> done);
  void open_mailbox(const std::string& name, const MailboxOptions& options, Done<Mailbox> done);
  void follow(const std::string& log, const LogOptions& options, Done<LogReader> done);
  void read(const std::string& log, std::uint64_t from, std::size_t max,
            std::chrono::milliseconds deadline, Done<LogPage> done);

  /// As Bus::watch.
  Result<WatchHandle> watch(std::string prefix, std::function<void(const WatchUpdate&)> on_update,
                            std::function<void(const Error&)> on_error);
  /// For WatchHandle.
  void end_watch(const std::string& prefix, std::uint64_t id);

  /// As in Bus: each replaces the callback.
  void on_undelivered(std::function<void(const Undelivered&)> callback);
  void on_link(std::function<void(LinkState, const Error&)> callback);
  void on_lease_lost(std::function<void()> callback);
  void on_ended(std::function<void(const Error&)> callback);
  void on_warning(std::function<void(const std::string&)> callback);
  /// Sends what another thread has handed over; a refusal completes it, or is undelivered.
  void send_handed(HandedMessage message);
  /// What Sender hands over. From any thread.
  const std::shared_ptr<HandedSends>& handed() const;

  /// As in Bus. `self` has the incarnation of this process.
  const std::string& node() const;
  const std::string& endpoint() const;
  const std::string& host() const;
  Process self() const;
  BusCounters counters() const;
  std::vector<Unacknowledged> unacknowledged(std::size_t most) const;
  /// From any thread.
  std::string handling() const;
  boost::asio::io_context& loop() const;
  /// For the parts of the library.
  BusParts& parts() { return *parts_; }

 private:
  explicit BusCore(std::unique_ptr<BusParts> parts);

  std::unique_ptr<BusParts> parts_;
};

}  // namespace starbus::bus
