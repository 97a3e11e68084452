#include "entity/objects/client_classes.hpp"

#include <algorithm>

namespace starbus::entity {
namespace {

using Describe = ClientClass (*)();

std::vector<Describe>& enlisted() {
  static std::vector<Describe> classes;
  return classes;
}

}  // namespace

bool enlist_client_class(Describe describe) {
  if (std::ranges::find(enlisted(), describe) == enlisted().end()) enlisted().push_back(describe);
  return true;
}

std::vector<ClientClass> client_classes() {
  std::vector<ClientClass> all;
  for (const Describe describe : enlisted()) {
    all.push_back(describe());
    std::ranges::sort(all.back().methods, {}, &ClientMethodRow::name);
  }
  const auto order = [](const ClientClass& each) { return std::pair(each.name, each.type); };
  std::ranges::sort(all, {}, order);
  return all;
}

std::string client_signature_text(const std::vector<std::string>& types) {
  std::string text = "(";
  for (const std::string& type : types) {
    if (text.size() > 1) text += ',';
    text += type;
  }
  return text + ")";
}

}  // namespace starbus::entity
