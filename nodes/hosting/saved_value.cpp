#include "nodes/hosting/saved_value.hpp"

#include <utility>

namespace starbus::nodes::entities {

SavedValues::SavedValues(std::vector<SavedValue> values)
    : values_(values.empty() ? nullptr
                             : std::make_shared<const std::vector<SavedValue>>(std::move(values))) {
}

std::size_t SavedValues::size() const {
  return values_ ? values_->size() : 0;
}

const SavedValue* SavedValues::begin() const {
  return values_ ? values_->data() : nullptr;
}

const SavedValue* SavedValues::end() const {
  return begin() + size();
}

const SavedValue& SavedValues::operator[](std::size_t place) const {
  return values_->at(place);
}

}  // namespace starbus::nodes::entities
