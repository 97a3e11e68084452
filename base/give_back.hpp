#pragma once

#include <vector>

namespace starbus {

/// Empties a vector and frees its storage. `vector = {}` keeps it: that assigns an empty list.
template <class T>
void give_back(std::vector<T>& vector) {
  std::vector<T>().swap(vector);
}

}  // namespace starbus
