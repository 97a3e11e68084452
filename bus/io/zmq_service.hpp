/// One ZeroMQ context per io_context, with its authenticator and its departing sockets.
///
/// An Asio service: made at the first use, ended with the io_context. Belongs to the loop's thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>
#include <map>

#include "bus/io/zmq_socket.hpp"

namespace starbus::bus::io {

/// Decides whether the holder of a CURVE key (Z85) at an address may come in.
using ZapDecision = std::function<bool(std::string_view key, const std::string& address)>;

class ZmqService final : public boost::asio::execution_context::service {
 public:
  using key_type = ZmqService;
  static inline boost::asio::execution_context::id id;

  explicit ZmqService(boost::asio::execution_context& context);
  ~ZmqService() override;
  /// The service of this context; the first call makes it.
  static ZmqService& of(boost::asio::io_context& context);

  /// A raw socket; null on failure. The caller gives it back to `close`.
  void* open(int type);
  void close(void* socket);
  /// An inproc address that no other monitor of this context has.
  std::string new_monitor_name();

  /// Keeps a socket that is closing for a moment: ZeroMQ drops bytes that a peer has not read yet
  /// when the connection ends, so the connection must outlive the last message.
  void let_go(std::unique_ptr<ZmqSocket> socket);

  /// A name for ZMQ_ZAP_DOMAIN under which `decide` is asked until it is removed.
  std::string add_domain(ZapDecision decide);
  void remove_domain(const std::string& domain);

 private:
  void shutdown() override;
  void start_zap();
  bool answer_zap();

  void* context_;
  std::size_t open_ = 0;
  std::uint64_t names_ = 0;
  std::map<std::string, ZapDecision, std::less<>> domains_;
  std::unique_ptr<ZmqSocket> zap_;
  struct Departing;
  std::list<Departing> departing_;
};

/// Owns a domain of the authenticator.
class ZapDomain {
 public:
  ZapDomain(boost::asio::io_context& context, ZapDecision decide)
      : service_(ZmqService::of(context)), name_(service_.add_domain(std::move(decide))) {}
  ~ZapDomain() { service_.remove_domain(name_); }
  ZapDomain(const ZapDomain&) = delete;
  ZapDomain& operator=(const ZapDomain&) = delete;
  const std::string& name() const { return name_; }

 private:
  ZmqService& service_;
  std::string name_;
};

}  // namespace starbus::bus::io
