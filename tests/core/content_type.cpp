#include <bulk/core/content_type.hpp>

#include <support/ut.hpp>

#include <string>
#include <string_view>
#include <utility>

using namespace boost::ut;
using bulk::content_type_by_name, bulk::content_type_of_upload, bulk::media_type;

namespace {

suite<"content type"> content_type = [] {
    "the extension says what a file is, in any case"_test = [] {
        for (const auto& [name, type] : {std::pair{"a.csv", "text/csv"},
                                         {"A.CSV", "text/csv"},
                                         {"a.b.tsv", "text/tab-separated-values"},
                                         {"a.json", "application/json"},
                                         {"a.ndjson", "application/x-ndjson"},
                                         {"a.jsonl", "application/x-ndjson"},
                                         {"a.txt", "text/plain"},
                                         {"a.xml", "application/xml"},
                                         {"a.csv.gz", "application/gzip"},
                                         {"a.csv.zst", "application/zstd"},
                                         {"a.html", "application/octet-stream"},
                                         {"csv", "application/octet-stream"},
                                         {"a.csv/b", "application/octet-stream"},
                                         {"a.", "application/octet-stream"},
                                         {"", "application/octet-stream"}})
            expect(eq(content_type_by_name(name), std::string_view{type})) << name;
    };

    "a media type is taken without case, blanks and parameters"_test = [] {
        expect(media_type("text/csv") == "text/csv");
        expect(media_type(" Text/CSV ; charset=\"utf-8\"; header=present") == "text/csv");
        expect(media_type("application/vnd.ms-excel") == "application/vnd.ms-excel");
        expect(media_type("image/svg+xml") == "image/svg+xml");
    };

    "what is no media type, or says nothing, is not taken"_test = [] {
        for (const std::string_view given :
             {"", "csv", "text/", "/csv", "text/csv/x", "te xt/csv", "text/csv\r\nX-A: b",
              "text/<script>", "text/csv,text/html", "*/*", "-text/csv", "text/\xc3\xa4",
              "application/octet-stream", "Application/Octet-Stream; x=1", "binary/octet-stream",
              "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"})
            expect(media_type(given).empty()) << given;
        expect(media_type("text/" + std::string(122, 'a')).size() == 127_ul);
        expect(media_type("text/" + std::string(123, 'a')).empty());
    };

    "the sender is asked first, then the name"_test = [] {
        expect(content_type_of_upload("text/plain; charset=utf-8", "a.csv") == "text/plain");
        expect(content_type_of_upload("application/octet-stream", "a.csv") == "text/csv");
        expect(content_type_of_upload("", "a.bin") == "application/octet-stream");
    };
};

}  // namespace

int main() {}
