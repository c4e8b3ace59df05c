// SPDX-License-Identifier: MIT
#pragma once

#include <bulk/storage/any_storage.hpp>

namespace bulk::memory {

/// Everything in this process, gone with it: for tests and for embedding. A handle: copies share what they hold.
/// A backend that differs in some calls derives from `memory::records`.
class storage final : public any_storage {
public:
    storage();
};

}  // namespace bulk::memory

#ifndef BULK_COMPILED
#include <bulk/storage/memory/implementation.hpp>
#endif
