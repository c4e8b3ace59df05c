// What there is to compare with: Beast as its own examples use it, answering a constant. Prints its port,
// and ends with its input.
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/strand.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

class session : public std::enable_shared_from_this<session> {
public:
    explicit session(asio::ip::tcp::socket socket) : stream_{std::move(socket)} {
        stream_.socket().set_option(asio::ip::tcp::no_delay{true});
    }
    void begin() {
        asio::dispatch(stream_.get_executor(), [self = shared_from_this()] { self->read(); });
    }

private:
    void read() {
        asked_ = {};
        stream_.expires_after(std::chrono::seconds{30});
        http::async_read(stream_, buffer_, asked_,
                         [self = shared_from_this()](beast::error_code failed, std::size_t) {
                             if (!failed) self->answer();
                         });
    }

    void answer() {
        said_.emplace(http::status::ok, asked_.version());
        said_->set(http::field::content_type, "text/plain");
        said_->keep_alive(asked_.keep_alive());
        said_->body() = "fine";
        said_->prepare_payload();
        http::async_write(stream_, *said_,
                          [self = shared_from_this()](beast::error_code failed, std::size_t) {
                              if (!failed && self->said_->keep_alive()) self->read();
                          });
    }

    beast::tcp_stream stream_;
    beast::flat_buffer buffer_;
    http::request<http::string_body> asked_;
    std::optional<http::response<http::string_body>> said_;
};

void accept(asio::io_context& context, asio::ip::tcp::acceptor& acceptor) {
    acceptor.async_accept(asio::make_strand(context),
                          [&](beast::error_code failed, asio::ip::tcp::socket socket) {
                              if (failed) return;
                              std::make_shared<session>(std::move(socket))->begin();
                              accept(context, acceptor);
                          });
}

}  // namespace

int main() {
    asio::io_context context;
    asio::ip::tcp::acceptor acceptor{context, {asio::ip::make_address("127.0.0.1"), 0}};
    accept(context, acceptor);
    std::printf("%d\n", acceptor.local_endpoint().port());
    std::fflush(stdout);
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
        threads.emplace_back([&] { context.run(); });
    while (std::getchar() != EOF) {
    }
    context.stop();
}
