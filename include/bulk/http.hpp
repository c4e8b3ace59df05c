// SPDX-License-Identifier: MIT
#pragma once

// A service behind HTTP: `bulk::http::serve(service, {.port = 8080})`. Link `bulk_http`, by
// dependency('bulk-http'). See docs/guide/api.md.

#include <bulk/bulk.hpp>
#include <bulk/http/access.hpp>
#include <bulk/http/api.hpp>
#include <bulk/http/api_options.hpp>
#include <bulk/http/serve.hpp>
#include <bulk/http/server.hpp>
#include <bulk/http/server_options.hpp>
