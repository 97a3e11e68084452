/// A player's client over TCP or TLS 1.3, with or without a WebSocket: a session (session.hpp) with
/// a socket and a clock. Start here; docs/guide/game-client.md shows a whole program.
///
/// Owned by the program and used by one thread; nothing blocks but poll(). Thousands of clients may
/// share a thread: wait for fd() and deadline() of each, and call service() of those that are due.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "clients/cpp/connection.hpp"
#include "clients/cpp/session.hpp"

namespace starbus::game {

/// What a client is made of.
struct Options {
  Settings settings{};
  std::shared_ptr<const Tls> tls{};         // null: in the clear
  std::optional<std::string> web_socket{};  // the path of a WebSocket; nullopt: none
  std::string from{};                       // numeric address to connect from; empty: any
};

/// See above.
class Client {
 public:
  /// `events` must outlive it. Requests whose fate is not known when it is destroyed are not told.
  Client(Options options, Events& events);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  /// As Session's.
  bool login(Login proof) { return session_.login(std::move(proof), now()); }
  void reenter(Ticket ticket) { session_.reenter(std::move(ticket), now()); }
  Asked ask(ByteView body, Told told) { return session_.ask(body, std::move(told)); }
  void bye() { session_.bye(now()); }
  const Session& session() const { return session_; }
  State state() const { return session_.state(); }
  /// Milliseconds since 1970 at the gate; nullopt before the first greeting.
  std::optional<milliseconds> server_time() const { return session_.clock().at(now()); }
  /// Why the last connection was not made, or was lost, for logs; empty: none was.
  const std::string& trouble() const { return trouble_; }
  /// Bytes of all its connections.
  Traffic traffic() const;
  /// For tests of games: the connection that is open breaks after so many more bytes, and is made
  /// again as after any loss. False: none is open.
  bool cut_after(std::size_t bytes);

  /// Waits until something comes or is due, at most so long; then as service().
  void poll(milliseconds most);
  /// Reads, writes, and does what is due. Calls the events. Not from within one of them.
  void service();
  /// Writes what was asked and said, as far as it goes, and reads nothing: for programs that ask
  /// between two calls of service().
  void flush();
  /// The socket to wait for: readable always, writable if wants_write(). It changes with each
  /// connection: ask after each service(). -1: there is none.
  int fd() const { return connection_ ? connection_->fd() : -1; }
  bool wants_write() const { return connection_ && connection_->wants_write(); }
  /// When service() must be called at the latest, on the clock of now().
  Time deadline() const;
  /// Milliseconds of the steady clock.
  static Time now();

 private:
  void receive();
  void send();
  void drop();

  Session session_;
  const Way way_;
  std::shared_ptr<Resolver> resolver_;
  std::unique_ptr<Connection> connection_;
  Traffic before_;  // of connections that are over
  std::string trouble_;
  bool told_open_ = false;  // the session knows that the connection is open
  bool serving_ = false;
};

}  // namespace starbus::game
