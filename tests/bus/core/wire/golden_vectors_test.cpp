/// The wire format, byte for byte. A failure here means that a peer of another build no longer
/// understands this one: change the protocol version, not the vector.
#include <gtest/gtest.h>

#include "bus/core/wire/bundle.hpp"
#include "bus/core/wire/data.hpp"
#include "bus/core/wire/record_admin.hpp"
#include "bus/core/wire/record_mail.hpp"
#include "bus/core/wire/record_moves.hpp"
#include "bus/core/wire/record_readers.hpp"
#include "bus/core/wire/record_shards.hpp"
#include "tests/bus/core/wire/golden_vectors.hpp"

namespace starbus::bus {
namespace {

const Process kProcess{0x11121314, 0x21222324, 0x3132333435363738};
const ChannelId kNamed{0x4142434445464748, 0x5152535455565758};
const Epoch kEpoch = Epoch::of(3, 17);
const Lineage kLineage = Epoch::of(2, 9);
const Ticket kTicket{kProcess, {0x61626364, 0x71727374, 0x8182838485868788}, 5};

ByteView payload_of(const Bytes& record) {
  return ByteView(record).subspan(kRecordHeader);
}

template <class Record>
void expect_golden(const std::string& name, const Record& record) {
  SCOPED_TRACE(name);
  const Bytes golden = golden_bytes(name);
  Bytes encoded;
  encode(record, encoded);
  EXPECT_EQ(hex_of(encoded), hex_of(golden));
  const auto decoded = decode<Record>(payload_of(golden));
  ASSERT_TRUE(decoded);
  Bytes again;
  encode(*decoded, again);
  EXPECT_EQ(hex_of(again), hex_of(golden));
}

TEST(GoldenVectors, OfTheSession) {
  expect_golden("hello", Hello{0, PartyKind::busd, "hostA", "node", kProcess.incarnation,
                               Epoch::of(3, 0), "starbus 0.1.0", 7});
  expect_golden("welcome", Welcome{0,
                                   kProcess,
                                   "hostA",
                                   Epoch::of(3, 0),
                                   {"entity/", "service/"},
                                   {""},
                                   200'000,
                                   "starbus 0.1.0",
                                   30'000});
  expect_golden("welcome_trust", Welcome{2,
                                         kProcess,
                                         "hostA",
                                         Epoch::of(3, 0),
                                         {"entity/", "service/"},
                                         {""},
                                         200'000,
                                         "starbus 0.1.0",
                                         30'000,
                                         Trust::server,
                                         0x0102030405});
  expect_golden("reset", Reset{Errc::bad_bytes, "bundle out of order"});
  expect_golden("bye", Bye{});
  expect_golden("heartbeat",
                Heartbeat{0x0102030405060708, 0x1112131415161718, 1'000'000, 2'000'000});
}

TEST(GoldenVectors, OfReplies) {
  expect_golden("probe", Probe{Lane::call, kProcess, kNamed, 12});
  expect_golden("ack", Ack{Lane::sync, kProcess, kNamed, kLineage, 12});
  expect_golden("nack", Nack{Lane::bulk, kProcess, kNamed, 12, NackReason::gap, kLineage, 10});
  expect_golden("open", Open{Lane::call, "entity/7"});
}

TEST(GoldenVectors, OfTables) {
  expect_golden("rows_taken", RowsTaken{kProcess, {kNamed, {1, 2}}});
  expect_golden("process_up", ProcessUp{kProcess, "space-1", "node", 4242, true});
  expect_golden(
      "table",
      Table{kProcess,
            {{"entity/7", kEpoch, kLineage, RowState::active, {}},
             {"entity/8", Epoch::of(3, 18), Epoch::of(3, 18), RowState::frozen, kTicket}}});
  expect_golden("table_end", TableEnd{});
  expect_golden("process_dead", ProcessDead{kProcess});
}

TEST(GoldenVectors, OfMoves) {
  expect_golden("move", Move{kProcess, kNamed, kEpoch, kTicket});
  expect_golden("move_ok", MoveOk{kProcess, kNamed, kEpoch, kLineage, kTicket});
  expect_golden("no_move", NoMove{kProcess, kNamed, kTicket, Errc::busy, "not freed"});
  expect_golden("attach", Attach{kProcess, "entity/7", kTicket});
  expect_golden("reclaim", Reclaim{kProcess, "entity/7", kTicket});
  expect_golden("reclaimed", Reclaimed{kProcess, kNamed, kEpoch, kLineage, kTicket});
  expect_golden("moved", Moved{kProcess, kNamed, kTicket});
  const auto bytes = [](std::string_view text) {
    return Bytes(as_bytes(text).begin(), as_bytes(text).end());
  };
  expect_golden("state", State{kTicket,
                               "entity/7",
                               kEpoch,
                               kLineage,
                               {{kProcess, Lane::sync, 12}},
                               {{kNamed, "entity/8", Lane::bulk, 250, bytes("waits")}},
                               bytes("hp 42")});
  expect_golden("state_refused", StateRefused{kTicket, Errc::move_refused, "no handler"});
}

TEST(GoldenVectors, OfDurableChannels) {
  expect_golden("resume", Resume{kProcess, 5, "store/17", kLineage});
  expect_golden("posted", Posted{Lane::call,
                                 kProcess,
                                 kNamed,
                                 kLineage,
                                 12,
                                 true,
                                 {{11, Errc::ok, 7}, {12, Errc::mailbox_full, 0}}});
}

TEST(GoldenVectors, OfReadersOfMail) {
  constexpr std::uint64_t kToken = 0x0102030405060708;
  const ByteView hello = as_bytes("hello");
  expect_golden("mail_open", MailOpen{kToken, PostTarget::mailbox, "player/42", kEpoch, 7, false, 5,
                                      262'144, kLineage});
  expect_golden("mail_opened", MailOpened{kToken, Errc::ok, "", 7, 9});
  expect_golden("mail_items",
                MailItems{kToken,
                          {{8, 1'700'000'000'000, Errc::ok, {}, {hello.begin(), hello.end()}},
                           {9, 0, Errc::corrupt, {}, {}}}});
  expect_golden("mail_consumed", MailConsumed{kToken, 133});
  expect_golden("mail_ack", MailAck{kToken, 9, "no such item"});
  expect_golden("mail_acked", MailAcked{kToken, 9});
  expect_golden("mail_attempts", MailAttempts{kToken, 9, 3});
  expect_golden("mail_refused",
                MailRefused{kToken, 9, Errc::store_full, "the disk of its host has no space"});
  expect_golden("mail_end", MailEnd{kToken, Errc::superseded, "a later owner"});
}

TEST(GoldenVectors, OfShardsThatMove) {
  constexpr std::uint64_t kToken = 0x0102030405060708;
  const auto bytes = [](std::string_view text) {
    const ByteView view = as_bytes(text);
    return Bytes(view.begin(), view.end());
  };
  expect_golden("shard_take", ShardTake{kToken, 17, true, "host-b", kLineage, kLineage});
  using What = ShardChange::What;
  expect_golden("shard_rows", ShardRows{kToken,
                                        17,
                                        3,
                                        true,
                                        kLineage,
                                        1,
                                        2,
                                        10,
                                        {{What::put, bytes("m1"), bytes("row")},
                                         {What::erase, bytes("f2"), {}},
                                         {What::erase_range, bytes("b1"), bytes("b2")}}});
  expect_golden("shard_more", ShardMore{kToken, 17, 3});
  expect_golden("shard_given", ShardGiven{kToken, 17, Errc::busy, "another takes it"});
}

TEST(GoldenVectors, OfRequests) {
  expect_golden("bind", Bind{kProcess, 5, "entity/7"});
  expect_golden("attached", Attached{kProcess, kTicket, "entity/7", kEpoch, kLineage});
  expect_golden("refused",
                Refused{kProcess, kTicket, "entity/7", Errc::already_bound, "hostB.space-2"});
  expect_golden("active", Active{kProcess, kNamed, kEpoch});
  expect_golden("active_ok", ActiveOk{kProcess, kNamed, kEpoch});
  expect_golden("unbind", Unbind{kProcess, kNamed, kEpoch});
  expect_golden("unbound", Unbound{kProcess, kNamed, kEpoch});
  expect_golden("freed", Freed{kProcess, kNamed, kTicket});
  expect_golden("freed_ok", FreedOk{kProcess, kNamed, kTicket});
}

TEST(GoldenVectors, OfWatchesAndQueries) {
  expect_golden("watch", Watch{"entity/"});
  expect_golden("unwatch", Unwatch{"entity/"});
  expect_golden("watch_rows",
                WatchRows{"entity/",
                          true,
                          false,
                          {{true, "entity/7", kProcess, "hostA.space-1", kEpoch, kLineage},
                           {false, "entity/8", {}, "", {}, {}}}});
  expect_golden("watch_refused", WatchRefused{"entity/", Errc::watch_too_large, "131072 names"});
  expect_golden("query", Query{"hostA", 7, "root", "/topology?depth=2"});
  expect_golden("role_query",
                RoleQuery{{"hostA", 7, "root", "/topology?depth=2", AdminRole::read}});
  const ByteView body = as_bytes("{\"ok\":true}");
  expect_golden("answer", Answer{"hostA", 7, 200, {body.begin(), body.end()}});
  expect_golden("room", Room{});
  expect_golden("vitals", Vitals{1'000, 10, 65'536, kNamed, 4'096, 2, 750, "entity/7"});
  expect_golden("withdraw", Withdraw{Lane::call, kProcess, kNamed, 12});
  expect_golden("undelivered", UndeliveredReport{kNamed, "entity/7", Errc::owner_lost, 3});
  expect_golden("trace", HopTrace{kProcess.host,
                                  7,
                                  kNamed,
                                  Lane::bulk,
                                  TraceEnd::owner,
                                  {{"hostA", 1'000, 64}, {"root", 2'000, 0}}});
}

TEST(GoldenVectors, OfARun) {
  const Bytes golden = golden_bytes("run");
  const auto run = decode_run(payload_of(golden));
  ASSERT_TRUE(run);
  EXPECT_EQ(run->origin, kProcess);
  EXPECT_EQ(run->channel, kNamed);
  EXPECT_EQ(run->lineage, kLineage);
  RunReader reader(*run);
  const auto first = reader.next();
  EXPECT_EQ(first->prev, 10u);
  EXPECT_EQ(first->seq, 12u);
  EXPECT_EQ(as_text(first->body), "first");
  EXPECT_TRUE(reader.next()->tombstone);
  const auto last = reader.next();
  EXPECT_EQ(last->prev, 13u);
  EXPECT_EQ(last->seq, 300u);
  EXPECT_EQ(as_text(last->body), "last");
  Bytes items;
  Writer writer(items);
  writer.put(std::uint32_t{5});
  writer.put(std::uint32_t{0});
  writer.bytes(as_bytes("first"));
  writer.put(kTombstone);
  writer.put(std::uint32_t{1});
  writer.put(std::uint32_t{4});
  writer.put(std::uint32_t{287});
  writer.bytes(as_bytes("last"));
  Bytes encoded;
  encode_run({Lane::sync, 3, kProcess, kNamed, kLineage, 10, 12, items}, encoded);
  EXPECT_EQ(hex_of(encoded), hex_of(golden));
}

TEST(GoldenVectors, OfAMulticast) {
  const Bytes golden = golden_bytes("multicast");
  const Multicast multicast{
      Lane::bulk, kProcess, {{kNamed, kLineage, 0, 1}, {{6, 7}, kEpoch, 1, 2}}, as_bytes("to all")};
  Bytes encoded;
  encode_multicast(multicast, encoded);
  EXPECT_EQ(hex_of(encoded), hex_of(golden));
  const auto decoded = decode_multicast(payload_of(golden));
  ASSERT_TRUE(decoded);
  Bytes again;
  encode_multicast(*decoded, again);
  EXPECT_EQ(hex_of(again), hex_of(golden));
}

TEST(GoldenVectors, OfChunks) {
  const std::string piece = "\x0apiece";
  const Chunk chunks[] = {{Lane::bulk, true, false, 100'000, as_bytes(piece)},
                          {Lane::bulk, false, true, 0, as_bytes("the end")}};
  const std::string names[] = {"chunk", "chunk_last"};
  for (std::size_t i = 0; i < 2; ++i) {
    const Bytes golden = golden_bytes(names[i]);
    Bytes encoded;
    encode_chunk(chunks[i], encoded);
    EXPECT_EQ(hex_of(encoded), hex_of(golden));
    const auto decoded = decode_chunk(payload_of(golden));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->first, chunks[i].first);
    EXPECT_EQ(decoded->last, chunks[i].last);
    EXPECT_EQ(decoded->total, chunks[i].total);
    EXPECT_EQ(as_text(decoded->bytes), as_text(chunks[i].bytes));
  }
}

TEST(GoldenVectors, OfABundle) {
  const Bytes golden = golden_bytes("bundle");
  const auto header = decode_bundle_header(golden);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->session, 0x6162636465666768u);
  EXPECT_EQ(header->number, 3u);
  EXPECT_EQ(header->consumed, 4096u);
  Bytes bundle(kBundleHeaderSize);
  encode(Bye{}, bundle);
  seal_bundle(bundle, header->session, header->number, header->consumed);
  EXPECT_EQ(hex_of(bundle), hex_of(golden));
}

}  // namespace
}  // namespace starbus::bus
