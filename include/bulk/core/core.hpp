// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/core/clock.hpp>
#include <bulk/core/error.hpp>
#include <bulk/core/event.hpp>
#include <bulk/core/id.hpp>
#include <bulk/core/operation_record.hpp>
#include <bulk/core/options.hpp>
#include <bulk/core/query.hpp>
#include <bulk/core/retry.hpp>
#include <bulk/core/row_record.hpp>
#include <bulk/core/storage_options.hpp>
