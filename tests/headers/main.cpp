// The other unit that includes everything, linked with the first and with every header alone.
#include <bulk/bulk.hpp>
#include <bulk/feed.hpp>

int bulk_version();

int main() { return bulk_version() - BULK_VERSION_MAJOR; }
