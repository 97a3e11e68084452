// The service itself. Its callers include it, too: its methods are what they call.
#pragma once

#include "examples/chat/rooms.hpp"
#include "nodes/replica/publisher.hpp"
#include "nodes/runtime/node.hpp"
#include "nodes/service/service.hpp"

namespace chat {

namespace nodes = starbus::nodes;
namespace rpc = starbus::entity::rpc;
namespace service = starbus::nodes::service;

/// The rooms of one partition. What was said is forgotten with the host.
class Chat final : public service::Service, public rpc::Callable<Chat> {
 public:
  Chat(service::Instance& instance, nodes::Node& node)
      : instance_(instance), publisher_(node.rpc(), instance.epoch(), [this] {
          return entity::encode(state_.rooms).value();
        }) {
    attach(publisher_).value();
  }

  service::Result<> say(rpc::Caller&, std::string room, std::string line) {
    if (auto mine = instance_.check(room); !mine) return mine;
    if (room.size() > kLongest || line.size() > kLongest) {
      return service::Error(service::Errc::too_many, "bytes in a name or a line");
    }
    if (state_.rooms.size() == kMostRooms && !state_.rooms.contains(room)) {
      return service::Error(service::Errc::too_many, "rooms");
    }
    state_.add(room, line);
    publisher_.publish(entity::encode(room, line).value());
    return {};
  }
  static constexpr auto kRpc = rpc::methods<&Chat::say>();

 private:
  service::Instance& instance_;
  Rooms state_;
  replica::Publisher publisher_;
};

}  // namespace chat
