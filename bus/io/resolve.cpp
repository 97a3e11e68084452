#include "bus/io/resolve.hpp"

#include <boost/asio/post.hpp>

namespace starbus::bus::io {

namespace asio = boost::asio;

void Resolve::start(const Endpoint& endpoint, std::function<void(Result<Addresses>)> done) {
  boost::system::error_code not_literal;
  const auto address = asio::ip::make_address(endpoint.host, not_literal);
  if (!not_literal) {
    asio::post(resolver_.get_executor(), [done = std::move(done), address, port = endpoint.port] {
      done(Addresses{{address, port}});
    });
    return;
  }
  resolver_.async_resolve(
      endpoint.host, std::to_string(endpoint.port), asio::ip::tcp::resolver::numeric_service,
      [done = std::move(done), host = endpoint.host](const auto& error, const auto& results) {
        if (error) return done(Error{Errc::unreachable, host + ": " + error.message()});
        Addresses found;
        for (const auto& entry : results) found.push_back(entry.endpoint());
        done(std::move(found));
      });
}

}  // namespace starbus::bus::io
