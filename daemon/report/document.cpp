#include "daemon/report/document.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/numbers.hpp"
#include "bus/core/wire/ids.hpp"
#include "bus/core/wire/shard_list.hpp"

namespace starbus::report {
namespace {

using Shards = std::vector<std::uint8_t>;

/// Writes the fields that it visits into an object.
template <class Json>
class Writer {
 public:
  static constexpr bool kReads = false;
  explicit Writer(Json& object) : object_(object) {}

  template <class Field>
  void operator()(const char* key, const Field& field) {
    object_[key] = of(field);
  }
  template <class Document>
  static Json document(const Document& value) {
    Json object = Json::object();
    Writer writer(object);
    Document::fields(value, writer);
    return object;
  }

 private:
  template <class Value>
  static Json of(const Value& value) {
    if constexpr (std::is_class_v<Value> && requires { typename Fields<Value>; }) {
      return document(value);
    } else {
      return value;
    }
  }
  template <class Value>
  using Fields = decltype(Value::fields(std::declval<const Value&>(), std::declval<Writer&>()));

  template <class Row>
  static Json of(const std::vector<Row>& rows) {
    Json array = Json::array();
    for (const Row& row : rows) array.push_back(of(row));
    return array;
  }
  template <class Value>
  static Json of(const std::optional<Value>& value) {
    return value ? of(*value) : Json(nullptr);
  }
  static Json of(const Whole<const double>& field) {
    return static_cast<std::int64_t>(field.value);
  }
  static Json of(const Whole<const std::optional<double>>& field) {
    return field.value ? Json(static_cast<std::int64_t>(*field.value)) : Json(nullptr);
  }
  static Json of(const Identifier<const std::string>& field) {
    const auto number = parse_number<std::uint64_t>(field.value);
    return number ? Json(*number) : Json(field.value);
  }
  static Json of(const EpochText<const std::string>& field) { return field.value; }
  template <class Value>
  static Json of(const OrNull<const Value>& field) {
    return field.value == Value{} ? Json(nullptr) : Json(field.value);
  }
  template <class Lanes>
  static Json of(const ByLane<Lanes>& field) {
    Json object = Json::object();
    for (std::size_t lane = 0; lane < kLaneNames.size(); ++lane) {
      object[kLaneNames[lane]] = field.value[lane];
    }
    return object;
  }
  static Json of(const ShardText<const Shards>& field) { return bus::shards_text(field.value); }
  static Json of(const ShardText<const std::optional<Shards>>& field) {
    return field.value ? Json(bus::shards_text(*field.value)) : Json(nullptr);
  }
  template <class Rows>
  static Json of(const SortedByName<Rows>& field) {
    return of(field.value);
  }
  template <class Rows>
  static Json of(const ShortRows<Rows>& field) {
    Json array = Json::array();
    for (const auto& row : field.value) {
      Json object = Json::object();
      Writer writer(object);
      std::remove_cvref_t<decltype(row)>::short_fields(row, writer);
      array.push_back(std::move(object));
    }
    return array;
  }

  Json& object_;
};

/// Reads the fields that it visits from an object, without exceptions; what does not fit is left
/// as it is.
class Reader {
 public:
  static constexpr bool kReads = true;
  using Json = nlohmann::json;
  explicit Reader(const Json& object) : object_(object) {}

  template <class Field>
  void operator()(const char* key, Field&& field) {
    const auto found = object_.find(key);
    if (found != object_.end() && !found->is_null()) read(*found, field);
  }

 private:
  static std::uint64_t count(const Json& json) {
    if (json.is_number_unsigned()) return json.get<std::uint64_t>();
    const double number = json.get<double>();
    return number > 0 && number < 1.8e19 ? static_cast<std::uint64_t>(number) : 0;
  }

