// A service with partitions whose state other processes mirror: chat rooms. docs/guide/services.md
// explains its parts; chat_board.cpp mirrors it.
//
//   scripts/build release chat chat-board          # into build/release/bin
//   sed -i "s/USER/$(id -un)/" examples/chat/*.toml
//   chat --config examples/chat/chat.toml          # while scripts/up runs; more, with other names
//   chat-board --config examples/chat/board.toml   # /rooms and /say at its admin socket:
//   curl --unix-socket /tmp/board-1/admin.sock -X POST "localhost/say?room=lobby&line=hello"
//   curl --unix-socket /tmp/board-1/admin.sock localhost/rooms
//
// The manager that scripts/up starts has the type in its file, and puts its four partitions where
// hosts are.
#include "examples/chat/chat_service.hpp"
#include "examples/chat/rooms.hpp"
#include "nodes/service/service_app.hpp"

int main(int argc, char** argv) {
  auto app = std::make_unique<chat::service::ServiceApp>();
  app->add<chat::Chat>(chat::kType, {}, [](chat::service::Instance& instance, auto& node) {
    return std::make_unique<chat::Chat>(instance, node);
  });
  return chat::nodes::run_node(
      {.role = "service", .version = "1.0", .description = "Hosts chat rooms.", .program = "chat"},
      std::move(app), argc, argv);
}
