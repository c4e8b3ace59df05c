// What the runs of feeds must do on every backend. `Make` gives a fresh, empty storage; what it gives may
// have a `reopen()`, which closes the storage and opens it again.
#pragma once

#include "feed_consolidation.hpp"
#include "feed_end.hpp"
#include "feed_items.hpp"
#include "feed_model.hpp"
#include "feed_pages.hpp"
#include "feed_runs.hpp"
#include "feed_sharing.hpp"

namespace conformance {

template <typename Make>
void check_feeds(Make make, unsigned histories) {
    check_feed_runs(make);
    check_feed_claims(make);
    check_feed_pages(make);
    check_feed_settling(make);
    check_feed_items(make);
    check_feed_consolidation(make);
    check_feed_resume(make);
    check_feed_end(make);
    check_feed_sharing(make);
    check_feed_histories(make, histories);
}

}  // namespace conformance
