/// What a manager is to those who ask for ids, without one: a class of its methods cannot be
/// declared twice in a program, so it answers with bytes.
#pragma once

#include <cstdint>

#include "entity/archive/archive.hpp"
#include "entity/rpc/wire.hpp"
#include "nodes/manager/cluster_report.hpp"

namespace starbus::nodes::manager::test {

class FakeAllocator {
 public:
  explicit FakeAllocator(std::uint64_t block) : block_(block) {}

  /// For the name of the manager.
  bus::Handlers handlers() {
    bus::Handlers made;
    made.on_call = [this](bus::Call& call) {
      ++asked;
      bus::Bytes bytes;
      entity::Encoder out(bytes);
      if (refuse) {
        entity::rpc::put_error(out, {entity::rpc::Errc::failed, "as the test wants it"});
      } else {
        entity::rpc::put_reply_head(out, entity::rpc::ReplyKind::value);
        entity::put_value(out, IdRange{next_, next_ + block_ - 1});
        next_ += block_;
      }
      EXPECT_TRUE(call.reply(bus::ByteView(bytes)));
    };
    return made;
  }

  bool refuse = false;
  int asked = 0;

 private:
  const std::uint64_t block_;
  std::uint64_t next_ = 1;
};

}  // namespace starbus::nodes::manager::test
