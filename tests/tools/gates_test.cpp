// bustop clients, client and announce: what is gathered from gates, and how it is shown.
#include <gmock/gmock.h>

#include <map>

#include "base/hex.hpp"
#include "entity/objects/announce.hpp"
#include "tests/tools/fake_daemon.hpp"
#include "tools/bustop/gates/call_text.hpp"
#include "tools/bustop/gates/gate_commands.hpp"
#include "tools/bustop/gates/gate_readings.hpp"
#include "tools/bustop/gates/gate_view.hpp"

namespace starbus::bustop::test {

// Not in the namespace without a name: nobody defines its method.
struct ToyClient {
  void said(std::string who, std::int32_t loud, std::vector<std::string> words, bool all,
            double at);
  static constexpr auto kClient =
      entity::client_methods("toy", entity::client_method<&ToyClient::said>("said"));
};

namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const std::string kAda(32, 'a');
const std::string kBob(32, 'b');
const std::string kCid(32, 'c');

/// Gates as documents by their question.
class GatesTest : public testing::Test {
 protected:
  static json row(const std::string& session, const std::string& name) {
    return {{"session", session},    {"state", "bound"},       {"account", "account/" + name},
            {"subject", "player/1"}, {"lost_ms", 0},           {"address", "192.0.2.1"},
            {"transport", "tls"},    {"connected_ms", 65'000}, {"program", "game 1"},
            {"queued", 12},          {"round_trip_ms", 20}};
  }
  static json page(json rows, const json& next = nullptr) {
    return {{"sessions", 3}, {"clients", std::move(rows)}, {"next", next}};
  }
  NodeLook look() {
    return [this](const std::string& gate, const std::string& target) -> bus::Result<json> {
      asked.push_back(gate + target);
      const auto found = documents.find(gate + target);
      if (found != documents.end()) return found->second;
      return bus::Error(bus::Errc::no_handler, gate + ": 404");
    };
  }

  const std::vector<std::string> gates = {"a.g1", "b.g2"};
  std::map<std::string, json> documents;
  std::vector<std::string> asked;
};

TEST_F(GatesTest, ClientsOfAllGatesAreListedPageByPage) {
  documents["a.g1/clients?prefix=x"] = page(json::array({row(kAda, "xada")}), kAda);
  documents["a.g1/clients?prefix=x&after=" + kAda] = page(json::array({row(kBob, "xbob")}));
  documents["b.g2/clients?prefix=x"] = page(json::array({row(kCid, "xcid")}));
  const ClientList all = list_clients(gates, look(), {.prefix = "x"});
  EXPECT_THAT(all.rows, SizeIs(3));
  EXPECT_EQ(all.sessions, 6U);
  EXPECT_EQ(all.next, "");
  EXPECT_THAT(all.notes, IsEmpty());
  // A bound, and on from there.
  const ClientList some = list_clients(gates, look(), {.prefix = "x", .limit = 1});
  ASSERT_THAT(some.rows, SizeIs(1));
  EXPECT_EQ(some.next, "a.g1/" + kAda);
  const ClientList rest = list_clients(gates, look(), {.prefix = "x", .after = some.next});
  ASSERT_THAT(rest.rows, SizeIs(2));
  EXPECT_EQ(text_at(rest.rows[0].second, "session"), kBob);
  EXPECT_EQ(rest.rows[1].first, "b.g2");
  // One gate alone.
  asked.clear();
  EXPECT_THAT(list_clients(gates, look(), {.prefix = "x", .gate = "b.g2"}).rows, SizeIs(1));
  EXPECT_THAT(asked, ElementsAre("b.g2/clients?prefix=x"));
}

TEST_F(GatesTest, ABoundAtTheEndOfAGateGoesOnAtTheNext) {
  documents["a.g1/clients?prefix="] = page(json::array({row(kAda, "ada")}));
  documents["b.g2/clients?prefix="] = page(json::array({row(kCid, "cid")}));
  const ClientList one = list_clients(gates, look(), {.limit = 1});
  EXPECT_EQ(one.next, "b.g2/");
  const ClientList rest = list_clients(gates, look(), {.after = one.next, .limit = 1});
  ASSERT_THAT(rest.rows, SizeIs(1));
  EXPECT_EQ(rest.rows[0].first, "b.g2");
}

TEST_F(GatesTest, AGateThatDoesNotAnswerIsNoted) {
  documents["b.g2/clients?prefix="] = page(json::array({row(kCid, "cid")}));
  const ClientList list = list_clients(gates, look(), {});
  EXPECT_THAT(list.rows, SizeIs(1));
  EXPECT_THAT(list.notes, ElementsAre(HasSubstr("a.g1: ")));
}

TEST_F(GatesTest, TheTableOfClients) {
  ClientList list;
  json evil = row(kAda, "ada\x1b[2J");
  list.rows.emplace_back("a.g1", evil);
  json away = row(kBob, "bob");
  for (const char* key : {"address", "transport", "connected_ms", "queued", "round_trip_ms"}) {
    away.erase(key);
  }
  away["state"] = "away";
  list.rows.emplace_back("b.g2", away);
  list.sessions = 2;
  list.next = "b.g2/" + kBob;
  const std::string text = render_clients(list, {.prefix = "account/"}, {});
  EXPECT_THAT(text, HasSubstr("account/ada\\x1b[2J  player/1  a.g1  192.0.2.1  bound"));
  EXPECT_THAT(text, HasSubstr("tls   " + kAda));
  EXPECT_THAT(text, HasSubstr("2 clients that begin with account/, of 2 sessions"));
  EXPECT_THAT(text, HasSubstr("more: --after b.g2/" + kBob));
  const auto out = json_of_clients(list);
  EXPECT_EQ(out["clients"][0]["at"], "a.g1");
  EXPECT_EQ(out["clients"][1]["state"], "away");
  EXPECT_EQ(out["next"], list.next);
}

TEST_F(GatesTest, AClientIsFoundByNameAndBySession) {
  json whole = row(kAda, "ada");
  whole.update({{"opened_ms", 70'000},
                {"login", 4},
                {"turn", 1},
                {"bind", "3.1"},
                {"run", "5.1"},
                {"next_packet", 9},
                {"window_packets", 2},
                {"window_bytes", 300},
                {"requests_seen", 7},
                {"requests_open", 1},
                {"groups", {"guild/7"}},
                {"control_bytes", 120},
                {"traffic", {{"calls", {{"number", 5}, {"bytes", 1'200}}}}},
                {"parted", {{"why", "silent"}, {"ago_ms", 66'000}}}});
  documents["a.g1/clients?name=ada"] = page(json::array({row(kAda, "ada")}));
  documents["b.g2/clients?name=ada"] = page(json::array());
  documents["a.g1/client?id=" + kAda] = whole;
  const auto parting = [](std::uint64_t ago, const std::string& session, const char* why,
                          bool over) -> json {
    return {{"ago_ms", ago}, {"session", session}, {"why", why}, {"over", over}};
  };
  documents["a.g1/partings?name=ada"]["partings"] = json::array(
      {parting(66'000, kAda, "silent", false), parting(99'000, kBob, "replaced", true)});
  documents["b.g2/partings?name=ada"]["partings"] =
      json::array({parting(80'000, kAda, "given", true)});
  const ClientFound found = find_client(gates, look(), "ada");
  EXPECT_THAT(found.sessions, SizeIs(1));
  EXPECT_THAT(found.notes, IsEmpty());
  ASSERT_THAT(found.partings, SizeIs(3));
  EXPECT_EQ(text_at(found.partings[1].second, "why"), "given") << "newest first, of all gates";
  const std::string text = render_client(found, {});
  for (const char* part :
       {"account  account/ada, login 4\n", "plays    player/1, bind 3.1, run 5.1\n",
        "gate     a.g1, turn 1", "192.0.2.1, tls, game 1", "round trip 20 ms", "7 requests, 1 open",
        "groups   guild/7\n", "parted   1 m 6 s ago: silent\n", "calls", "1.2 kB",
        "frames of the gate", "replaced"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  const ClientFound same = find_client(gates, look(), kAda);
  EXPECT_THAT(same.sessions, SizeIs(1)) << "the other gate has no such session, which is no fault";
  EXPECT_THAT(same.notes, IsEmpty());
  EXPECT_THAT(find_client({"b.g2"}, look(), kAda).sessions, IsEmpty());
}

TEST_F(GatesTest, AnAudienceIsTheSumOfAllGates) {
  documents["a.g1/audience?group=guild%2F7"] = {{"clients", 3}, {"next", nullptr}};
  documents["b.g2/audience?group=guild%2F7"] = {{"clients", 4}, {"next", kAda}};
  documents["b.g2/audience?group=guild%2F7&after=" + kAda] = {{"clients", 5}, {"next", nullptr}};
  const Audience audience = audience_of(gates, look(), "guild/7");
  EXPECT_EQ(audience.gates, 2U);
  EXPECT_EQ(audience.clients, 12U);
  EXPECT_EQ(render_audience(audience, "guild/7"),
            "group guild/7: would be heard by 12 clients of 2 gates\n");
  documents.erase("b.g2/audience?group=guild%2F7");
  const Audience part = audience_of(gates, look(), "guild/7");
  EXPECT_EQ(part.gates, 1U);
  EXPECT_THAT(render_audience(part, "guild/7"), HasSubstr("note: b.g2: "));
}

TEST_F(GatesTest, WhoHasHeardIsTheSumOfAllGates) {
  documents["a.g1/announced?n"] = {{"state", "done"}, {"handed", 3}, {"kept", 1}};
  documents["b.g2/announced?n"] = {{"state", "speaking"}, {"handed", 2}, {"kept", 0}};
  Heard heard = heard_by(gates, look(), "n");
  EXPECT_EQ(heard.gates, 1U);
  EXPECT_EQ(heard.speaking, 1U);
  EXPECT_EQ(heard.handed, 5U);
  EXPECT_THAT(heard.notes, IsEmpty());
  Announced announced;
  announced.taken = 2;
  announced.failed = {"group/gates#c.g3: would_block"};
  const std::string text = render_announced(announced, heard, {});
  EXPECT_THAT(text, HasSubstr("taken by 2 gates, handed to 5 clients, kept for 1 that are away\n"));
  EXPECT_THAT(text, HasSubstr("1 gate have not come to the end yet"));
  EXPECT_THAT(text, HasSubstr("not taken: group/gates#c.g3: would_block"));
  documents["a.g1/announced?n"] = {{"state", "refused"}};
  documents["b.g2/announced?n"] = {{"state", "unknown"}};
  heard = heard_by(gates, look(), "n");
  EXPECT_THAT(heard.notes, ElementsAre(HasSubstr("refused it"), HasSubstr("knows nothing of it")));
}

TEST_F(GatesTest, AGateWithoutAnEndIsNoted) {
  int number = 0;
  const NodeLook endless = [&](const std::string&, const std::string&) -> bus::Result<json> {
    return page(json::array(), std::to_string(++number));
  };
  EXPECT_THAT(list_clients({"a.g1"}, endless, {}).notes,
              ElementsAre(HasSubstr("a.g1: its answers do not come to an end")));
}

TEST_F(GatesTest, DocumentsOfAnotherFormAreNoFault) {
  for (const json& odd : {json::array(), json("x"), json({{"clients", 7}, {"next", 7}}),
                          json({{"clients", {1, "x", nullptr}}})}) {
    documents["a.g1/clients?prefix="] = odd;
    documents["b.g2/clients?prefix="] = odd;
    const ClientList list = list_clients(gates, look(), {});
    EXPECT_THAT(render_clients(list, {}, {}), Not(IsEmpty()));
    static_cast<void>(json_of_clients(list));
  }
  for (const json& odd : {json::array(), json("x"), json({{"traffic", 7}, {"parted", 7}})}) {
    documents["a.g1/client?id=" + kAda] = odd;
    const ClientFound found = find_client({"a.g1"}, look(), kAda);
    EXPECT_THAT(render_client(found, {}), Not(IsEmpty()));
    static_cast<void>(json_of_client(found));
  }
}

// --- what is said --------------------------------------------------------------------------------

TEST(CallText, HasTheBytesOfATypedCall) {
  bus::Bytes typed;
  ASSERT_EQ(entity::encode_client_call<&ToyClient::said>(
                typed, "ann", -5, std::vector<std::string>{"a", "b"}, true, 1.5),
            entity::DataErrc::ok);
  const auto text =
      call_of("toy.said(str,i32,[str],b,f64)", json::parse(R"(["ann",-5,["a","b"],true,1.5])"));
  ASSERT_TRUE(text) << text.error().to_string();
  EXPECT_EQ(hex_of(*text), hex_of(bus::as_text(typed)));
  EXPECT_TRUE(call_of("toy.none()", json::array()));
  bus::Bytes notice;
  ASSERT_EQ(entity::encode_client_call<&entity::AnyClient::notice>(notice, "hello"),
            entity::DataErrc::ok);
  EXPECT_EQ(notice_of("hello").value(), bus::as_text(notice));
  // The numbers of docs/reference/client-protocol.md.
  EXPECT_EQ(hex_of(bus::as_text(notice)), "55c3cd06a59fad9a0568656c6c6f");
}

TEST(CallText, RefusesWhatDoesNotFit) {
  for (const char* method : {"", "said", "toy.said", ".said(str)", "toy.(str)", "toy.said(str"}) {
    EXPECT_EQ(call_of(method, json::array({"x"})).error(), bus::Errc::bad_name) << method;
  }
  EXPECT_EQ(call_of("toy.said(text)", json::array({"x"})).error(), bus::Errc::bad_name);
  EXPECT_EQ(call_of("toy.said([[str]])", json::array({json::array()})).error(),
            bus::Errc::bad_name);
  const std::pair<const char*, const char*> misfits[] = {
      {"u8", "256"},    {"u8", "-1"},       {"i8", "128"},    {"i8", "-129"},
      {"i32", "\"5\""}, {"i32", "1.5"},     {"str", "5"},     {"b", "1"},
      {"f64", "\"x\""}, {"[str]", "\"x\""}, {"[u8]", "[999]"}};
  for (const auto& [type, value] : misfits) {
    EXPECT_EQ(
        call_of(std::string("toy.said(") + type + ")", json::array({json::parse(value)})).error(),
        bus::Errc::bad_bytes)
        << type << " " << value;
  }
  EXPECT_EQ(call_of("toy.said(str)", json::array()).error(), bus::Errc::bad_bytes);
  EXPECT_EQ(call_of("toy.said(str)", json::object()).error(), bus::Errc::bad_bytes);
}

TEST(AnnounceCommand, SaysWhatIsWrongBeforeAnybodyIsAsked) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"announce", "*"},
        {"announce", "guild/7", "hello", "--method", "toy.said(str)"},
        {"announce", std::string(65, 'g'), "hello"},
        {"announce", "*", "--method", "toy.said(str)", "--args", "["},
        {"announce", "*", "--method", "toy.said(str)", "--args", "[7]"}}) {
    const Ran ran = run(arguments, "unix:///nowhere");
    EXPECT_EQ(ran.code, 64) << ran.out << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("bustop: announce: "));
  }
}

// --- doctor's readings ---------------------------------------------------------------------------

TEST_F(GatesTest, ReadingsOfDoctorKnowWhoIsTrustedAndWhoIsLost) {
  documents["a.g1/gate"] = {{"now_ms", 1'000}, {"sessions", 3}};
  documents["a.g1/clients?lost_ms=10000"] = page(json::array({row(kAda, "ada")}), kAda);
  documents["a.g1/clients?lost_ms=10000&after=" + kAda] = page(json::array({row(kBob, "bob")}));
  documents["b.l1/login"] = {{"now_ms", 6'000}};
  std::map<std::string, std::vector<std::string>> names = {{"gate/", {"1", "a.g1", "c.arena"}},
                                                           {"node/", {"a.g1", "b.l1", "c.arena"}},
                                                           {"server/", {"a.g1", "b.l1"}},
                                                           {"ready/login/", {"b.l1"}},
                                                           {"service/login", {"#1"}}};
  const NamesOf names_of = [&](const std::string& prefix) {
    return bus::Result<std::vector<std::string>>(names[prefix]);
  };
  const auto readings = read_gates(names_of, look(), [] { return 1'000.0; });
  ASSERT_TRUE(readings);
  ASSERT_THAT(readings->gates, SizeIs(1))
      << "gates that are no nodes of starbus are others' matter";
  EXPECT_EQ(readings->gates[0].process, "a.g1");
  EXPECT_TRUE(readings->gates[0].trusted);
  EXPECT_EQ(readings->gates[0].lost, 2U);
  EXPECT_EQ(readings->gates[0].skew_ms, 0);
  ASSERT_THAT(readings->logins, SizeIs(1));
  EXPECT_EQ(readings->logins[0].skew_ms, 5'000);
  EXPECT_TRUE(readings->login_there);
  const NamesOf denied = [](const std::string&) {
    return bus::Result<std::vector<std::string>>(bus::Error(bus::Errc::denied));
  };
  EXPECT_EQ(read_gates(denied, look(), [] { return 0.0; }).error(), bus::Errc::denied);
}

}  // namespace
}  // namespace starbus::bustop::test
