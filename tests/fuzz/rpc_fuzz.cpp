/// The dispatcher of RPC, for bytes of a server, of a gate, and of a client behind one: whatever
/// comes, no method is entered with arguments that were not whole, and rights hold. The first byte
/// of the input says who sends.
#include "entity/rpc/rpc.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace starbus;
namespace rpc = entity::rpc;

const bus::Process kServer{1, 1, 1};
const bus::Process kGate{1, 2, 1};

struct Note {
  std::string text;
  std::vector<Note> replies;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(text, replies);
  }
};

class Board : public rpc::Callable<Board>, private rpc::AnswerSink {
 public:
  Board() { answers_to(this); }
  void post(rpc::Caller& from, std::string, std::vector<Note>, std::map<int, double>) {
    bus::require(from.from != rpc::From::any_client && from.from != rpc::From::gate);
  }
  int count(rpc::Caller& from, std::optional<std::int64_t>, bool) {
    bus::require(from.from == rpc::From::server);
    return 1;
  }
  rpc::Task<int> later(rpc::Caller& from, std::vector<std::string> all) {
    bus::require(from.from != rpc::From::gate);
    co_return static_cast<int>(all.size());
  }
  static constexpr auto kRpc = rpc::methods(
      "board", rpc::method<&Board::post>("post", rpc::own_client),
      rpc::method<&Board::count>("count"), rpc::method<&Board::later>("later", rpc::any_client));

 private:
  bool take_answer(const rpc::AnswerId& question, bus::ByteView answer) override {
    static_cast<void>(rpc::decode_answer<std::vector<Note>, Note>(answer));
    return question.number == 1;
  }
};

/// A message as the bus would hand it over.
struct Arrived : bus::Message {
  Arrived(bus::ByteView bytes, const bus::Process& from) {
    channel_ = std::make_shared<const std::string>("entity/1");
    body_ = bytes;
    origin_ = from;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static boost::asio::io_context loop;
  static bus::Bus bus(loop, {.node = "fuzz"});
  static rpc::Endpoint endpoint(bus);
  static Board board;
  static const bus::Handlers handlers = [] {
    bus::WatchRow row;
    row.name = "gate/1";
    row.owner = kGate;
    endpoint.core().gates.update({row}, true);
    row.name = "server/a.b";
    row.owner = kServer;
    endpoint.core().gates.update_servers({row}, true);
    return endpoint.adopt("entity/1", board);
  }();
  const bus::ByteView input = bus::fuzz_input(data, size);
  if (input.empty()) return 0;
  Arrived message(input.subspan(1), (data[0] & 1) != 0 ? kGate : kServer);
  handlers.on_message(message);
  bus::require(board.rpc_coroutines() == 0);
  return 0;
}
