// What the compiler reads once for all units of the program, and only again when it changes.
#include <bulk/main.hpp>

#include <bulk/bulk.hpp>
