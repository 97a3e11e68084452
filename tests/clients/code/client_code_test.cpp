// `starbus client-code`: the golden code, hostile schemas, names, and its command line. With
// STARBUS_CODE=FOLDER the golden files are written there, for a change of the code.
#include "tools/starbus/code/client_code.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/places.hpp"
#include "tools/starbus/cli.hpp"
#include "tools/starbus/code/limits.hpp"
#include "tools/starbus/code/words.hpp"
#include "tools/starbus/code/write.hpp"

namespace starbus::starter {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string text_of_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(text).str();
}
/// Of the hero that the golden vectors are of; and one with odd names.
std::string heroes() {
  const auto vectors = Json::parse(text_of_file(source_file("tests/clients/vectors/values.json")));
  return vectors.at("schema").dump(1);
}
std::string odd() {
  return text_of_file(source_file("tests/clients/code/odd.json"));
}

using Texts = std::vector<std::pair<std::string, std::string>>;
CodeResult<std::string> code(CodeLanguage language, const std::string& name, const Texts& schemas) {
  CodeOrder order;
  order.language = language;
  order.name = name;
  return code_of(order, schemas);
}
/// What is wrong with a schema: both languages say the same.
std::string wrong(const Texts& schemas) {
  const auto cpp = code(CodeLanguage::cpp, "x", schemas);
  const auto typescript = code(CodeLanguage::typescript, "x", schemas);
  if (cpp || typescript) return "nothing";
  EXPECT_EQ(cpp.error().to_string(), typescript.error().to_string());
  return cpp.error().to_string();
}
/// The schema with odd names, changed at a place.
template <class Change>
std::string wrong_with(Change change) {
  Json schema = Json::parse(odd());
  change(schema);
  return wrong({{"odd.json", schema.dump()}});
}

TEST(ClientCode, TheGoldenCodeIsWhatThisBuildWrites) {
  const std::pair<std::string, std::string> schemas[] = {{"heroes", heroes()}, {"odd", odd()}};
  for (const auto& [name, schema] : schemas) {
    for (const auto& [language, ending] :
         {std::pair(CodeLanguage::cpp, ".hpp"), {CodeLanguage::typescript, ".ts"}}) {
      const auto written = code(language, name, {{name + ".json", schema}});
      ASSERT_TRUE(written) << written.error().to_string();
      if (const char* folder = std::getenv("STARBUS_CODE"); folder != nullptr) {
        std::ofstream(std::filesystem::path(folder) / (name + ending)) << *written;
      }
      EXPECT_EQ(*written, text_of_file(source_file("tests/clients/code/" + name + ending)));
    }
  }
}

TEST(ClientCode, WhatIsNotASchemaIsRefusedWithItsPlace) {
  EXPECT_EQ(wrong({{"a.json", ""}}), "malformed: a.json: not JSON at byte 1");
  EXPECT_EQ(wrong({{"a.json", "[]"}}), "malformed: a.json: is not an object");
  EXPECT_EQ(wrong({{"a.json", "{}"}}), "malformed: a.json: form: missing");
  EXPECT_EQ(wrong({{"a.json", R"({"form": 2})"}}), "malformed: a.json: form: is not 1");
  EXPECT_THAT(wrong({{"a.json", R"({"form": 1})"}}), HasSubstr("has no client_hash"));
  EXPECT_EQ(wrong_with([](Json& all) { all["client_hash"] = "xyz"; }),
            "malformed: odd.json: client_hash: is not 16 digits of hex");
  const auto at_method = [](auto change) {
    return wrong_with([&](Json& all) { change(all["rpc"]["classes"][0]["methods"][1]); });
  };
  EXPECT_EQ(at_method([](Json& method) { method.erase("signature"); }),
            "malformed: odd.json: rpc.classes[0].methods[1].signature: missing");
  EXPECT_THAT(at_method([](Json& method) { method["id"] = "00000000"; }),
              HasSubstr("methods[1].id: is not that of base.client"));
  EXPECT_EQ(at_method([](Json& method) { method["arguments"][0] = "u128"; }),
            "malformed: odd.json: rpc.classes[0].methods[1].arguments[0]: is not a type");
  EXPECT_THAT(at_method([](Json& method) {
                method["arguments"][0] = {{"map", {"i32"}}};
              }),
              HasSubstr("arguments[0].map: is not two types"));
  EXPECT_THAT(at_method([](Json& method) {
                method["arguments"][0] = {{"variant", Json::array()}};
              }),
              HasSubstr("is a variant of nothing"));
  EXPECT_THAT(at_method([](Json& method) {
                method["arguments"][0] = {{"duration", "i64"}, {"period", {0, 1}}};
              }),
              HasSubstr("period: is not a period"));
  EXPECT_THAT(at_method([](Json& method) {
                method["arguments"][0] = {{"struct", "gone"}};
              }),
              HasSubstr("base.client: gone is not in the schema"));
  EXPECT_THAT(wrong_with([](Json& all) { all["rpc"]["classes"][0]["base"] = "class"; }),
              HasSubstr("is a base of itself"));
  EXPECT_THAT(wrong_with([](Json& all) { all["properties"][0]["fields"][0]["index"] = 255; }),
              HasSubstr("fields[0].index: is not an index"));
  EXPECT_THAT(wrong_with([](Json& all) { all["entities"][0]["rpc"] = "gone"; }),
              HasSubstr("gone is not in the schema"));
  EXPECT_THAT(wrong_with([](Json& all) { all["clients"][0]["name"] = "a\nb"; }),
              HasSubstr("clients[0].name: is not a name"));
}

