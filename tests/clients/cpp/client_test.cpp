// A client over real sockets, in the clear and over TLS, against a gate on the loopback.
#include "clients/cpp/client.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <filesystem>

#include "clients/cpp/calls.hpp"
#include "tests/clients/cpp/loop_gate.hpp"

namespace starbus::game {
namespace {

using namespace std::chrono_literals;
using mini::Certificate;
using mini::LoopGate;

class Notes : public Events {
 public:
  void on_online(bool goes_on, const Ticket&) override { add(goes_on ? "goes on" : "new"); }
  void on_lost(const Lost& lost) override {
    if (lost.was_online) add("lost");
  }
  void on_full(const FullState& full) override { add(full.subject); }
  void on_call(const Call& call) override { add(std::string(text_of(call.arguments))); }
  void on_ended(EndReason reason, std::string_view) override { add(std::string(name_of(reason))); }
  void add(std::string line) { lines.push_back(std::move(line)); }
  std::vector<std::string> lines;
};

Options options_of(std::vector<std::string> addresses, std::shared_ptr<const Tls> tls = {}) {
  Options options;
  options.settings.addresses = std::move(addresses);
  options.tls = std::move(tls);
  return options;
}
Login login() {
  return {"password", "anna", Bytes(6, std::byte{'s'})};
}
/// Lets both work until it is so; false after ten seconds.
template <class Until>
bool work(LoopGate& gate, Client& client, Until until) {
  for (int turn = 0; turn < 10'000 && !until(); ++turn) {
    gate.service();
    client.poll(1ms);
  }
  return until();
}
std::shared_ptr<const Tls> tls_of(const TlsOptions& options) {
  std::string why;
  auto tls = Tls::make(options, why);
  EXPECT_TRUE(tls) << why;
  return tls;
}

TEST(GameClient, PlaysOverTcpAndComesBackAfterACut) {
  LoopGate gate;
  Notes notes;
  Client client(options_of({gate.address()}), notes);
  ASSERT_TRUE(client.login(login()));
  ASSERT_TRUE(work(gate, client, [&] { return notes.lines.size() == 4; }));
  EXPECT_TRUE(client.server_time().has_value());
  std::string answer;
  const auto told = [&](const Outcome& outcome) { answer = text_of(outcome.answer); };
  ASSERT_EQ(client.ask(bytes_of("buy"), told), Asked::ok);
  ASSERT_TRUE(work(gate, client, [&] { return !answer.empty(); }));
  EXPECT_EQ(answer, "buy");
  gate.cut();
  ASSERT_TRUE(work(gate, client, [&] { return notes.lines.back() == "goes on"; }));
  client.bye();
  ASSERT_TRUE(work(gate, client, [&] { return client.state() == State::ended; }));
  EXPECT_EQ(gate.gate.byes(), 1);
  EXPECT_EQ(notes.lines,
            (std::vector<std::string>{"new", "player/7", "one", "two", "lost", "goes on", "bye"}));
}

TEST(GameClient, IsCutAfterAsManyBytesAsItIsTold) {
  LoopGate gate;
  Notes notes;
  Client client(options_of({gate.address()}), notes);
  EXPECT_FALSE(client.cut_after(1)) << "there is no connection yet";
  ASSERT_TRUE(client.login(login()));
  ASSERT_TRUE(work(gate, client, [&] { return notes.lines.size() == 4; }));
  const Traffic before = client.traffic();
  EXPECT_GT(before.in, 0u);
  EXPECT_GT(before.out, 0u);
  ASSERT_TRUE(client.cut_after(3));
  std::string answer;
  const auto told = [&](const Outcome& outcome) { answer = text_of(outcome.answer); };
  ASSERT_EQ(client.ask(bytes_of("buy"), told), Asked::ok);
  client.flush();
  EXPECT_EQ(client.traffic().out, before.out + 3) << "within the frame";
  ASSERT_TRUE(work(gate, client, [&] { return !answer.empty(); }));
  EXPECT_EQ(answer, "buy");
  EXPECT_EQ(notes.lines[4], "lost");
  EXPECT_EQ(notes.lines[5], "goes on");
  EXPECT_NE(client.trouble().find("cut"), std::string::npos);
}

TEST(GameClient, ConnectsFromTheAddressThatItIsGiven) {
  LoopGate gate;
  Notes notes;
  Options options = options_of({gate.address()});
  options.from = "127.3.2.1";
  Client client(options, notes);
  ASSERT_TRUE(client.login(login()));
  ASSERT_TRUE(work(gate, client, [&] { return notes.lines.size() == 4; }));
  sockaddr_in own{};
  socklen_t size = sizeof own;
  ASSERT_EQ(getsockname(client.fd(), reinterpret_cast<sockaddr*>(&own), &size), 0);
  EXPECT_EQ(ntohl(own.sin_addr.s_addr), 0x7f030201u);

  options.from = "192.0.2.1";
  Client wrong(options, notes);
  ASSERT_TRUE(wrong.login(login()));
  wrong.poll(1ms);
  EXPECT_NE(wrong.trouble().find("use an address of this host"), std::string::npos)
      << wrong.trouble();
}

/// A client among many of a thread.
struct Bot {
  LoopGate gate;
  Notes notes;
  Client client{options_of({gate.address()}), notes};
};

/// Waits for all sockets and deadlines at once, and serves those that are due.
void serve(std::vector<std::unique_ptr<Bot>>& bots) {
  std::vector<pollfd> sockets;
  Time next = Client::now() + 5ms;
  for (const auto& bot : bots) {
    bot->gate.service();
    next = std::min(next, bot->client.deadline());
    const int events = POLLIN | (bot->client.wants_write() ? POLLOUT : 0);
    sockets.push_back({bot->client.fd(), static_cast<short>(events), 0});
  }
  const auto wait = std::max(next - Client::now(), 0ms);
  ASSERT_GE(::poll(sockets.data(), sockets.size(), static_cast<int>(wait.count())), 0);
  for (std::size_t i = 0; i < bots.size(); ++i) {
    Client& client = bots[i]->client;
    if (sockets[i].revents != 0 || client.deadline() <= Client::now()) client.service();
  }
}

TEST(GameClient, ManyShareAThreadByDescriptorAndDeadline) {
  std::vector<std::unique_ptr<Bot>> bots;
  for (int i = 0; i < 40; ++i) {
    Client& client = bots.emplace_back(std::make_unique<Bot>())->client;
    EXPECT_EQ(client.fd(), -1);
    EXPECT_EQ(client.deadline(), Time::max());
    ASSERT_TRUE(client.login(login()));
    EXPECT_LE(client.deadline(), Client::now());
  }
  const auto done = [](const auto& bot) { return bot->notes.lines.size() == 4; };
  for (int turn = 0; turn < 2'000 && !std::ranges::all_of(bots, done); ++turn) serve(bots);
  EXPECT_TRUE(std::ranges::all_of(bots, done));
  for (const auto& bot : bots) EXPECT_FALSE(bot->client.wants_write());
}

TEST(GameClient, FindsANameAndTriesItsAddresses) {
  LoopGate gate;
  Notes notes;
  const std::string port = gate.address().substr(gate.address().rfind(':'));
  Client client(options_of({"localhost" + port}), notes);
  ASSERT_TRUE(client.login(login()));
  ASSERT_TRUE(work(gate, client, [&] { return notes.lines.size() == 4; }));
}

TEST(GameClient, TriesTheNextAddressAndTheNextProof) {
  LoopGate gate;
  Notes notes;
  Client client(options_of({"nonsense", "127.0.0.1:1", gate.address()}), notes);
  ASSERT_TRUE(client.login({"password", "anna", {}}));
  ASSERT_TRUE(work(gate, client, [&] { return client.state() == State::ended; }));
  EXPECT_EQ(notes.lines, std::vector<std::string>{"denied"});
  ASSERT_TRUE(client.login(login()));
  ASSERT_TRUE(work(gate, client, [&] { return notes.lines.size() == 5; }));
}

TEST(GameClient, PlaysOverTlsWithACertificateThatIsChecked) {
  const Certificate certificate;
  const auto file = std::filesystem::temp_directory_path() /
                    ("starbus-game-" + std::to_string(getpid()) + ".pem");
  certificate.write(file);
  LoopGate gate(&certificate);
  Notes notes;
  TlsOptions trust;
  trust.ca_file = file;
  trust.pins = {pin_of(certificate.get())};
  Client client(options_of({gate.address()}, tls_of(trust)), notes);
  ASSERT_TRUE(client.login(login()));
  ASSERT_TRUE(work(gate, client, [&] { return notes.lines.size() == 4; }));
  gate.cut();
  ASSERT_TRUE(work(gate, client, [&] { return notes.lines.back() == "goes on"; }));
  std::filesystem::remove(file);
}

TEST(GameClient, AGateThatIsNotTheRightOneHearsNothing) {
  const Certificate certificate;
  const Certificate other;
  const auto file = std::filesystem::temp_directory_path() /
                    ("starbus-game-other-" + std::to_string(getpid()) + ".pem");
  certificate.write(file);
  TlsOptions stranger;  // signed by nobody whom the system knows
  TlsOptions name;
  name.ca_file = file;
  name.name = "gate.example";
  TlsOptions pin;
  pin.ca_file = file;
  pin.pins = {pin_of(other.get())};
  TlsOptions pin_alone = pin;
  pin_alone.pins_alone = true;
  for (const TlsOptions& trust : {stranger, name, pin, pin_alone}) {
    LoopGate gate(&certificate);
    Notes notes;
    Client client(options_of({gate.address()}, tls_of(trust)), notes);
    ASSERT_TRUE(client.login(login()));
    ASSERT_TRUE(work(gate, client, [&] { return !client.trouble().empty(); }));
    EXPECT_NE(client.trouble().find("TLS"), std::string::npos) << client.trouble();
    EXPECT_EQ(gate.gate.account(), "");
  }
  std::filesystem::remove(file);
}

TEST(GameClient, APinAloneIsEnough) {
  const Certificate certificate;
  LoopGate gate(&certificate);
  Notes notes;
  TlsOptions trust;
  trust.pins = {pin_of(certificate.get())};
  trust.pins_alone = true;
  Client client(options_of({gate.address()}, tls_of(trust)), notes);
  ASSERT_TRUE(client.login(login()));
  ASSERT_TRUE(work(gate, client, [&] { return notes.lines.size() == 4; }));
}

TEST(GameClient, TrustThatCannotBeIsRefused) {
  std::string why;
  TlsOptions options;
  options.ca_file = "/nowhere.pem";
  EXPECT_FALSE(Tls::make(options, why));
  EXPECT_NE(why.find("/nowhere.pem"), std::string::npos);
  options = {};
  options.pins = {"abc"};
  EXPECT_FALSE(Tls::make(options, why));
  options.pins = {};
  options.pins_alone = true;
  EXPECT_FALSE(Tls::make(options, why));
}

TEST(GameCalls, HaveTheBytesOfTheRpc) {
  EXPECT_EQ(hash_of(""), 0x811c'9dc5U);
  EXPECT_EQ(hash_of("a"), 0xe40c'292cU);  // of the authors of FNV
  const Bytes body = call_body(0x0403'0201, 0x0807'0605, bytes_of("x"));
  EXPECT_EQ(text_of(body), std::string_view("\xa1\0\1\2\3\4\5\6\7\10x", 11));
  const auto value = read_answer(bytes_of(std::string_view("\xa8\0yes", 5)));
  ASSERT_TRUE(value);
  EXPECT_EQ(text_of(value->bytes), "yes");
  const auto error = read_answer(bytes_of(std::string_view("\xa8\2\7\5\2no", 7)));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind, AnswerKind::error);
  EXPECT_EQ(error->domain, 7U);
  EXPECT_EQ(error->number, 5U);
  EXPECT_EQ(error->detail, "no");
  EXPECT_FALSE(read_answer(bytes_of(std::string_view("\xa8\3", 2))));
  EXPECT_FALSE(read_answer(bytes_of(std::string_view("\xa1\0", 2))));
  EXPECT_FALSE(read_answer(bytes_of(std::string_view("\xa8\2\7\5\2no!", 8))));
}

TEST(GameAddress, NeedsHostAndPort) {
  EXPECT_EQ(address_of("[::1]:7")->host, "::1");
  EXPECT_EQ(address_of("game.example:7000")->port, "7000");
  for (const char* wrong : {"", "a", ":7", "a:", "a:0", "a:65536", "a:7x", "[]:7"}) {
    EXPECT_FALSE(address_of(wrong)) << wrong;
  }
}

TEST(GameFrames, ALengthThatNoClientTakesEndsTheStream) {
  FrameStream stream;
  Bytes bytes;
  put_frame(bytes_of("ab"), bytes);
  put_frame({}, bytes);
  for (const std::byte each : bytes) stream.append({&each, 1});
  EXPECT_EQ(text_of(*stream.next()), "ab");
  EXPECT_TRUE(stream.next()->empty());
  EXPECT_FALSE(stream.next());
  const std::byte large[] = {std::byte{1}, std::byte{0}, std::byte{0x11}, std::byte{0}};
  stream.append(large);
  EXPECT_FALSE(stream.next());
  EXPECT_TRUE(stream.broken());
}

}  // namespace
}  // namespace starbus::game
