#include "nodes/db/document.hpp"

#include <cmath>
#include <limits>

#include "bus/core/utf8.hpp"
#include "nodes/db/limits.hpp"

namespace starbus::nodes::db {
namespace {

constexpr std::size_t kHead = 9;  // at most, of a CBOR item

class Check {
 public:
  Result<std::size_t> run(const Json& value) {
    walk(value, 0);
    if (wrong_ != Errc::ok) return wrong_;
    return bytes_;
  }

 private:
  void walk(const Json& value, std::size_t depth) {
    if (wrong_ != Errc::ok) return;
    if (++values_ > kMaxElements) return fail({Errc::too_large, "too many values"});
    if (depth >= kMaxDepth && value.is_structured()) return fail({Errc::too_large, "too deep"});
    bytes_ += kHead;
    switch (value.type()) {
      case Json::value_t::object:
        for (const auto& [key, inner] : value.items()) {
          text(key);
          walk(inner, depth + 1);
        }
        return;
      case Json::value_t::array:
        for (const Json& inner : value) walk(inner, depth + 1);
        return;
      case Json::value_t::string:
        return text(value.get_ref<const std::string&>());
      case Json::value_t::binary:
        bytes_ += value.get_binary().size();
        if (value.get_binary().has_subtype()) fail({Errc::bad_document, "bytes have a subtype"});
        return;
      case Json::value_t::number_unsigned:
        if (value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) {
          fail({Errc::bad_document, "integer outside int64"});
        }
        return;
      case Json::value_t::number_float:
        if (!std::isfinite(value.get<double>())) fail({Errc::bad_document, "not a finite number"});
        return;
      case Json::value_t::discarded:
        return fail({Errc::bad_document, "no value"});
      default:
        return;
    }
  }

  void text(std::string_view text) {
    bytes_ += kHead + text.size();
    if (!bus::is_utf8(text)) fail({Errc::bad_document, "text is not UTF-8"});
  }
  void fail(Error error) {
    if (wrong_ == Errc::ok) wrong_ = std::move(error);
  }

  Error wrong_;
  std::size_t values_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

Result<std::size_t> check_value(const Json& value) {
  return Check().run(value);
}

Result<std::size_t> check_document(const Json& document) {
  if (!document.is_object()) return Error(Errc::bad_document, "not a JSON object");
  return check_value(document);
}

Result<std::string> encode_value(const Json& value) {
  std::string cbor;
  Json::to_cbor(value, nlohmann::detail::output_adapter<char>(cbor));
  if (cbor.size() > kMaxDocument) {
    return Error(Errc::too_large, "a document of " + std::to_string(cbor.size()) + " bytes");
  }
  return cbor;
}

Result<std::string> encode_document(const Json& document) {
  return encode_value(document);
}

Result<Json> decode_value(std::string_view cbor) {
  if (const auto shape = check_shape(cbor); !shape) return shape.error();
  Json value = Json::from_cbor(cbor.begin(), cbor.end(), true, false);
  if (value.is_discarded()) return Error(Errc::bad_document, "not CBOR");
  if (const auto checked = check_value(value); !checked) return checked.error();
  return Result<Json>(in_place_value, std::move(value));
}

Result<Json> decode_document(std::string_view cbor) {
  auto document = decode_value(cbor);
  if (!document) return document.error();
  if (!document->is_object()) return Error(Errc::bad_document, "not a JSON object");
  return document;
}

}  // namespace starbus::nodes::db
