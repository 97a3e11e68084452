// A node that calls the game and mirrors its players. Its commands come to its admin socket, so
// curl is enough to play: see scripts/try. It could as well be a gate.
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/numbers.hpp"
#include "chat.hpp"
#include "nodes/runtime/node.hpp"
#include "nodes/service/partitions.hpp"
#include "player_copy.hpp"
#include "players.hpp"

namespace {

using namespace game;
using starbus::daemon::AdminRole;
using starbus::daemon::Reply;
using starbus::daemon::Request;
using starbus::daemon::Response;

/// 503 is what may be better in a moment: a partition that moves, a node that is full.
unsigned status_of(const rpc::Error& error) {
  if (error == rpc::Errc::refused) return 422;
  if (rpc::is_absent(error)) return 404;
  return 503;
}

/// The answer over HTTP: the value of a call as JSON, or why there is none.
template <class Answer>
Response respond(const char* what, const Answer& answer) {
  if (!answer) return Response::error(status_of(answer.error()), answer.error().to_string());
  return Response::json({{what, *answer}});
}

class Console final : public nodes::App {
 public:
  bus::Result<> start(nodes::Node& node) override {
    node_ = &node;
    node.require(std::string("partition/") + kChat + "/", kChatPartitions);
    node.require(std::string("partition/") + kPlayers + "/", kPlayersPartitions);
    node.require(kShopChannel);
    chat_.emplace(node.rpc(), kChat, kChatPartitions);
    players_.emplace(node.rpc(), kPlayers, kPlayersPartitions);
    auto& admin = node.process_context().admin;
    admin.post_async("/say", [this](const Request& request, const Reply& reply) {
      const std::string room = request.parameter_or("room", "lobby");
      chat_->call<&Chat::say>(room, {}, room, request.parameter_or("line", ""))(
          [reply](const auto& lines) { reply(respond("lines", lines)); });
    });
    admin.get_async(
        "/history", AdminRole::read, [this](const Request& request, const Reply& reply) {
          const std::string room = request.parameter_or("room", "lobby");
          chat_->call<&Chat::history>(
              room, {}, room)([reply](const auto& lines) { reply(respond("lines", lines)); });
        });
    admin.post_async("/enter", [this](const Request& request, const Reply& reply) {
      enter(request.parameter_or("player", ""), reply);
    });
    admin.post_async("/score", [this](const Request& request, const Reply& reply) {
      add_score(request, reply);
    });
    admin.post_async("/buy", [this](const Request& request, const Reply& reply) {
      const auto kind = starbus::parse_number<std::int64_t>(request.parameter_or("kind", "1"));
      if (!kind) return reply(Response::error(400, "kind is a number"));
      rpc::call<&Player::buy>(node_->rpc(), channel_in(request), {}, *kind)(
          [reply](const auto& asked) { reply(respond("asked", asked)); });
    });
    admin.post_async("/travel", [this](const Request& request, const Reply& reply) {
      rpc::call<&Player::travel>(node_->rpc(), channel_in(request), {},
                                 request.parameter_or("to", ""))([reply](const auto& told) {
        if (told) return reply(Response::json({{"travels", true}}));
        reply(Response::error(status_of(told.error()), told.error().to_string()));
      });
    });
    admin.get("/players", AdminRole::read,
              [this](const Request&) { return Response::json(copies()); });
    return {};
  }
  std::string status() const override { return std::to_string(copies_.size()) + " copies"; }

 private:
  static constexpr std::size_t kMostCopies = 1'000;

  /// By key: to the partition that the name says, wherever that is.
  void enter(const std::string& name, const Reply& reply) {
    if (copies_.size() == kMostCopies && !copies_.contains(name)) {
      return reply(Response::error(503, "too many players are mirrored here"));
    }
    players_->call<&Players::enter>(name, {}, name)([this, name, reply](const auto& channel) {
      if (channel && !copies_.contains(name)) {
        copies_.emplace(name, std::make_unique<PlayerCopy>(node_->rpc(), node_->timers(), name));
      }
      reply(respond("channel", channel));
    });
  }
  static std::string channel_in(const Request& request) {
    return player_channel(request.parameter_or("player", ""));
  }
  /// By name: to the entity itself.
  void add_score(const Request& request, const Reply& reply) {
    const auto points = starbus::parse_number<std::int64_t>(request.parameter_or("points", "1"));
    if (!points) return reply(Response::error(400, "points is a number"));
    rpc::call<&Player::add_score>(node_->rpc(), channel_in(request), {}, *points)(
        [reply](const auto& score) { reply(respond("score", score)); });
  }
  /// Asks no other process: the copies are here.
  nlohmann::json copies() const {
    nlohmann::json all = nlohmann::json::object();
    for (const auto& [name, copy] : copies_) {
      const replica::MirrorStatus status = copy->status();
      all[name] = copy->state().to_json();
      all[name]["current"] = status.current;
      all[name]["age_ms"] = status.age.count();
    }
    return all;
  }

  nodes::Node* node_ = nullptr;
  std::optional<service::Partitions> chat_;
  std::optional<service::Partitions> players_;
  std::map<std::string, std::unique_ptr<PlayerCopy>> copies_;
};

}  // namespace

int main(int argc, char** argv) {
  return nodes::run_node({.role = "console",
                          .version = "0.1",
                          .description = "Calls the game and mirrors its players.",
                          .program = "game-console"},
                         std::make_unique<Console>(), argc, argv);
}