/// Whatever value stands anywhere: code or a typed error, and never an exception.
TEST(ClientCode, AnyValueAtAnyPlaceGivesCodeOrAnError) {
  const Json whole = Json::parse(odd());
  const Json values[] = {nullptr,
                         0,
                         -1,
                         1e300,
                         "",
                         "*/ \" \\ \u2603",
                         true,
                         "i64",
                         Json::array(),
                         Json::object(),
                         Json{{"struct", "ns::union"}}};
  const Json flat = whole.flatten();
  std::size_t tries = 0;
  for (const auto& [path, value] : flat.items()) {
    for (int turn = 0; turn < 2; ++turn) {  // another two at each place: all of them take a minute
      const Json& other = values[tries % std::size(values)];
      Json changed = whole;
      changed[Json::json_pointer(path)] = other;
      const auto language = turn == 0 ? CodeLanguage::cpp : CodeLanguage::typescript;
      ++tries;
      const auto written = code(language, "x", {{"x.json", changed.dump()}});
      EXPECT_TRUE(written || !written.error().detail.empty());
    }
  }
}

TEST(ClientCode, WhatIsTooLargeIsRefused) {
  EXPECT_THAT(wrong({{"a.json", std::string(kSchemaBytes + 1, ' ')}}), HasSubstr("too_large"));
  EXPECT_THAT(wrong({{"a.json", std::string(kJsonDepth + 1, '[')}}), HasSubstr("kJsonDepth"));
  EXPECT_THAT(wrong_with([](Json& all) {
                Json type = "i32";
                for (std::size_t level = 0; level <= kTypeDepth; ++level) type = {{"list", type}};
                all["structs"]["ns::union"][0]["type"] = type;
              }),
              AllOf(HasSubstr("too_large"), HasSubstr("kTypeDepth")));
  EXPECT_THAT(wrong_with([](Json& all) {
                all["structs"]["ns::union"][1]["type"]["size"] = kArraySize + 1;
              }),
              HasSubstr("size: more than kArraySize"));
  EXPECT_THAT(wrong_with([](Json& all) {
                for (std::size_t i = 0; i <= kSchemaNames; ++i) all["entities"].push_back(nullptr);
              }),
              HasSubstr("entities: more rows than kSchemaNames"));
  Texts many;
  for (std::size_t i = 0; i <= kSchemas; ++i) {
    Json each = Json::parse(odd());
    const std::string hash = "00000000000001" + std::to_string(10 + i);
    each["client_hash"] = hash;
    many.emplace_back("odd.json", each.dump());
  }
  EXPECT_THAT(wrong(many), HasSubstr("more schemas than kSchemas"));
}

