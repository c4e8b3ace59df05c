// What a header defines must be inline: this is linked with every header alone.
#include <bulk/bulk.hpp>
#include <bulk/feed.hpp>

int bulk_version() { return BULK_VERSION_MAJOR; }
