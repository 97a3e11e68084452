#include "bench/gate/roles.hpp"

#include <functional>

#include "bench/gate/load/bare_echo.hpp"
#include "bench/gate/load/handshakes.hpp"
#include "bench/gate/load/mqtt_load.hpp"
#include "bench/gate/load/shop.hpp"

namespace starbus::bench::gate {

struct Roles::Chosen {
  MqttOptions mqtt;
  HandshakeOptions handshakes;
  BareServer bare_server;
  BareLoad bare_load;
  int port = 0;
  std::function<int()> run{};
};

Roles::Roles(CLI::App& app) : chosen_(std::make_shared<Chosen>()) {
  Chosen& chosen = *chosen_;
  CLI::App* roles = app.add_subcommand("role")->group("");  // not in the help
  const auto add = [&](const char* name, int& port, std::function<int()> run) {
    CLI::App* one = roles->add_subcommand(name);
    one->add_option("--port", port)->required();
    one->callback([&chosen, run = std::move(run)] { chosen.run = run; });
    return one;
  };
  MqttOptions& mqtt = chosen.mqtt;
  CLI::App* one = add("mqtt", mqtt.port, [&mqtt] { return run_mqtt_load(mqtt); });
  one->add_option("--clients", mqtt.clients);
  one->add_option("--bytes", mqtt.bytes);
  one->add_flag("--tls", mqtt.tls);
  one->add_flag("--answered", mqtt.answered);
  add("responder", chosen.port, [&chosen] { return run_mqtt_responder(chosen.port); });
  add("shop", chosen.port, [&chosen] { return run_shop(chosen.port); });
  HandshakeOptions& shakes = chosen.handshakes;
  one = add("handshakes", shakes.port, [&shakes] { return run_handshakes(shakes); });
  one->add_option("--seconds", shakes.seconds);
  BareServer& server = chosen.bare_server;
  one = add("bare-server", server.port, [&server] { return run_bare_server(server); });
  one->add_option("--endpoint", server.endpoint);
  one->add_option("--subjects", server.subjects);
  one->add_option("--method", server.method);
  one->add_option("--bytes", server.bytes);
  BareLoad& load = chosen.bare_load;
  one = add("bare-load", load.port, [&load] { return run_bare_load(load); });
  one->add_option("--clients", load.clients);
  one->add_option("--bytes", load.bytes);
  one->add_option("--rate", load.rate);
  one->add_option("--seconds", load.seconds);
}

std::optional<int> Roles::run() const {
  if (!chosen_->run) return std::nullopt;
  return chosen_->run();
}

}  // namespace starbus::bench::gate
