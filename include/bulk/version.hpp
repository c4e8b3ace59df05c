// SPDX-License-Identifier: MIT
#pragma once

#define BULK_VERSION_MAJOR 0
#define BULK_VERSION_MINOR 1
#define BULK_VERSION_PATCH 0
