// Linked with a unit that includes everything and with every header alone, so that what a header defines must be inline.
int bulk_version();

int main() { return bulk_version() == 0 ? 0 : 1; }
