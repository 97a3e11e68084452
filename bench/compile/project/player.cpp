// The header alone: what a file pays that includes a class and makes none.
#include "player.hpp"
