// starbus-bots on the plaza, as real processes. Cuts at any byte, takeovers and a drained gate
// break nothing that is numbered; who does not trust a gate does not log in there; who comes while
// nodes are busy waits.
#include <openssl/pem.h>

#include <cstdio>
#include <memory>

#include "clients/cpp/io/tls.hpp"
#include "tests/cluster/bots/bots_fixture.hpp"
#include "tests/nodes/gate/net/certificate.hpp"

namespace starbus::cluster_test {
namespace {

class BotsAtThreeGates : public BotsTest {
  std::map<std::string, std::string> gates() const override {
    return {{"gate-1", "tls = false\n"},
            {"gate-2", "tls = false\n"},
            {"gate-3", "tls = false\nwebsocket = true\npath = '/play'\n"}};
  }
};

TEST_F(BotsAtThreeGates, CutsTakeoversAndADrainBreakNothing) {
  const std::string both =
      script("both.toml", "bots = 80\narrive = 40\nduration = '6s'\n[gates]\nurls = ['tcp://" +
                              addresses["gate-1"] + "', 'tcp://" + addresses["gate-2"] +
                              "']\nfrom = '127.1.0.0/16'\n");
  const auto playing = bots({both, "--json", "--threads", "2", "--seed", "7"}, "both.log");
  ASSERT_TRUE(wait_for(60s, [&] {
    return text_of("both.log").find("1s measured") != std::string::npos;
  })) << text_of("both.log");
  EXPECT_EQ(daemons["gate-2"]->terminate(20s), 0);
  daemons["gate-2"]->start();
  EXPECT_EQ(playing->wait(60s), 0) << text_of("both.log");
  const json summary = summary_of("both.log");
  EXPECT_EQ(summary["violations"]["count"], 0) << summary.dump(1);
  EXPECT_EQ(summary["bots"]["came_in"], 80);
  EXPECT_GT(summary["connections"]["cut"], 80);
  EXPECT_GT(summary["sessions"]["resumed"], 80);
  EXPECT_GT(summary["sessions"]["takeovers"], 10);
  EXPECT_GT(summary["say"][0]["replied"], 500);
  EXPECT_GT(summary["hear"][0]["heard"], 1'000);
  EXPECT_GT(summary["hear"][1]["heard"], 1'000);
  EXPECT_GT(summary["hear"][0]["latency_us"]["p50"], 0);
}

TEST_F(BotsAtThreeGates, ComeByWebSocketAndEndWithASignal) {
  const std::string web =
      script("web.toml", "bots = 10\narrive = 0\nduration = '0s'\n[gates]\nurls = ['ws://" +
                             addresses["gate-3"] + "/play']\nfrom = '127.2.0.0/16'\n");
  const auto playing = bots({web, "--json"}, "web.log");
  ASSERT_TRUE(wait_for(60s, [&] {
    return text_of("web.log").find("2s measured") != std::string::npos;
  })) << text_of("web.log");
  playing->signal(SIGTERM);
  EXPECT_EQ(playing->wait(30s), 0) << text_of("web.log");
  const json summary = summary_of("web.log");
  EXPECT_EQ(summary["ended"], "signal");
  EXPECT_EQ(summary["violations"]["count"], 0) << summary.dump(1);
  EXPECT_GT(summary["say"][0]["replied"], 20);
}

/// Gates with a certificate that they have signed themselves.
class BotsOverTls : public BotsTest {
 protected:
  void SetUp() override {
    certificate = nodes::gate::net::test::make_certificate(cluster.folder(), "gate");
    BotsTest::SetUp();
  }
  std::map<std::string, std::string> gates() const override {
    const std::string keys =
        "certificates = '" + certificate.certificates + "'\nkey = '" + certificate.key + "'\n";
    return {{"gate-1", keys}, {"gate-2", keys + "websocket = true\n"}};
  }
  /// What bots of this trust, at this URL, have as their summary; `code`: of their exit.
  json play(const std::string& name, const std::string& url, const std::string& trust, int code) {
    const std::string patience = code == 0 ? "60s" : "3s";
    const std::string text =
        script(name + ".toml", "bots = 4\narrive = 0\ncome_in = '" + patience +
                                   "'\nduration = '3s'\n[gates]\nurls = ['" + url + "']\n" + trust);
    const auto playing = bots({text, "--json"}, name + ".log");
    EXPECT_EQ(playing->wait(100s), code) << text_of(name + ".log");
    return summary_of(name + ".log");
  }
  std::string pin() const {
    std::FILE* const in = std::fopen(certificate.certificates.c_str(), "r");
    const std::unique_ptr<X509, void (*)(X509*)> read(PEM_read_X509(in, nullptr, nullptr, nullptr),
                                                      X509_free);
    std::fclose(in);
    return game::pin_of(read.get());
  }

  nodes::gate::net::TlsFiles certificate;
};

TEST_F(BotsOverTls, ComeInIfTheyTrustTheGateAndNotOtherwise) {
  const std::string tls = "tls://" + addresses["gate-1"];
  const json trusted = play("ca", tls, "ca = '" + certificate.certificates + "'\n", 0);
  EXPECT_EQ(trusted["bots"]["came_in"], 4);
  EXPECT_GT(trusted["say"][0]["replied"], 0);
  EXPECT_EQ(trusted["violations"]["count"], 0) << trusted.dump(1);
  const json pinned =
      play("pin", "wss://" + addresses["gate-2"] + "/", "pins = ['" + pin() + "']\n", 0);
  EXPECT_EQ(pinned["bots"]["came_in"], 4);
  EXPECT_GT(pinned["connections"]["cut"], 0);
  const json other = play("other", tls, "pins = ['" + std::string(64, 'a') + "']\n", 1);
  EXPECT_EQ(other["bots"]["came_in"], 0);
  EXPECT_THAT(other["connections"]["troubles"].dump(), testing::HasSubstr("pin"));
  const json system = play("system", tls, "", 1);
  EXPECT_EQ(system["bots"]["came_in"], 0);
  EXPECT_THAT(system["connections"]["troubles"].dump(), testing::HasSubstr("certificate"));
}

/// Where players live is busy: a node of the role `probe`, which the manager tells of.
class BotsBesideLoad : public BotsTest {
 protected:
  std::string login_keys() const override {
    return "load_roles = ['probe']\nload_full = 300\nload_none = 500\n";
  }
  void start_probe(const std::string& name, const std::string& keys) {
    daemons[name] = node_process(cluster, "starbus-test-node", "a", name, "probe", keys);
    daemons[name]->start();
  }
  json login() { return daemons["login-1"]->json("/login"); }
  json role() {
    const json roles = login()["queue"]["roles"];
    return roles.empty() ? json::object() : roles[0];
  }
};

TEST_F(BotsBesideLoad, WaitWhileNodesAreBusyAndComeInWhenTheyAreNot) {
  start_probe("probe-1", "busy = '90ms'\n");
  ASSERT_TRUE(wait_for(30s, [&] {
    return role().value("state", "") == "measured" && !role().value("open", true);
  })) << login().dump(1);
  const std::string file =
      script("load.toml", "bots = 10\narrive = 0\nduration = '1s'\n[gates]\nurls = ['tcp://" +
                              addresses["gate-1"] + "']\nfrom = '127.1.0.0/16'\n");
  const auto playing = bots({file, "--json"}, "load.log");
  ASSERT_TRUE(wait_for(30s, [&] {
    return text_of("load.log").find(" 0 play, 10 wait,") != std::string::npos;
  })) << text_of("load.log");
  EXPECT_EQ(login()["admitted"], 0);
  EXPECT_EQ(login()["queue"]["held_by"], "nodes") << login().dump(1);
  EXPECT_EQ(daemons["probe-1"]->terminate(10s), 0);
  start_probe("probe-2", "");
  EXPECT_EQ(playing->wait(90s), 0) << text_of("load.log") << login().dump(1);
  const json summary = summary_of("load.log");
  EXPECT_EQ(summary["bots"]["came_in"], 10);
  EXPECT_EQ(summary["entry"]["waited"], 10);
  EXPECT_EQ(summary["violations"]["count"], 0) << summary.dump(1);
  EXPECT_TRUE(role()["open"]);
}

}  // namespace
}  // namespace starbus::cluster_test
