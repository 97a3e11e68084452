/// The parts of Mail over a real store with one mailbox; what the shell is told, as text.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "mail/batch/batch_boxes.hpp"
#include "mail/batch/mail_batch.hpp"
#include "mail/batch/waiting_queue.hpp"
#include "mail/mail_state.hpp"
#include "tests/mail/filled_store.hpp"
#include "tests/mail/mail_fixture.hpp"

namespace starbus::mail::test {

class BatchTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kLast = 5;

  explicit BatchTest(MailQuota quota = {}) {
    store_.fill(kBox, 0, kLast);
    mail_ = std::make_unique<MailState>(store_.store(), shell_, std::move(quota));
    EXPECT_TRUE(mail_->shards.open(shard(), kLife, shell_.now_ms));
    batch_.all = mail_->shards.totals();
  }

  static std::uint8_t shard() { return bus::shard_of(box()); }
  static ChannelId box() { return channel_id(kBox); }
  static StreamId stream() { return {shard_channel(shard()).id(), kAlice, bus::Lane::call}; }
  static Bytes message(const std::string& body, const std::string& key = "") {
    Bytes message;
    bus::encode_post_head({PostTarget::mailbox, kBox, key, {}}, message);
    const ByteView bytes = as_bytes(body);
    message.insert(message.end(), bytes.begin(), bytes.end());
    return message;
  }
  static Opening opening(std::uint64_t token, Epoch epoch = kLife) {
    Opening one;
    one.id = {kAlice, token};
    one.open.token = token;
    one.open.name = kBox;
    one.open.epoch = epoch;
    one.box = box();
    return one;
  }
  OpenShard& open_shard() { return *mail_->shards.at(shard()); }
  /// The box as this batch leaves it.
  BoxRow row() { return *mail_->boxes.find(shard(), box()).value()->row; }
  /// Puts the rows of a batch on the disk, with the boxes.
  void keep(MailBatch& batch) {
    mail_->boxes.write(batch.rows);
    ASSERT_TRUE(commit(store_.store(), std::exchange(batch.rows, {})));
    mail_->boxes.keep([](const ChannelId&, const BoxRow&) {});
  }

  FilledStore store_;
  Shell shell_;
  std::unique_ptr<MailState> mail_;
  MailBatch batch_;
};

}  // namespace starbus::mail::test
