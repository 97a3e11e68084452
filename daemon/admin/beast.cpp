/// The part of Beast that is not templates; see bus/CMakeLists.txt.
#include <boost/beast/src.hpp>
