// SPDX-License-Identifier: MIT
// What nearly every test of the service, of feeds and of storage includes.
#pragma once

#include <bulk/feed.hpp>
#include <bulk/storage/sqlite/storage.hpp>

#include <checkout.hpp>
#include <support/stage.hpp>
#include <support/ut.hpp>
