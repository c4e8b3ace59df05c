#include <bulk/http/dashboard/assets.hpp>

#include <support/ut.hpp>

#include <string>
#include <string_view>

using namespace boost::ut;
namespace dashboard = bulk::http::dashboard;

static_assert(dashboard::find("/") != nullptr);
static_assert(dashboard::find("/assets/app.js") == nullptr, "only names with a hash are served");

suite<"dashboard assets"> dashboard_assets = [] {
    "there is one page, and browsers ask for it anew"_test = [] {
        const auto* page = dashboard::find("/");
        expect(fatal(page != nullptr));
        expect(page->type == "text/html; charset=utf-8");
        expect(!page->is_immutable);
    };

    "what may be cached for ever is named after what it holds"_test = [] {
        for (const auto& each : dashboard::assets) {
            if (!each.is_immutable) continue;
            const auto digest = each.etag.substr(1, each.etag.size() - 2);
            expect(each.path.starts_with("/assets/")) << each.path;
            expect(each.path.find(digest) != std::string_view::npos) << each.path;
        }
    };

    "every file is a whole gzip stream"_test = [] {
        using namespace std::literals;
        for (const auto& each : dashboard::assets) {
            expect(each.gzip.starts_with("\x1f\x8b\x08"sv)) << each.path;
            // Four bytes of checksum, then four of length: a literal that ends too early loses them.
            expect(fatal(each.gzip.size() > 18_ul)) << each.path;
            std::size_t length = 0;
            for (int i = 4; i > 0; --i)
                length = length * 256 +
                         static_cast<unsigned char>(
                             each.gzip[each.gzip.size() - 5 + static_cast<std::size_t>(i)]);
            expect(length > each.gzip.size() / 2 && length < 1'000'000_ul) << each.path << length;
        }
    };

    "an entity tag has its quotes, and no two files share a path"_test = [] {
        for (const auto& each : dashboard::assets) {
            expect(each.etag.starts_with('"') && each.etag.ends_with('"')) << each.path;
            expect(dashboard::find(each.path) == &each) << each.path;
        }
    };

    "the policy allows nothing inline and nothing from elsewhere"_test = [] {
        const std::string policy{dashboard::content_security_policy};
        expect(policy.starts_with("default-src 'none'"));
        expect(policy.find("unsafe") == std::string::npos);
        expect(policy.find("http") == std::string::npos);
        expect(policy.find("frame-ancestors 'none'") != std::string::npos);
    };
};

int main() {}
