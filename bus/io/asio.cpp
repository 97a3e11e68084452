/// The part of Asio that is not templates; see bus/CMakeLists.txt.
#include <boost/asio/impl/src.hpp>
