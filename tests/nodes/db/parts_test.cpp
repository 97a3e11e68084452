/// The pure parts: documents as bytes, updates, index keys; and the tables of docs/guide/db.md.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <set>

#include "nodes/db/fingerprint.hpp"
#include "nodes/db/index_key.hpp"
#include "nodes/db/limits.hpp"
#include "nodes/db/rows.hpp"
#include "nodes/db/update.hpp"

namespace starbus::nodes::db {
namespace {

constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
constexpr auto kMin = std::numeric_limits<std::int64_t>::min();

std::string cbor(std::initializer_list<int> bytes) {
  return std::string(bytes.begin(), bytes.end());
}

Json nested(std::size_t depth) {
  Json value = 1;
  for (std::size_t i = 0; i < depth; ++i) value = Json{{"a", std::move(value)}};
  return value;
}

// --- documents -----------------------------------------------------------------------------------

TEST(Document, ComesBackAsItWas) {
  const Json document = Json::parse(R"({"a":[1,-1,1.5,null,true,"ä"],"b":{"c":{}},"d":[]})");
  const auto bytes = encode_document(document);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(decode_document(*bytes).value(), document);
}

TEST(Document, OnlyJsonWithinTheLimits) {
  EXPECT_EQ(check_document(Json(1)).error(), Errc::bad_document);
  EXPECT_EQ(check_document({{"a", "\xff"}}).error(), Errc::bad_document);
  EXPECT_EQ(check_document({{"\xc0\x80", 1}}).error(), Errc::bad_document);
  EXPECT_EQ(check_document({{"a", std::numeric_limits<double>::infinity()}}).error(),
            Errc::bad_document);
  EXPECT_EQ(check_document({{"a", std::uint64_t{1} << 63}}).error(), Errc::bad_document);
  EXPECT_TRUE(check_document({{"a", kMax}}));
  EXPECT_TRUE(check_document(nested(kMaxDepth)));
  EXPECT_EQ(check_document(nested(kMaxDepth + 1)).error(), Errc::too_large);
  EXPECT_EQ(check_document({{"a", Json::array_t(kMaxElements)}}).error(), Errc::too_large);
  const auto large = encode_document({{"a", std::string(kMaxDocument, 'a')}});
  EXPECT_EQ(large.error(), Errc::too_large);
}

TEST(Document, BytesFromOutsideAreLookedAtFirst) {
  EXPECT_EQ(decode_document("").error(), Errc::bad_document);
  EXPECT_EQ(decode_document(cbor({0xa1, 0x61})).error(), Errc::bad_document) << "cut";
  EXPECT_EQ(decode_document(cbor({0xa0, 0x00})).error(), Errc::bad_document) << "more behind it";
  EXPECT_EQ(decode_document(cbor({0x01})).error(), Errc::bad_document) << "no object";
  EXPECT_EQ(decode_document(cbor({0xa1, 0x61, 'a', 0xc0, 0x01})).error(), Errc::bad_document);
  const std::string huge = cbor({0xa1, 0x61, 'a', 0x9b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff});
  EXPECT_EQ(decode_document(huge + "\xff").error(), Errc::bad_document) << "a length that lies";
  EXPECT_EQ(decode_document(std::string(1'000'000, '\x7f')).error(), Errc::bad_document)
      << "texts in texts, of indefinite length: the library would recurse";
  EXPECT_EQ(decode_document(std::string(100, '\x81') + "\x01").error(), Errc::too_large);
  const auto deep = encode_document(nested(kMaxDepth));
  EXPECT_TRUE(decode_document(*deep));
  EXPECT_EQ(decode_document(std::string(kMaxDocument + 1, '\xa0')).error(), Errc::too_large);
}

// --- updates -------------------------------------------------------------------------------------

Result<Json> applied(Json document, std::vector<Change> changes) {
  const Json before = document;
  if (const auto checked = check_changes(changes); !checked) return checked.error();
  const auto result = apply_changes(changes, document);
  if (result) return Result<Json>(in_place_value, document);
  EXPECT_EQ(document, before) << "all or nothing";
  return result.error();
}

TEST(Update, WhereNothingIs) {
  const Json empty = Json::object();
  EXPECT_EQ(applied(empty, {{Operator::set, "a.b", 1}}).value(), Json::parse(R"({"a":{"b":1}})"));
  EXPECT_EQ(applied(empty, {{Operator::inc, "a.b", 2}}).value(), Json::parse(R"({"a":{"b":2}})"));
  EXPECT_EQ(applied(empty, {{Operator::push, "a.b", 3}}).value(),
            Json::parse(R"({"a":{"b":[3]}})"));
  EXPECT_EQ(applied(empty, {{Operator::unset, "a.b", {}}}).value(), empty);
  EXPECT_EQ(applied(empty, {{Operator::pull, "a.b", 1}}).value(), empty);
}

TEST(Update, WhereAnotherTypeIs) {
  const Json text = {{"a", "text"}, {"n", nullptr}};
  EXPECT_EQ(applied(text, {{Operator::set, "a", 1}}).value(), (Json{{"a", 1}, {"n", nullptr}}));
  EXPECT_EQ(applied(text, {{Operator::set, "a.b", 1}}).error(), Errc::wrong_type);
  EXPECT_EQ(applied(text, {{Operator::set, "n.b", 1}}).error(), Errc::wrong_type);
  EXPECT_EQ(applied(text, {{Operator::inc, "a", 1}}).error(), Errc::wrong_type);
  EXPECT_EQ(applied(text, {{Operator::push, "a", 1}}).error(), Errc::wrong_type);
  EXPECT_EQ(applied(text, {{Operator::pull, "a", 1}}).error(), Errc::wrong_type);
  EXPECT_EQ(applied(text, {{Operator::unset, "a.b", {}}}).value(), text);
  EXPECT_EQ(applied(text, {{Operator::inc, "x", "1"}}).error(), Errc::wrong_type);
}

TEST(Update, ElementsOfArrays) {
  const Json list = {{"a", {1, 2, 3}}};
  EXPECT_EQ(applied(list, {{Operator::set, "a.1", 9}}).value(), (Json{{"a", {1, 9, 3}}}));
  EXPECT_EQ(applied(list, {{Operator::inc, "a.2", 1}}).value(), (Json{{"a", {1, 2, 4}}}));
  EXPECT_EQ(applied(list, {{Operator::unset, "a.0", {}}}).value(), (Json{{"a", {nullptr, 2, 3}}}));
  EXPECT_EQ(applied(list, {{Operator::pull, "a", 2}}).value(), (Json{{"a", {1, 3}}}));
  for (const char* const path : {"a.3", "a.01", "a.-1", "a.x", "a.1x", "a.99999999999999999999"}) {
    EXPECT_EQ(applied(list, {{Operator::set, path, 1}}).error(), Errc::wrong_type) << path;
  }
}

TEST(Update, PullTakesWhatIsTheSameValueAndNotWhatSortsAsEqual) {
  const std::int64_t odd = (std::int64_t{1} << 53) + 1;  // no double
  const Json list = {{"a", {1, 1.0, odd, static_cast<double>(odd), {{"n", 1}}, {{"n", 1.0}}}}};
  const auto left = [&](Json value) {
    return applied(list, {{Operator::pull, "a", std::move(value)}}).value().at("a").dump();
  };
  EXPECT_EQ(left(1), R"([1.0,9007199254740993,9.007199254740992e+15,{"n":1},{"n":1.0}])");
  EXPECT_EQ(left(1.0), R"([1,9007199254740993,9.007199254740992e+15,{"n":1},{"n":1.0}])");
  EXPECT_EQ(left(static_cast<double>(odd)), R"([1,1.0,9007199254740993,{"n":1},{"n":1.0}])");
  EXPECT_EQ(left({{"n", 1}}), R"([1,1.0,9007199254740993,9.007199254740992e+15,{"n":1.0}])");
}

TEST(Update, IncrementsAreExactOrRefused) {
  const auto inc = [](Json from, Json by) {
    const auto result = applied({{"n", std::move(from)}}, {{Operator::inc, "n", std::move(by)}});
    return result ? result->at("n").dump() : std::string(name_of(result.error().code));
  };
  EXPECT_EQ(inc(kMax - 1, 1), std::to_string(kMax));
  EXPECT_EQ(inc(kMax, 1), "overflow");
  EXPECT_EQ(inc(kMin, -1), "overflow");
  EXPECT_EQ(inc(1, 0.5), "1.5");
  EXPECT_EQ(inc(1e308, 1e308), "overflow");
}

TEST(Update, PathsAndSizesAreBounded) {
  const std::string deep = "a" + std::string(".a") + std::string(kMaxPathDepth * 2, '.');
  for (const std::string& path :
       {std::string(), std::string("."), std::string("a."), std::string(".a"), std::string("a..b"),
        deep, std::string("\xff"), std::string(kMaxPath + 1, 'a')}) {
    EXPECT_EQ(applied(Json::object(), {{Operator::set, path, 1}}).error(), Errc::bad_request)
        << path;
  }
  const std::vector<Change> many(kMaxChanges + 1, {Operator::set, "a", 1});
  EXPECT_EQ(applied(Json::object(), many).error(), Errc::too_large);
  EXPECT_EQ(applied(Json::object(), {{Operator::set, "a", nested(kMaxDepth)}}).error(),
            Errc::too_large);
}

/// Another way to the same: the document as a list of paths and leaves.
using Leaves = std::map<std::string, std::int64_t>;

RC_GTEST_PROP(Update, AgreesWithAListOfLeaves, ()) {
  // Inner names and those of leaves differ, so that no way leads through a leaf.
  const auto paths = rc::gen::element<std::string>("x", "y", "A.x", "A.y", "B.x", "A.B.x", "A.B.y");
  Json document = Json::object();
  Leaves leaves;
  const auto steps = *rc::gen::inRange(0, 30);
  for (int i = 0; i < steps; ++i) {
    const std::string path = *paths;
    const auto value = *rc::gen::inRange<std::int64_t>(-5, 5);
    const auto what = *rc::gen::element(Operator::set, Operator::inc, Operator::unset);
    if (what == Operator::set) leaves[path] = value;
    if (what == Operator::inc) leaves[path] += value;
    if (what == Operator::unset) leaves.erase(path);
    RC_ASSERT(apply_changes({{what, path, value}}, document).has_value());
  }
  Leaves found;
  const Json flat = document.flatten();
  for (auto leaf = flat.begin(); leaf != flat.end(); ++leaf) {
    if (!leaf->is_number()) continue;  // an object that lost its last leaf stays
    std::string path = leaf.key().substr(1);
    std::ranges::replace(path, '/', '.');
    found[path] = leaf->get<std::int64_t>();
  }
  RC_ASSERT(found == leaves);
}

TEST(Projection, ShowsWhatItNames) {
  const Json document = Json::parse(R"({"a":{"b":1,"c":2},"d":[1,{"e":3}],"f":4})");
  EXPECT_EQ(project(document, {}), document);
  EXPECT_EQ(project(document, {{"a", "b"}, {"d"}, {"x"}, {"a", "x"}}),
            Json::parse(R"({"a":{"b":1},"d":[1,{"e":3}]})"));
  EXPECT_EQ(project(document, {{"a", "b"}, {"a", "c"}}), Json::parse(R"({"a":{"b":1,"c":2}})"));
  EXPECT_EQ(project(document, {{"f", "x"}, {"d", "1", "e"}}), Json::object());
}

// --- index keys ----------------------------------------------------------------------------------

int rank(const Json& value) {
  if (value.is_null()) return 0;
  if (value.is_boolean()) return value.get<bool>() ? 2 : 1;
  if (value.is_number()) return 3;
  return value.is_string() ? 4 : 5;
}

/// long double has the 64 bits of an int64 here, and so holds every number exactly.
static_assert(std::numeric_limits<long double>::digits >= 64);
long double number(const Json& value) {
  return value.is_number_float() ? static_cast<long double>(value.get<double>())
                                 : static_cast<long double>(value.get<std::int64_t>());
}

int compare(const Json& a, const Json& b) {
  const auto sign = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
  if (rank(a) != rank(b)) return sign(rank(a), rank(b));
  if (a.is_number()) return sign(number(a), number(b));
  if (!a.is_string()) return 0;
  const auto text = [](const Json& value) {
    return value.get<std::string>().substr(0, kIndexText);
  };
  return sign(text(a), text(b));
}

std::string key(const Json& value, bool descending = false) {
  std::string out;
  append_value(value, descending, out);
  return out;
}

void expect_order(const Json& a, const Json& b) {
  const auto sign = [](int x) { return x < 0 ? -1 : x > 0 ? 1 : 0; };
  const int wanted = compare(a, b);
  EXPECT_EQ(sign(key(a).compare(key(b))), wanted) << a << " " << b;
  EXPECT_EQ(sign(key(a, true).compare(key(b, true))), -wanted) << a << " " << b;
  // In a compound index what follows must not matter unless the first are equal.
  const int compound = sign((key(a) + key(Json(7))).compare(key(b) + key(Json(8))));
  EXPECT_EQ(compound, wanted == 0 ? -1 : wanted) << a << " " << b;
}

TEST(IndexKey, SortsAsValuesDo) {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  const std::vector<Json> values = {nullptr,
                                    false,
                                    true,
                                    0,
                                    -0.0,
                                    1,
                                    1.0,
                                    -1,
                                    0.5,
                                    -0.5,
                                    1e300,
                                    -1e300,
                                    5e-324,
                                    kMax,
                                    kMax - 1,
                                    kMin,
                                    kMin + 1,
                                    0x1p63,
                                    -0x1p63,
                                    std::nextafter(0x1p63, 0.0),
                                    kExact,
                                    kExact + 1,
                                    kExact - 1,
                                    static_cast<double>(kExact),
                                    -kExact - 1,
                                    "",
                                    "a",
                                    "b",
                                    "ab",
                                    std::string("a\0", 2),
                                    std::string("a\0b", 3),
                                    std::string("\0", 1),
                                    std::string(kIndexText, 'a'),
                                    std::string(kIndexText + 5, 'a'),
                                    "\xf4\x8f\xbf\xbf",
                                    Json::array({1}),
                                    Json::object()};
  for (const Json& a : values) {
    for (const Json& b : values) expect_order(a, b);
  }
}

RC_GTEST_PROP(IndexKey, SortsNumbersExactly, ()) {
  const auto near = [] {
    const auto base = *rc::gen::arbitrary<std::int64_t>();
    const auto shift = *rc::gen::inRange(0, 63);
    const std::int64_t whole = base >> shift;
    return *rc::gen::arbitrary<bool>() ? Json(whole) : Json(static_cast<double>(whole));
  };
  const Json a = near();
  Json b = near();
  // Often the next one.
  if (a.is_number_integer() && a < kMax && *rc::gen::arbitrary<bool>()) {
    b = *rc::gen::arbitrary<bool>() ? Json(a.get<std::int64_t>() + 1)
                                    : Json(static_cast<double>(a.get<std::int64_t>()));
  }
  expect_order(a, b);
}

RC_GTEST_PROP(IndexKey, SortsTexts, (std::string a, std::string b)) {
  expect_order(a, b);
}

// --- fingerprints --------------------------------------------------------------------------------

TEST(Fingerprint, TellsWritesApart) {
  const Json document{{"n", 1}, {"texts", {"a", "b"}}, {"none", nullptr}};
  const std::vector<std::vector<Write>> all{
      {},
      {Put{"c", "1", document}},
      {Insert{"c", "1", document}},
      {Put{"c", "2", document}},
      {Put{"c1", "", document}},
      {Put{"c", "1", {{"n", 1.0}, {"texts", {"a", "b"}}, {"none", nullptr}}}},
      {Put{"c", "1", {{"n", true}, {"texts", {"a", "b"}}, {"none", nullptr}}}},
      {Put{"c", "1", {{"n", 1}, {"texts", {"ab", ""}}, {"none", nullptr}}}},
      {Put{"c", "1", {{"n", 1}, {"texts", {"a"}}, {"none", nullptr}, {"b", "b"}}}},
      {Put{"c", "1", {{"n", Json::binary({1})}}}},
      {Put{"c", "1", {{"n", Json::binary({2})}}}},
      {Erase{"c", "1"}},
      {Erase{"c", "1"}, Erase{"c", "1"}},
      {Update{"c", "1", {{Operator::set, "n", 1}}}},
      {Update{"c", "1", {{Operator::inc, "n", 1}}}},
      {Update{"c", "1", {{Operator::set, "m", 1}}}},
      {Update{"c", "1", {{Operator::set, "n", 1}}, true}},
  };
  std::set<std::uint64_t> seen;
  for (const auto& writes : all) EXPECT_TRUE(seen.insert(fingerprint(writes)).second);
  const Json same{{"none", nullptr}, {"texts", {"a", "b"}}, {"n", 1u}};
  EXPECT_EQ(fingerprint({Put{"c", "1", same}}), fingerprint(all[1])) << "as the wire gives it";
  EXPECT_EQ(fingerprint({Erase{"c", "1"}}), 4446746605387821748u)
      << "is on disks: it does not change";
}

// --- rows and tables -----------------------------------------------------------------------------

TEST(Rows, AreReadAsTheyWereWritten) {
  const MetaRow meta{kLayout, 7, 8, 9};
  EXPECT_EQ(decode_meta(encode(meta))->next_request, 9u);
  const IndexRow index{3, false, "id", {{"a.b", true}, {"c", false}}};
  const auto read = decode_index(encode(index));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->fields, index.fields);
  EXPECT_EQ(read->cursor, "id");
  const auto answer = decode_answer(encode(AnswerRow{5, 6, {Outcome::erased}}));
  EXPECT_EQ(answer->outcomes.size(), 1u);
  EXPECT_EQ(answer->fingerprint, 6u);
  EXPECT_EQ(decode_turn(encode(TurnRow{5, "r"}))->request_id, "r");
  EXPECT_EQ(decode_count(encode_count(5)), 5u);
  EXPECT_FALSE(decode_meta("")) << "cut";
  EXPECT_FALSE(decode_index(encode(index).substr(1)));
  EXPECT_FALSE(decode_answer(std::string(16, 0) + "\x09"));
  EXPECT_EQ(document_key("c", "id"), std::string("D\x01") + "cid");
  EXPECT_EQ(entry_prefix(258), std::string("X\0\0\1\2", 5));
}

}  // namespace
}  // namespace starbus::nodes::db