TEST(ClientCode, SchemasOfTwoProgramsAreOneIfTheyAgree) {
  Json other = Json::parse(odd());
  other["client_hash"] = "00000000000000bc";
  const auto both = code(CodeLanguage::cpp, "x", {{"a.json", odd()}, {"b.json", other.dump()}});
  ASSERT_TRUE(both);
  EXPECT_THAT(*both, HasSubstr("kHashes[] = {0x00000000000000bb, 0x00000000000000bc}"));
  EXPECT_TRUE(code(CodeLanguage::cpp, "x", {{"a.json", odd()}, {"b.json", heroes()}}));
  other["rpc"]["classes"][0]["methods"][0]["answer"] = "i32";
  EXPECT_EQ(wrong({{"a.json", odd()}, {"b.json", other.dump()}}),
            "conflict: b.json: rpc.classes[0]: base is another one than before; build from one "
            "version");
}

TEST(ClientCode, ANameIsAnIdentifier) {
  for (const char* bad : {"", "1a", "a-b", "class", "std", "game", "starbus", "a__b", "_A",
                          "a23456789012345678901234567890123"}) {
    const auto refused = code(CodeLanguage::cpp, bad, {{"odd.json", odd()}});
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().code, CodeErrc::bad_name);
  }
}

TEST(ClientCode, WordsAreIdentifiers) {
  EXPECT_EQ(identifier_of("a-b"), "a_b");
  EXPECT_EQ(identifier_of("a--__b"), "a_b");
  EXPECT_EQ(identifier_of("1st"), "_1st");
  EXPECT_EQ(identifier_of("\xc3\xbc"), "x");
  EXPECT_EQ(identifier_of(""), "_");
  EXPECT_EQ(cpp_word("delete"), "delete_");
  EXPECT_EQ(pascal_of("player_client"), "PlayerClient");
  EXPECT_EQ(pascal_of("7z"), "_7z");
  EXPECT_EQ(in_comment("a*/b\xe2\x80\xa8"), "`a* /b???`");
  Scope scope({"taken"});
  EXPECT_EQ(scope.take("taken"), "taken_2");
  EXPECT_EQ(scope.take("taken"), "taken_3");
  EXPECT_EQ(scope.take("a", "b"), "a");
  EXPECT_EQ(scope.take("a", "b"), "b");
}

class ClientCodeCommand : public ::testing::Test {
 protected:
  ClientCodeCommand() {
    std::string pattern = (std::filesystem::temp_directory_path() / "client-code.XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
    std::ofstream(folder / "odd.json") << odd();
  }
  ~ClientCodeCommand() override { std::filesystem::remove_all(folder); }
  int run(const std::vector<std::string>& arguments) {
    out.str({});
    err.str({});
    return run_starbus(arguments, out, err);
  }
  std::filesystem::path folder;
  std::ostringstream out;
  std::ostringstream err;
};

TEST_F(ClientCodeCommand, WritesAFileAndTouchesItOnlyForAChange) {
  const std::string schema = folder / "odd.json";
  const std::string to = folder / "made";
  const std::vector<std::string> command{"client-code", "--language", "cpp", "--out", to,
                                         "--name",      "odd",        schema};
  ASSERT_EQ(run(command), 0) << err.str();
  const std::filesystem::path file = folder / "made/odd.hpp";
  EXPECT_EQ(out.str(), "wrote " + file.string() + "\n");
  EXPECT_EQ(text_of_file(file), text_of_file(source_file("tests/clients/code/odd.hpp")));
  const auto before = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  std::filesystem::last_write_time(file, before);
  ASSERT_EQ(run(command), 0);
  EXPECT_EQ(std::filesystem::last_write_time(file), before);
  std::ofstream(file) << "other";
  ASSERT_EQ(run(command), 0);
  EXPECT_EQ(text_of_file(file), text_of_file(source_file("tests/clients/code/odd.hpp")));
}

TEST_F(ClientCodeCommand, RefusesWithACodeAndAText) {
  const std::string to = folder / "made";
  EXPECT_EQ(run({"client-code", "--language", "rust", "--out", to, folder / "odd.json"}), 64);
  EXPECT_EQ(run({"client-code", "--language", "cpp", "--out", to}), 64);
  EXPECT_EQ(run({"client-code", "--language", "cpp", "--out", to, folder / "none.json"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("none.json: cannot be read"));
  std::ofstream(folder / "bad.json") << "{";
  EXPECT_EQ(run({"client-code", "--language", "cpp", "--out", to, folder / "bad.json"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("starbus: malformed: bad.json: not JSON"));
  EXPECT_FALSE(std::filesystem::exists(folder / "made"));
}

}  // namespace
}  // namespace starbus::starter
