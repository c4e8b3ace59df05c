// A step that begins something elsewhere, and asks now and then whether it is done.
#include <bulk/bulk.hpp>

#include <iostream>
#include <map>

using namespace std::chrono_literals;

struct video {
    std::string title;
    int minutes = 0;
};
BULK_ROW(video, (title, .row_id = true), minutes);

/// Somebody else's machine: every look at it finds one minute of video more.
struct render_farm {
    std::map<std::string, int> looks;

    void begin(const video& v) { looks[v.title] = 0; }
    bool is_ready(const video& v) { return ++looks[v.title] >= v.minutes; }
} farm;

struct render {
    static constexpr bulk::step_options options{
        .name = "Render", .order = 1, .poll_interval = 5ms, .timeout = 500ms};
    void execute(const video& v, const bulk::no_metadata&, bulk::context&) { farm.begin(v); }
    bool is_complete(const video& v, const bulk::no_metadata&, bulk::context&) {
        return farm.is_ready(v);
    }
};

struct publish_videos : bulk::operation<publish_videos, video> {
    BULK_OPERATION("publish-videos")

    auto steps() { return bulk::steps(render{}); }

    BULK_STEP(publish, "Publish", .order = 2)
    (const video& v, const bulk::no_metadata&, bulk::context&) {
        std::cout << v.title << " is out: the farm was asked " << farm.looks[v.title] << " times\n";
    }
};

constexpr std::string_view file =
    "title,minutes\n"
    "Trailer,2\n"
    "Short,3\n"
    "Epic,99999\n";

int main() {
    bulk::service service{bulk::operations<publish_videos>, bulk::memory::storage{}};
    const auto id =
        service.create("publish-videos", bulk::upload{"videos.csv", bulk::bytes_of_text(file)});
    const auto done = service.wait(id.value()).value();

    std::cout << name_of(done.state) << ": " << done.rows.successful << " of " << done.rows.total
              << " rows\n";
    for (const auto found = service.errors(done.id).value(); const auto& error : found.items)
        std::cout << error.row_id << ": " << name_of(error.state) << ", " << error.error_message
                  << '\n';
}
