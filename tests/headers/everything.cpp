// One of two units that include everything: what a header defines must be inline.
#include <bulk/bulk.hpp>
#include <bulk/feed.hpp>

int bulk_version() { return BULK_VERSION_MAJOR; }
