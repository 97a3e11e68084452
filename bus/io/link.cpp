#include "bus/io/link.hpp"

#include <boost/asio/post.hpp>

#include "bus/io/endpoint.hpp"
#include "bus/io/stream_connecting.hpp"
#include "bus/io/stream_listener.hpp"
#include "bus/io/zmq_connecting.hpp"
#include "bus/io/zmq_listener.hpp"

namespace starbus::bus::io {
namespace {

namespace asio = boost::asio;

/// An attempt that failed before it began; reported later, like any other.
class Stillborn final : public Connecting {
 public:
  Stillborn(asio::io_context& context, Error error, ConnectHandler on_connected)
      : handler_(std::make_shared<ConnectHandler>(std::move(on_connected))) {
    asio::post(context, [weak = std::weak_ptr(handler_), error = std::move(error)] {
      if (const auto handler = weak.lock()) (*handler)(error);
    });
  }

 private:
  std::shared_ptr<ConnectHandler> handler_;
};

Error no_keys(const std::string& endpoint) {
  // To ignore the keys would send in clear text what was meant to be encrypted.
  return Error{Errc::bad_config, "endpoint \"" + endpoint + "\": only tcp:// takes keys"};
}

}  // namespace

Result<std::unique_ptr<Listener>> listen(asio::io_context& context, const std::string& endpoint,
                                         ListenOptions options, AcceptHandler on_accept) {
  const auto parsed = parse_endpoint(endpoint);
  if (!parsed) return parsed.error();
  if (!options.keys.secret_key.empty() && parsed->scheme != Scheme::tcp) return no_keys(endpoint);
  auto socket = listen_socket(*parsed, {options.socket_mode, options.socket_group});
  if (!socket) return socket.error();
  if (parsed->is_zmq()) {
    auto listener =
        std::make_unique<ZmqListener>(context, std::move(options), std::move(on_accept));
    if (const auto begun = listener->begin(std::move(*socket)); !begun) return begun.error();
    return listener;
  }
  return std::make_unique<StreamListener>(context, std::move(*socket), std::move(on_accept));
}

std::unique_ptr<Connecting> connect(asio::io_context& context, const std::string& endpoint,
                                    ConnectOptions options, ConnectHandler on_connected) {
  auto parsed = parse_endpoint(endpoint);
  if (parsed && !parsed->is_local() && parsed->port == 0) {
    parsed = Error{Errc::bad_config, "endpoint \"" + endpoint + "\": port 0 is for listeners"};
  }
  if (parsed && !options.keys.secret_key.empty() && parsed->scheme != Scheme::tcp) {
    parsed = no_keys(endpoint);
  }
  if (!parsed) {
    return std::make_unique<Stillborn>(context, parsed.error(), std::move(on_connected));
  }
  if (parsed->is_zmq()) {
    return std::make_unique<ZmqConnecting>(context, std::move(*parsed), std::move(options),
                                           std::move(on_connected));
  }
  return std::make_unique<StreamConnecting>(context, std::move(*parsed), options.timeout,
                                            std::move(on_connected));
}

}  // namespace starbus::bus::io
