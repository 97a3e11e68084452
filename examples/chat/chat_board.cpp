// Shows all chat rooms without asking their hosts: it mirrors every partition. /rooms of its admin
// server has them, and POST /say?room=R&line=L says something, wherever the room is.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "examples/chat/chat_service.hpp"
#include "nodes/replica/mirror.hpp"
#include "nodes/service/partitions.hpp"

namespace nodes = starbus::nodes;
namespace service = starbus::nodes::service;
using nlohmann::json;
using starbus::daemon::Reply;
using starbus::daemon::Request;
using starbus::daemon::Response;

namespace {

class Board final : public nodes::App {
 public:
  chat::bus::Result<> start(nodes::Node& node) override {
    for (std::uint32_t i = 1; i <= chat::kPartitions; ++i) {
      const service::InstanceId id{chat::kType, i, chat::kPartitions};
      copies_.push_back(std::make_unique<Copy>(node, service::channel_name(id)));
    }
    node.process_context().admin.get(
        "/rooms", starbus::daemon::AdminRole::read, [this](const Request&) {
          json rooms = json::object();
          for (const auto& copy : copies_) {
            for (const auto& [room, lines] : copy->state.rooms) {
              rooms[room] = {{"lines", lines}, {"current", copy->mirror.status().current}};
            }
          }
          return Response::json(rooms);
        });
    chat_.emplace(node.rpc(), chat::kType, chat::kPartitions);
    node.process_context().admin.post_async(
        "/say", [this](const Request& request, const Reply& reply) {
          const std::string room = request.parameter_or("room", "lobby");
          chat_->call<&chat::Chat::say>(room, {}, room, request.parameter_or("line", ""))(
              [reply](const service::Answer<void, service::Error>& said) {
                reply(said ? Response::json({{"said", true}})
                           : Response::error(503, said.error().to_string()));
              });
        });
    return {};
  }
  std::string status() const override {
    const auto current = std::ranges::count_if(
        copies_, [](const auto& copy) { return copy->mirror.status().current; });
    return std::to_string(current) + " of " + std::to_string(chat::kPartitions) + " are current";
  }

 private:
  struct Copy {
    Copy(nodes::Node& node, std::string channel)
        : mirror(node.rpc(), node.timers(), std::move(channel), state) {}
    chat::Rooms state;
    chat::replica::Mirror mirror;
  };
  std::vector<std::unique_ptr<Copy>> copies_;
  std::optional<service::Partitions> chat_;
};

}  // namespace

int main(int argc, char** argv) {
  return nodes::run_node({.role = "board",
                          .version = "1.0",
                          .description = "Shows chat rooms.",
                          .program = "chat-board"},
                         std::make_unique<Board>(), argc, argv);
}