  static bool read(const Json& json, std::string& text) {
    if (json.is_string()) text = json.get_ref<const std::string&>();
    if (json.is_number()) text = json.dump();
    return json.is_string() || json.is_number();
  }
  static bool read(const Json& json, bool& flag) {
    if (json.is_boolean()) flag = json.get<bool>();
    return json.is_boolean();
  }
  static bool read(const Json& json, double& number) {
    if (!json.is_number()) return false;
    const double value = json.get<double>();
    number = std::isfinite(value) ? value : 0;
    return true;
  }
  static bool read(const Json& json, std::uint64_t& number) {
    if (json.is_number()) number = count(json);
    return json.is_number();
  }
  static bool read(const Json& json, std::int64_t& number) {
    constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
    if (!json.is_number()) return false;
    number = count(json) > kMax ? 0 : static_cast<std::int64_t>(count(json));
    return true;
  }
  template <class Document>
  requires requires(Document& document, Reader& reader) { Document::fields(document, reader); }
  static bool read(const Json& json, Document& document) {
    if (!json.is_object()) return false;
    Reader reader(json);
    Document::fields(document, reader);
    return true;
  }
  template <class Row>
  static bool read(const Json& json, std::vector<Row>& rows) {
    if (!json.is_array()) return false;
    for (const Json& item : json) {
      if (std::is_same_v<Row, std::string> && !item.is_string()) continue;
      Row row;
      if (read(item, row)) rows.push_back(std::move(row));
    }
    return true;
  }
  template <class Value>
  static bool read(const Json& json, std::optional<Value>& value) {
    if (std::is_same_v<Value, std::string> && !json.is_string()) return false;
    Value one{};
    const bool good = read(json, one);
    if (good) value = std::move(one);
    return good;
  }
  static bool read(const Json& json, std::map<std::string, std::uint64_t>& counters) {
    if (!json.is_object()) return false;
    for (const auto& [key, value] : json.items()) {
      if (value.is_number()) counters[key] = count(value);
    }
    return true;
  }
  template <class Value>
  static bool read(const Json& json, const Whole<Value>& field) {
    return read(json, field.value);
  }
  static bool read(const Json& json, const Identifier<std::string>& field) {
    return read(json, field.value);
  }
  static bool read(const Json& json, const EpochText<std::string>& field) {
    if (!json.is_number_integer()) return read(json, field.value);
    field.value = bus::Epoch{count(json)}.to_string();
    return true;
  }
  template <class Value>
  static bool read(const Json& json, const OrNull<Value>& field) {
    return read(json, field.value);
  }
  template <class Lanes>
  static bool read(const Json& json, const ByLane<Lanes>& field) {
    if (!json.is_object()) return false;
    Reader reader(json);
    for (std::size_t lane = 0; lane < kLaneNames.size(); ++lane) {
      reader(kLaneNames[lane], field.value[lane]);
    }
    return true;
  }
  template <class Value>
  static bool read(const Json& json, const ShardText<Value>& field) {
    if (!json.is_string()) return false;
    field.value = bus::parse_shards(json.get<std::string>()).value_or(Shards{});
    return true;
  }
  template <class Rows>
  static bool read(const Json& json, const SortedByName<Rows>& field) {
    if (!read(json, field.value)) return false;
    std::ranges::sort(
        field.value, {}, [](const auto& row) -> const auto& { return row.name; });
    return true;
  }
  template <class Rows>
  static bool read(const Json& json, const ShortRows<Rows>& field) {
    return read(json, SortedByName<Rows>{field.value});
  }

  const Json& object_;
};

}  // namespace

template <class Json, class Document>
Json to_json(const Document& document) {
  return Writer<Json>::document(document);
}

template <class Document>
bus::Result<Document> from_json(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) {
    return bus::Error{bus::Errc::bad_bytes, "the answer is not a JSON object"};
  }
  Document document{};
  Reader reader(json);
  Document::fields(document, reader);
  return document;
}

#define STARBUS_DOCUMENT(Document)                                                  \
  template nlohmann::json to_json<nlohmann::json>(const Document&);                 \
  template nlohmann::ordered_json to_json<nlohmann::ordered_json>(const Document&); \
  template bus::Result<Document> from_json<Document>(std::string_view);

STARBUS_DOCUMENT(DaemonStatus)
STARBUS_DOCUMENT(FailuresPage)
STARBUS_DOCUMENT(HostTopology)
STARBUS_DOCUMENT(LinkInfo)
STARBUS_DOCUMENT(LinksPage)
STARBUS_DOCUMENT(MailBackup)
STARBUS_DOCUMENT(MailBox)
STARBUS_DOCUMENT(MailBoxes)
STARBUS_DOCUMENT(MailMove)
STARBUS_DOCUMENT(MailOffers)
STARBUS_DOCUMENT(MailPage)
STARBUS_DOCUMENT(MailPurge)
STARBUS_DOCUMENT(MailRow)
STARBUS_DOCUMENT(MailStatistics)
STARBUS_DOCUMENT(MailStatus)
STARBUS_DOCUMENT(NameRow)
STARBUS_DOCUMENT(NamesPage)
STARBUS_DOCUMENT(RootTopology)
STARBUS_DOCUMENT(RouteInfo)
STARBUS_DOCUMENT(TailLine)
STARBUS_DOCUMENT(Trace)

#undef STARBUS_DOCUMENT

}  // namespace starbus::report
